/** The group `sessions`. */

import { Option } from 'commander';
import { printable } from '../config/shown.ts';
import type { Item } from '../management/client/documents.ts';
import { isUuid } from '../oauth/sub.ts';
import type { ManagementApi } from './administration/api.ts';
import { pagesOf, subOf } from './administration/lists.ts';
import { mustExist } from './administration/refusals.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { minute } from './durations.ts';
import { CommandRefused } from './failure.ts';
import { json, table } from './output.ts';
import { itemsUpTo, limitOption, moreLine } from './pages.ts';
import { withApi } from './reached.ts';

type Session = Item<'/sessions'>;
type Options = {
  readonly user?: string;
  readonly state?: Session['state'];
  readonly limit: number;
  readonly json?: true;
};

function sessionsListCommand(parent: Command, cli: Cli): void {
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
      const { items, more } = await withApi(cli, (api) => listSessions(api, options));
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

function sessionsEndCommand(parent: Command, cli: Cli): void {
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
      const sid = argument.toLowerCase();
      if (!isUuid(sid)) throw new CommandRefused('Expected a sid (a UUID): "statehouse sessions list" shows them.');
      const { hasEnded, username } = await withApi(cli, (api) => endSession(api, sid));
      const outcome = hasEnded ? 'ended' : 'unchanged';
      if (options.json) return cli.output.print(json({ sid, username, outcome }));
      cli.output.print(hasEnded ? `ended      ${sid}  (${username})\n` : `unchanged  ${sid}  (had ended already)\n`);
    });
}

/** Newest first. @throws CommandRefused for an end-user who is not there. */
async function listSessions(api: ManagementApi, { user, state, limit }: Options) {
  const sub = user === undefined ? undefined : await subOf(api, user);
  return itemsUpTo(
    limit,
    pagesOf((page) => api.send('GET', '/sessions', { query: { sub, state, ...page } })),
  );
}

/** `hasEnded`: by this; false: it had ended already. @throws CommandRefused for a session that is not there. */
async function endSession(api: ManagementApi, sid: string) {
  const find = async () =>
    (await mustExist('session', sid, api.send('GET', '/sessions/{sid}', { params: { sid } }))).value;
  const { reason, username } = await find();
  await api.send('DELETE', '/sessions/{sid}', { params: { sid } });
  return { hasEnded: reason === null && (await find()).reason !== null, username };
}

/** In the order of --help. */
export const SESSION_COMMANDS = [sessionsListCommand, sessionsEndCommand] as const;
