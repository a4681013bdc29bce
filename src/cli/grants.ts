/** The group `grants`. */

import { Option } from 'commander';
import { printable } from '../config/shown.ts';
import { grantIdIn } from '../explanation/grant-id.ts';
import type { Item } from '../management/client/documents.ts';
import type { ManagementApi } from './administration/api.ts';
import { pagesOf, subOf } from './administration/lists.ts';
import { mustExist } from './administration/refusals.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { minute } from './durations.ts';
import { CommandRefused } from './failure.ts';
import { json, table } from './output.ts';
import { instantFrom, itemsUpTo, limitOption, moreLine } from './pages.ts';
import { withApi } from './reached.ts';

type Grant = Item<'/grants'>;
type Options = {
  readonly client?: string;
  readonly user?: string;
  readonly state?: Grant['state'];
  readonly from?: Date;
  readonly to?: Date;
  readonly limit: number;
  readonly json?: true;
};

function grantsListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('grants, newest first')
    .option('--client <client_id>', 'only those of this client')
    .option('--user <username>', 'only those of this end-user')
    .addOption(
      new Option('--state <state>', 'only the active ones, or only the ended ones').choices(['active', 'ended']),
    )
    .option('--from <instant>', 'only those that were approved at this instant or later', instantFrom)
    .option('--to <instant>', 'only those that were approved before this instant', instantFrom)
    .addOption(limitOption())
    .jsonOption()
    .helpAfter(`
An end-user approves, and the client gets a code and then a chain of refresh tokens: that is one grant. Grants are removed an hour after their end; the ledger remembers them longer. The life of one: statehouse explain.

Examples:
  statehouse grants list --user alice
  statehouse grants list --client shop --state ended --from 2026-01-31`)
    .action(async (options: Options) => {
      const { items, more } = await withApi(cli, (api) => listGrants(api, options));
      if (options.json) return cli.output.print(json({ grants: items.map(grantDocument), more }));
      if (items.length === 0) return cli.output.print('No such grants.\n');
      cli.output.print(table([['GRANT', 'CLIENT', 'END-USER', 'APPROVED', 'LAST USED', ''], ...items.map(grantRow)]));
      cli.output.complain(moreLine(more, options.limit));
    });
}

const grantRow = (grant: Grant): readonly string[] => [
  grant.grant_id,
  printable(grant.client_id),
  printable(grant.username),
  minute(grant.created_at),
  grant.last_used_at === null ? 'never' : minute(grant.last_used_at),
  'active_until' in grant.life
    ? `active until ${minute(grant.life.active_until)}`
    : `ended (${grant.life.reason ?? 'unknown'})`,
];

const grantDocument = ({ state, life, ...grant }: Grant) => ({
  grant_id: grant.grant_id,
  client_id: grant.client_id,
  client_name: grant.client_name,
  sub: grant.sub,
  username: grant.username,
  scope: grant.scope,
  resources: grant.resources,
  created_at: grant.created_at,
  last_used_at: grant.last_used_at,
  state,
  ...life,
});

function grantsRevokeCommand(parent: Command, cli: Cli): void {
  parent
    .command('revoke')
    .description('end a grant: its code and its whole chain of refresh tokens')
    .argument('<grant-id>', 'as "statehouse grants list" shows it')
    .jsonOption()
    .helpAfter(`
It cannot be undone. Access tokens that were issued stay good at APIs that do not ask the server, until they expire. The end-user stays signed in, and can approve the client again. The ledger says that the command line did it.

Example:
  statehouse grants revoke 0191e0a4-6b1e-7c3d-9a52-0d9f8a7b6c5d`)
    .action(async (argument: string, options: { json?: true }) => {
      const grantId = grantIdIn(argument);
      // It may be a token, which is not repeated.
      if (grantId === null)
        throw new CommandRefused('Expected a grant id (a UUID): "statehouse grants list" shows them.');
      const { hasEnded, grant } = await withApi(cli, (api) => revokeGrant(api, grantId));
      const { client_id: clientId, username } = grant;
      const outcome = hasEnded ? 'revoked' : 'unchanged';
      if (options.json) return cli.output.print(json({ grant_id: grantId, client_id: clientId, username, outcome }));
      cli.output.print(
        hasEnded
          ? `revoked    ${grantId}  (${clientId}, ${username})\n`
          : `unchanged  ${grantId}  (had ended already)\n`,
      );
    });
}

/** Newest first. @throws CommandRefused for a client or an end-user that is not there. */
async function listGrants(api: ManagementApi, { client, user, state, from, to, limit }: Options) {
  if (client !== undefined)
    await mustExist('client', client, api.send('GET', '/clients/{client_id}', { params: { client_id: client } }));
  const sub = user === undefined ? undefined : await subOf(api, user);
  const query = { client_id: client, sub, state, from: from?.toISOString(), to: to?.toISOString() };
  return itemsUpTo(
    limit,
    pagesOf((page) => api.send('GET', '/grants', { query: { ...query, ...page } })),
  );
}

/** `hasEnded`: by this; false: it had ended already. @throws CommandRefused for a grant that is not there. */
async function revokeGrant(api: ManagementApi, id: string) {
  const params = { grant_id: id };
  const find = async () => (await mustExist('grant', id, api.send('GET', '/grants/{grant_id}', { params }))).value;
  const grant = await find();
  await api.send('DELETE', '/grants/{grant_id}', { params });
  return { hasEnded: grant.reason === null && (await find()).reason !== null, grant };
}

/** In the order of --help. */
export const GRANT_COMMANDS = [grantsListCommand, grantsRevokeCommand] as const;
