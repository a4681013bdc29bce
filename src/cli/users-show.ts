import { printable } from '../config/shown.ts';
import type { User } from './administration/users.ts';
import type { Cli } from './cli.ts';
import { fields } from './client-words.ts';
import type { Command } from './command.ts';
import { noSuch } from './failure.ts';
import { json } from './output.ts';
import { withUsers } from './reached.ts';

export function usersShowCommand(parent: Command, cli: Cli): void {
  parent
    .command('show')
    .description('show one user: sub, claims and state')
    .argument('<username>')
    .jsonOption()
    .helpAfter('\nThe password is never shown: only a hash of it is kept.\n\nExample:\n  statehouse users show alice')
    .action(async (username: string, options: { json?: true }) => {
      const user = await withUsers(cli, ({ find }) => find(username));
      if (!user) throw noSuch('user', username);
      cli.output.print(options.json ? json(userDocument(user)) : asText(user));
    });
}

export const userDocument = ({ username, sub, disabled, claims }: User) => ({ username, sub, disabled, claims });

function asText({ username, sub, claims, disabled_at: since }: User): string {
  const claimRows = Object.entries(claims).map(([name, value]): [string, string] => [
    printable(name),
    printable(typeof value === 'string' ? value : JSON.stringify(value)),
  ]);
  const state = since === null ? 'may sign in' : `disabled ${since}`;
  return `${printable(username)}\n${fields([['sub', sub], ['state', state], ...claimRows])}`;
}
