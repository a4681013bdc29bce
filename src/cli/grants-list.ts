import { Option } from 'commander';
import { printable } from '../config/shown.ts';
import type { Grant, GrantFilter } from './administration/grants.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { minute } from './key-words.ts';
import { json, table } from './output.ts';
import { instantFrom, limitOption, moreLine } from './pages.ts';
import { withGrants } from './reached.ts';

type Options = GrantFilter & { readonly limit: number; readonly json?: true };

export function grantsListCommand(parent: Command, cli: Cli): void {
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
      const { items, more } = await withGrants(cli, ({ list }) => list(options, options.limit));
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
