import { printable } from '../config/shown.ts';
import type { Item } from '../management/client/documents.ts';
import { isUuid } from '../oauth/sub.ts';
import type { ManagementApi } from './administration/api.ts';
import { pagesOf, userNamed } from './administration/lists.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { noSuch } from './failure.ts';
import { json, table } from './output.ts';
import { instantFrom, itemsUpTo, limitOption, moreLine } from './pages.ts';
import { withApi } from './reached.ts';

type Entry = Item<'/transitions'>;
type Named = 'user' | 'by' | 'actor' | 'client' | 'grant' | 'session' | 'machine' | 'event' | 'reason' | 'address';
type Options = { readonly [Name in Named]?: string } & {
  readonly from?: Date;
  readonly to?: Date;
  readonly limit: number;
  readonly json?: true;
};

export function ledgerListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('entries of the ledger, newest first')
    .option('--user <username>', 'only those about this end-user; a deleted end-user by the sub')
    .option('--by <username>', 'only changes that this operator or end-user asked for')
    .option('--actor <actor>', 'only changes that this actor asked for, such as "command_line" or "client deploy-bot"')
    .option('--client <client_id>', 'only those of this client')
    .option('--grant <grant-id>', 'only those of this grant')
    .option('--session <sid>', 'only those of this session')
    .option('--machine <name>', 'only those of this machine, such as "signIn" or "user"')
    .option('--event <name>', 'only those of this event')
    .option('--reason <reason>', 'only those with this reason')
    .option('--address <address>', 'only sign-ins and reuses from this network address')
    .option('--from <instant>', 'only those at this instant or later', instantFrom)
    .option('--to <instant>', 'only those before this instant', instantFrom)
    .addOption(limitOption())
    .jsonOption()
    .helpAfter(`
With --json, each entry has all its fields, as /management/v1/transitions names them.

Examples:
  statehouse ledger list --by olga --from 2026-11-01
  statehouse ledger list --user alice --machine signIn --json`)
    .action(async (options: Options) => {
      const { items, more } = await withApi(cli, (api) => listEntries(api, options));
      if (options.json) return cli.output.print(json({ entries: items, more }));
      if (items.length === 0) return cli.output.print('No such entries.\n');
      cli.output.print(table([['AT', 'MACHINE', 'EVENT', 'STATE', 'REASON', 'OF', 'BY'], ...items.map(entryRow)]));
      cli.output.complain(moreLine(more, options.limit));
    });
}

/** @throws CommandRefused for an end-user who is not there. */
async function listEntries(
  api: ManagementApi,
  { user, by, client, grant, session, from, to, limit, json: _, ...asked }: Options,
) {
  const query = {
    ...asked,
    sub: await subIn(api, user),
    actor_sub: await subIn(api, by),
    client_id: client,
    grant_id: grant,
    session_id: session,
    from: from?.toISOString(),
    to: to?.toISOString(),
  };
  return itemsUpTo(
    limit,
    pagesOf((page) => api.send('GET', '/transitions', { query: { ...query, ...page } })),
  );
}

/** The ledger outlives its end-users, so the sub of a deleted one is accepted too. */
async function subIn(api: ManagementApi, text: string | undefined): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const user = await userNamed(api, text);
  if (user !== null) return user.sub;
  if (isUuid(text)) return text;
  throw noSuch('user', text);
}

const entryRow = (entry: Entry): readonly string[] => [
  `${entry.at.slice(0, 19).replace('T', ' ')} UTC`,
  entry.machine,
  entry.event,
  entry.from === entry.to ? entry.to : `${entry.from} -> ${entry.to}`,
  entry.reason ?? '',
  printable(subjectOf(entry)),
  printable(actorOf(entry)),
];

const subjectOf = (entry: Entry): string => {
  const user = entry.username ?? entry.sub;
  const row = entry.grant_id ?? entry.session_id ?? entry.signing_key_id ?? entry.interaction_id;
  return [user && `user ${user}`, entry.client_id && `client ${entry.client_id}`, !user && row]
    .filter(Boolean)
    .join(', ');
};

/** `operator SUB` becomes `operator olga`. */
const actorOf = ({ actor, actor_sub: sub, actor_username: username }: Entry): string =>
  (sub !== null && username !== null ? actor?.replace(sub, username) : actor) ?? '';
