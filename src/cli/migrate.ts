import type { Runtime } from '../boot/runtime.ts';
import { secretVariable } from '../config/secret-variable.ts';
import { ReportedError } from '../system/reported-error.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { defaultEntriesWords } from './ledger-words.ts';
import { json } from './output.ts';
import { withOwnRuntime } from './own-runtime.ts';

export function migrateCommand(parent: Command, cli: Cli): void {
  parent
    .command('migrate')
    .description('migrate the tables of the database')
    .option(
      '--grant-to <role>',
      'give this role of Postgres the rights that a server needs (STATEHOUSE_DATABASE_ROLE); safe to repeat',
    )
    .option(
      '--authenticate-rows',
      'compute new MACs for rows whose MAC is not from a listed root secret, after the loss of a root secret or a restore of rows',
    )
    .option('--distribute', 'spread the tables over the workers of a Citus cluster; safe to repeat')
    .jsonOption()
    .helpAfter(`
"statehouse start" migrates too, where its role owns the tables. Concurrent runs and runs without a pending migration are safe.
STATEHOUSE_MIGRATIONS_URL names the database as the owner of the tables reaches it; without it, DATABASE_URL does.
--authenticate-rows believes what is in the tables: every end-user, session, passkey and key there. Look at them first.
Roles that were granted the rights of a server before get those on new tables, too.
--distribute moves the rows that are there, in one transaction: nodes answer 503 until it ends (docs/scaling.md).

Examples:
  DATABASE_URL=postgres://… statehouse migrate
  STATEHOUSE_MIGRATIONS_URL=postgres://owner:…@db/statehouse statehouse migrate --grant-to statehouse_server`)
    .action(async (options: Options) => {
      const asOwner = { ...cli, env: ownerEnvironment(cli.env) };
      // Opening applies the migrations.
      const { kind, roles, rows, left, distributed } = await withOwnRuntime(asOwner, 'migrate', async (runtime) => {
        const { database, environment } = runtime;
        const { kind, drizzle } = database;
        const [{ keepLedgerFor }, { ledgerDefaultEntries }] = await Promise.all([
          import('../storage/ledger-seals.ts'),
          import('../storage/ledger-partitions.ts'),
        ]);
        await keepLedgerFor(drizzle, runtime.configuration.ledger.keptDays);
        const rows = options.authenticateRows ? await vouched(runtime) : null;
        const left = await ledgerDefaultEntries(drizzle);
        if (options.distribute && database.distribute === undefined) throw new NoServer();
        if (kind === 'embedded') return { kind, roles: [], rows, left, distributed: null };
        const [{ requireOwner }, { grantToRuntime, runtimeRoles }] = await Promise.all([
          import('../storage/database-role.ts'),
          import('../storage/runtime-rights.ts'),
        ]);
        await requireOwner(drizzle);
        const distributed = options.distribute ? ((await database.distribute?.()) ?? null) : null;
        const named = options.grantTo ?? environment.databaseRole;
        const roles = [...new Set([...(named === null ? [] : [named]), ...(await runtimeRoles(drizzle))])];
        for (const role of roles) await grantToRuntime(drizzle, role);
        return { kind, roles, rows, left, distributed };
      });
      if (options.json)
        return cli.output.print(
          json({
            database: kind,
            migrated: true,
            granted_to: roles,
            ...(distributed && { distributed }),
            ...(rows && { authenticated_rows: rows }),
            ...(left > 0 && { ledger_default_entries: left }),
          }),
        );
      const where = kind === 'embedded' ? 'the embedded database in .statehouse/' : 'the Postgres of DATABASE_URL';
      const granted = roles.map((role) => `Granted to ${role}: the rights that a server needs.\n`);
      const vouchedFor = Object.entries(rows ?? {}).map(
        ([table, count]) => `Authenticated in ${table}: ${count} rows.\n`,
      );
      const spread = distributed
        ? [
            `Distributed over ${distributed.workers} workers: ${distributed.spread.length} tables; on every node: ${distributed.everywhere.length}.\n`,
          ]
        : [];
      cli.output.print([`Up to date: ${where}.\n`, ...spread, ...granted, ...vouchedFor].join(''));
      if (left > 0) cli.output.complain(`Warning: ${defaultEntriesWords(left)}.\n`);
    });
}

/** The embedded database has no workers. */
class NoServer extends ReportedError {
  override readonly isFinal = true;
  constructor() {
    super(
      'The embedded database cannot be distributed. Nothing was changed. Name the coordinator of a Citus cluster in DATABASE_URL.',
    );
  }
}

type Options = {
  readonly distribute?: true;
  readonly json?: true;
  readonly grantTo?: string;
  readonly authenticateRows?: true;
};

async function vouched({ database, keys }: Runtime) {
  const [{ rowMacs }, { authenticateRows }] = await Promise.all([
    import('../crypto/row-mac.ts'),
    import('../storage/renew-row-macs.ts'),
  ]);
  return authenticateRows(database.drizzle, rowMacs(keys));
}

/** The database as its owner reaches it. @throws EnvironmentError */
function ownerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const url = secretVariable(env, 'STATEHOUSE_MIGRATIONS_URL')?.trim();
  return url ? { ...env, DATABASE_URL: url, DATABASE_URL_FILE: undefined } : env;
}
