import { Option } from 'commander';
import { printable } from '../config/shown.ts';
import { CLIENT_FIELDS, toNames } from '../registration/client-metadata.ts';
import type { ClientChanged } from './administration/clients.ts';
import type { Cli } from './cli.ts';
import { FIELD_OPTIONS, type FieldOptions, recordOf } from './client-options.ts';
import type { Command } from './command.ts';
import { CommandRefused } from './failure.ts';
import { json, secretLines, warningLines } from './output.ts';
import { withClients } from './reached.ts';
import { each } from './repeated-option.ts';

type Options = FieldOptions & { readonly unset?: readonly string[]; readonly json?: true };

const ID = 'client_id';
const UNSETTABLE = CLIENT_FIELDS.map(({ name }) => name).filter((name) => name !== ID && name !== 'client_secret');

export function clientsUpdateCommand(parent: Command, cli: Cli): void {
  const command = parent.command('update').description('change some fields of a client').argument('<client-id>');
  for (const { name, option } of FIELD_OPTIONS) if (name !== ID) command.addOption(option);
  command
    .option('--public', 'Short for --auth-method none.')
    .addOption(new Option('--unset <field>', 'Reset the field to its default. Repeat it for several.').argParser(each))
    .option('--json', 'Print one JSON document.')
    .helpAfter(`
Fields without an option stay; an option replaces a whole list. Grants stay active, within the new limits of the client.
--unset takes: ${UNSETTABLE.join(', ')}.

Examples:
  statehouse clients update shop --policy strict
  statehouse clients update shop --redirect-uri https://shop.example/callback --redirect-uri https://shop.example/native
  statehouse clients update shop --unset scope`)
    .action(async (clientId: string, options: Options) => {
      const given = recordOf(options, cli.env);
      const unset = options.unset ?? [];
      refuseUnknown(unset);
      const done = await withClients(cli, ({ update }) => update(clientId, given, unset));
      cli.output.print(options.json ? asDocument(done) : asText(done));
    });
}

/** @throws CommandRefused */
function refuseUnknown(fields: readonly string[]): void {
  const unknown = fields.find((name) => !UNSETTABLE.some((field) => field === name));
  if (unknown === undefined) return;
  throw new CommandRefused(`--unset: Expected one of ${UNSETTABLE.join(', ')}, found "${printable(unknown)}".`);
}

function asDocument({ outcome, changed, client, madeSecret, warnings }: ClientChanged): string {
  const secret = madeSecret === null ? {} : { client_secret: madeSecret };
  return json({ outcome, changed, client: { ...toNames(client), ...secret }, warnings });
}

function asText({ outcome, changed, client, madeSecret, warnings }: ClientChanged): string {
  const fields = changed.length > 0 ? `  (${changed.join(', ')})` : '';
  return `${outcome.padEnd(9)}  ${client.clientId}${fields}\n${secretLines(madeSecret)}${warningLines(warnings)}`;
}
