import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { json } from './output.ts';
import { withUsers } from './reached.ts';

export function usersDisableCommand(parent: Command, cli: Cli): void {
  parent
    .command('disable')
    .description('disable an end-user; ends their sessions and grants permanently')
    .argument('<username>')
    .jsonOption()
    .helpAfter('\nEnabling them again does not revive these.\n\nExample:\n  statehouse users disable alice')
    .action(async (username: string, options: { json?: true }) => {
      await withUsers(cli, ({ change }) => change(username, 'disable'));
      const words = `disabled   ${username}  (sessions, refresh tokens and unused codes have ended)\n`;
      cli.output.print(options.json ? json({ username, outcome: 'disabled' }) : words);
    });
}
