/** The group `trusted-browsers`. */
import { printable } from '../config/shown.ts';
import type { Item } from '../management/client/documents.ts';
import { isUuid } from '../oauth/sub.ts';
import type { ManagementApi } from './administration/api.ts';
import { subOf } from './administration/lists.ts';
import { mustExist } from './administration/refusals.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { minute } from './durations.ts';
import { CommandRefused } from './failure.ts';
import { json, table } from './output.ts';
import { withApi } from './reached.ts';

/** The group `trusted-browsers`. */

type Options = { readonly user: string; readonly json?: true };

function trustedBrowsersListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('the trusted browsers of an end-user, the newest first')
    .requiredOption('--user <username>', 'the end-user')
    .jsonOption()
    .helpAfter(`
A trusted browser skips the second factor for the time of trustedBrowserLifetimeSeconds in sign-in.yaml.

Example:
  statehouse trusted-browsers list --user alice`)
    .action(async ({ user, json: asJson }: Options) => {
      const items = await withApi(cli, async (api) => trustedBrowsers(api, await subOf(api, user)));
      if (asJson) return cli.output.print(json({ trusted_browsers: items.map(documentOf) }));
      if (items.length === 0) return cli.output.print('No trusted browsers.\n');
      cli.output.print(table([['ID', 'TRUSTED', 'LAST USED', 'ENDS', 'BROWSER'], ...items.map(rowOf)]));
    });
}

function trustedBrowsersEndCommand(parent: Command, cli: Cli): void {
  parent
    .command('end')
    .description('end the trust: the next sign-in asks for the second factor')
    .argument('[id]', 'as "statehouse trusted-browsers list" shows it; without it: in every browser')
    .requiredOption('--user <username>', 'the end-user')
    .jsonOption()
    .helpAfter(`
Sessions stay as they are (statehouse sessions end).

Example:
  statehouse trusted-browsers end --user alice 2f1c7a52-1f0e-4c55-8e0b-0f6f5a1f7b11`)
    .action(async (argument: string | undefined, { user, json: asJson }: Options) => {
      const id = argument?.toLowerCase() ?? null;
      if (id !== null && !isUuid(id))
        throw new CommandRefused('Expected an id (a UUID): "statehouse trusted-browsers list" shows them.');
      const ended = await withApi(cli, (api) => endTrust(api, user, id));
      if (asJson) return cli.output.print(json({ username: user, ended }));
      const words = ended === 0 ? 'unchanged  (the trust had ended already)' : `ended      ${ended}`;
      cli.output.print(`${words}\n`);
    });
}

const rowOf = (one: TrustedBrowser): readonly string[] => [
  one.id,
  minute(one.trusted_at),
  one.last_used_at === null ? 'never' : minute(one.last_used_at),
  minute(one.ends_at),
  printable(one.user_agent ?? ''),
];

const documentOf = ({ _links, ...one }: TrustedBrowser) => one;

type TrustedBrowser = Item<'/users/{sub}/trusted-browsers'>;

/** Newest first. */
async function trustedBrowsers(api: ManagementApi, sub: string): Promise<readonly TrustedBrowser[]> {
  return (await api.send('GET', '/users/{sub}/trusted-browsers', { params: { sub } })).value.items;
}

/** @param id null: each. @returns how many stood before, and have ended. */
async function endTrust(api: ManagementApi, username: string, id: string | null): Promise<number> {
  const sub = await subOf(api, username);
  const before = await trustedBrowsers(api, sub);
  if (id === null) await api.send('DELETE', '/users/{sub}/trusted-browsers', { params: { sub } });
  else {
    const path = '/users/{sub}/trusted-browsers/{trust_id}';
    await mustExist('trusted browser', id, api.send('DELETE', path, { params: { sub, trust_id: id } }));
  }
  return before.filter((one) => id === null || one.id === id).length;
}

/** In the order of --help. */
export const TRUSTED_BROWSER_COMMANDS = [trustedBrowsersListCommand, trustedBrowsersEndCommand] as const;
