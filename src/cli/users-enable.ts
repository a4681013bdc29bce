import type { Command } from 'commander';
import { printable } from '../config/shown.ts';
import { enableUser } from '../storage/users.ts';
import { type Cli, withRuntime } from './cli.ts';
import { CommandRefused } from './failure.ts';
import { json } from './output.ts';

export function usersEnableCommand(parent: Command, cli: Cli): void {
  parent
    .command('enable')
    .description('let a disabled end-user sign in again')
    .argument('<username>')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nSessions and grants that ended stay ended.\n\nExample:\n  statehouse users enable alice')
    .action(async (username: string, options: { json?: true }) => {
      const found = await withRuntime(cli, ({ database }) => enableUser(database.drizzle, username));
      if (!found) throw new CommandRefused(`No such user: "${printable(username)}".`);
      cli.output.print(options.json ? json({ username, outcome: 'enabled' }) : `enabled    ${username}\n`);
    });
}
