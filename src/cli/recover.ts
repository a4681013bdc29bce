import { raiseServerEpoch } from '../storage/server.ts';
import type { Cli } from './cli.ts';
import { fields } from './client-words.ts';
import type { Command } from './command.ts';
import { confirm } from './confirm.ts';
import { json } from './output.ts';
import { withOwnRuntime } from './own-runtime.ts';
import { needsOf, rootSecretDocument, rootSecretRows, rootSecretWarnings } from './root-secret-words.ts';

const CONSEQUENCE =
  'This ends every existing refresh token, unused code and session; all end-users have to sign in again.';

export function recoverCommand(parent: Command, cli: Cli): void {
  parent
    .command('recover')
    .description('end every grant and session: after the restore of a backup, before traffic')
    .option('--yes', 'do not ask')
    .jsonOption()
    .helpAfter(`
A restored database does not know which refresh tokens were used since the backup. ${CONSEQUENCE}
Clients, users and signing keys stay. Access tokens stay valid until they expire.

Example:
  statehouse recover --yes`)
    .action(async (options: { yes?: true; json?: true }) => {
      if (!options.yes) await confirm(cli, CONSEQUENCE);
      const { epoch, needs, keys } = await withOwnRuntime(cli, 'recover', async ({ database: { drizzle }, keys }) => ({
        epoch: await raiseServerEpoch(drizzle),
        needs: await needsOf(drizzle, keys),
        keys,
      }));
      const words =
        `Done: every refresh token, unused code and session made before now has ended (server epoch ${epoch}).\n` +
        'Clients, users and signing keys are as they were. Access tokens stay valid until they expire.\n';
      const warnings = rootSecretWarnings(needs, keys);
      const older = rootSecretRows(needs, keys);
      const more = [
        ...(older.length === 0 ? [] : [`Older root secrets:\n${fields(older)}`]),
        ...warnings.map((warning) => `warning: ${warning}\n`),
      ];
      cli.output.print(
        options.json
          ? json({
              recovered: true,
              server_epoch: String(epoch),
              older_root_secrets: rootSecretDocument(needs, keys),
              warnings,
            })
          : words + more.join(''),
      );
    });
}
