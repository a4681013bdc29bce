import { Option } from 'commander';
import { printable } from '../config/shown.ts';
import type { Session, SessionFilter } from './administration/sessions.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { minute } from './key-words.ts';
import { json, table } from './output.ts';
import { limitOption, moreLine } from './pages.ts';
import { withSessions } from './reached.ts';

type Options = SessionFilter & { readonly limit: number; readonly json?: true };

export function sessionsListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('sessions, the newest sign-in first')
    .option('--user <username>', 'only those of this end-user')
    .addOption(new Option('--state <state>', 'only those that are active, or have ended').choices(['active', 'ended']))
    .addOption(limitOption())
    .jsonOption()
    .helpAfter(`
A session is a browser in which an end-user has signed in. Sessions are removed soon after their end; the ledger remembers them longer.

Example:
  statehouse sessions list --user alice --state active`)
    .action(async (options: Options) => {
      const { items, more } = await withSessions(cli, ({ list }) => list(options, options.limit));
      if (options.json) return cli.output.print(json({ sessions: items.map(sessionDocument), more }));
      if (items.length === 0) return cli.output.print('No such sessions.\n');
      cli.output.print(
        table([['SID', 'END-USER', 'SIGNED IN', 'LAST USED', 'STATE', 'BROWSER'], ...items.map(sessionRow)]),
      );
      cli.output.complain(moreLine(more, options.limit));
    });
}

/** Null: active. A session that ended without a decision has expired. */
const endOf = ({ state, reason }: Session): string | null => (state === 'active' ? null : (reason ?? 'expired'));

const sessionRow = (session: Session): readonly string[] => [
  session.sid,
  printable(session.username),
  minute(session.signed_in_at),
  minute(session.last_used_at),
  session.state === 'active' ? session.state : `${session.state} (${endOf(session)})`,
  printable(session.user_agent ?? ''),
];

const sessionDocument = (session: Session) => ({
  sid: session.sid,
  sub: session.sub,
  username: session.username,
  state: session.state,
  reason: endOf(session),
  signed_in_at: session.signed_in_at,
  last_used_at: session.last_used_at,
  user_agent: session.user_agent,
});
