import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { json } from './output.ts';
import { withUsers } from './reached.ts';

export function usersEnableCommand(parent: Command, cli: Cli): void {
  parent
    .command('enable')
    .description('enable a disabled end-user')
    .argument('<username>')
    .jsonOption()
    .helpAfter('\nSessions and grants that ended stay ended.\n\nExample:\n  statehouse users enable alice')
    .action(async (username: string, options: { json?: true }) => {
      await withUsers(cli, ({ change }) => change(username, 'enable'));
      cli.output.print(options.json ? json({ username, outcome: 'enabled' }) : `enabled    ${username}\n`);
    });
}
