import type { Command } from 'commander';
import { type Cli, withRuntime } from './cli.ts';
import { json } from './output.ts';

export function migrateCommand(parent: Command, cli: Cli): void {
  parent
    .command('migrate')
    .description('bring the tables of the database up to date')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
"statehouse start" does this too. Safe when several run at once, and when there is nothing to do.

Example:
  DATABASE_URL=postgres://… statehouse migrate`,
    )
    .action(async (options: { json?: true }) => {
      // Opening applies the migrations.
      const kind = await withRuntime(cli, async ({ database }) => database.kind);
      const where = kind === 'embedded' ? 'the embedded database in .statehouse/' : 'the Postgres of DATABASE_URL';
      cli.output.print(options.json ? json({ database: kind, migrated: true }) : `Up to date: ${where}.\n`);
    });
}
