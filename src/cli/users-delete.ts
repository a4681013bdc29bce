import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { confirm } from './confirm.ts';
import { json } from './output.ts';
import { withUsers } from './reached.ts';

const CONSEQUENCE = 'This erases username, password and claims, and ends every session and grant. It cannot be undone.';

export function usersDeleteCommand(parent: Command, cli: Cli): void {
  parent
    .command('delete')
    .description('delete an end-user; keeps only the sub')
    .argument('<username>')
    .option('--yes', 'do not ask')
    .jsonOption()
    .helpAfter(`
${CONSEQUENCE} The server keeps the sub, so that no other end-user gets it. The username is free again.
To keep the end-user and stop them from signing in: statehouse users disable.

Example:
  statehouse users delete alice --yes`)
    .action(async (username: string, options: { yes?: true; json?: true }) => {
      if (!options.yes) await confirm(cli, CONSEQUENCE);
      const { sub } = await withUsers(cli, ({ change }) => change(username, 'delete'));
      const words = `deleted    ${username}  (sub ${sub}; sessions, refresh tokens and unused codes have ended)\n`;
      cli.output.print(options.json ? json({ username, sub, outcome: 'deleted' }) : words);
    });
}
