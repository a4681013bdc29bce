import { printable } from '../config/shown.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { json, table } from './output.ts';
import { withUsers } from './reached.ts';
import { userDocument } from './users-show.ts';

export function usersListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('all users, or those that a search finds')
    .option('--search <words>', 'only users with each word in username, names or e-mail address; or the exact sub')
    .jsonOption()
    .helpAfter('\nExamples:\n  statehouse users list\n  statehouse users list --search ada@example.com')
    .action(async ({ search, ...options }: { search?: string; json?: true }) => {
      const users = await withUsers(cli, ({ list }) => list(search ?? null));
      if (options.json) {
        return cli.output.print(json({ users: users.map(userDocument) }));
      }
      if (users.length === 0 && search !== undefined) return cli.output.print('No user matches.\n');
      if (users.length === 0) return cli.output.print('No users. To create one: statehouse users create --help\n');
      const rows = users.map(({ username, sub, claims, disabled_at: since }) => [
        printable(username),
        sub,
        printable(String(claims['email'] ?? '')),
        since === null ? '' : `disabled ${since}`,
      ]);
      cli.output.print(table([['USERNAME', 'SUB', 'EMAIL', ''], ...rows]));
    });
}
