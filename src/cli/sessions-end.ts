import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { CommandRefused } from './failure.ts';
import { json } from './output.ts';
import { withSessions } from './reached.ts';

const SID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function sessionsEndCommand(parent: Command, cli: Cli): void {
  parent
    .command('end')
    .description('sign an end-user out in one browser')
    .argument('<sid>', 'as "statehouse sessions list" shows it')
    .jsonOption()
    .helpAfter(`
This cannot be undone: the end-user has to sign in again. Grants to clients stay (statehouse grants list). To end every session and grant of an end-user: statehouse users disable.

Example:
  statehouse sessions end 2f1c7a52-1f0e-4c55-8e0b-0f6f5a1f7b11`)
    .action(async (argument: string, options: { json?: true }) => {
      if (!SID.test(argument))
        throw new CommandRefused('Expected a sid (a UUID): "statehouse sessions list" shows them.');
      const sid = argument.toLowerCase();
      const { hasEnded, username } = await withSessions(cli, (sessions) => sessions.end(sid));
      const outcome = hasEnded ? 'ended' : 'unchanged';
      if (options.json) return cli.output.print(json({ sid, username, outcome }));
      cli.output.print(hasEnded ? `ended      ${sid}  (${username})\n` : `unchanged  ${sid}  (had ended already)\n`);
    });
}
