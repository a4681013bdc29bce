/** The group `clients`, without the import. */

import { Option } from 'commander';
import { printable } from '../config/shown.ts';
import { CLIENT_FIELDS, toNames } from '../registration/client-metadata.ts';
import type { ClientChanged } from './administration/clients.ts';
import type { Cli } from './cli.ts';
import { FIELD_OPTIONS, type FieldOptions, recordOf } from './client-options.ts';
import { clientDocument, clientRows, fetchedRows, fields } from './client-words.ts';
import { clientsImportCommand } from './clients-import.ts';
import type { Command } from './command.ts';
import { CommandRefused, noSuch } from './failure.ts';
import { json, secretLines, table, warningLines } from './output.ts';
import { withClients } from './reached.ts';
import { each } from './repeated-option.ts';

type CreateOptions = FieldOptions & { readonly json?: true };

function clientsCreateCommand(parent: Command, cli: Cli): void {
  const command = parent.command('create').description('register a client');
  for (const { option } of FIELD_OPTIONS) command.addOption(option);
  command
    .option('--public', 'Short for --auth-method none.')
    .option('--json', 'Print one JSON document.')
    .helpAfter(`
Without --id, the client gets a random client_id. A confidential client gets a random secret of 256 bits, printed once;
to use your own secret, set STATEHOUSE_CLIENT_SECRET.

Examples:
  statehouse clients create --id shop --name Shop --redirect-uri https://shop.example/callback \\
    --grant-type authorization_code --grant-type refresh_token
  statehouse clients create --id phone-app --public --application-type native --redirect-uri com.example.app:/callback
  statehouse clients create --id nightly-job --grant-type client_credentials --scope read`)
    .action(async (options: CreateOptions) => {
      const record = recordOf(options, cli.env);
      const done = await withClients(cli, ({ create }) => create(record));
      const { outcome, client, warnings } = done;
      if (options.json) return cli.output.print(json({ outcome, client: documentOf(done), warnings }));
      cli.output.print(`${outcome}\n  client_id      ${client.clientId}\n${madeLines(done)}`);
    });
}

const documentOf = ({ client, madeSecret }: ClientChanged) => ({
  ...toNames(client),
  ...(madeSecret !== null && { client_secret: madeSecret }),
});

const madeLines = ({ madeSecret, warnings }: ClientChanged): string => secretLines(madeSecret) + warningLines(warnings);

function clientsListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('all clients')
    .jsonOption()
    .helpAfter('\nExample:\n  statehouse clients list')
    .action(async (options: { json?: true }) => {
      const clients = await withClients(cli, ({ list }) => list());
      if (options.json) return cli.output.print(json({ clients: clients.map(clientDocument) }));
      if (clients.length === 0)
        return cli.output.print('No clients. To create one: statehouse clients create --help\n');
      const rows = clients.map((client) => [
        client.clientId,
        printable(client.clientName),
        client.tokenEndpointAuthMethod,
        client.grantTypes.join(' '),
      ]);
      cli.output.print(table([['CLIENT ID', 'NAME', 'AUTHENTICATES', 'GRANT TYPES'], ...rows]));
    });
}

function clientsShowCommand(parent: Command, cli: Cli): void {
  parent
    .command('show')
    .description('one client; its secrets are never shown')
    .argument('<client-id>')
    .option('--json', 'print one JSON document, with the names of RFC 7591')
    .helpAfter('\nExample:\n  statehouse clients show shop')
    .action(async (clientId: string, options: { json?: true }) => {
      const { client, keys } = await withClients(cli, async ({ find, keysOf }) => {
        const found = await find(clientId);
        return { client: found, keys: found && found.jwksUri !== null ? await keysOf(clientId) : null };
      });
      if (!client) throw noSuch('client', clientId);
      if (options.json) return cli.output.print(json({ ...clientDocument(client), ...(keys && { fetched: keys }) }));
      cli.output.print(`${client.clientId}\n${fields([...clientRows(client), ...(keys ? fetchedRows(keys) : [])])}`);
    });
}

type UpdateOptions = FieldOptions & { readonly unset?: readonly string[]; readonly json?: true };

const ID = 'client_id';
const UNSETTABLE = CLIENT_FIELDS.map(({ name }) => name).filter((name) => name !== ID && name !== 'client_secret');

function clientsUpdateCommand(parent: Command, cli: Cli): void {
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
    .action(async (clientId: string, options: UpdateOptions) => {
      const given = recordOf(options, cli.env);
      const unset = options.unset ?? [];
      refuseUnknown(unset);
      const done = await withClients(cli, ({ update }) => update(clientId, given, unset));
      const { outcome, changed, client, warnings } = done;
      if (options.json) return cli.output.print(json({ outcome, changed, client: documentOf(done), warnings }));
      const fields = changed.length > 0 ? `  (${changed.join(', ')})` : '';
      cli.output.print(`${outcome.padEnd(9)}  ${client.clientId}${fields}\n${madeLines(done)}`);
    });
}

/** @throws CommandRefused */
function refuseUnknown(fields: readonly string[]): void {
  const unknown = fields.find((name) => !UNSETTABLE.some((field) => field === name));
  if (unknown === undefined) return;
  throw new CommandRefused(`--unset: Expected one of ${UNSETTABLE.join(', ')}, found "${printable(unknown)}".`);
}

type SecretOptions = { readonly keepPrevious?: true; readonly endPrevious?: true; readonly json?: true };

function clientsRotateSecretCommand(parent: Command, cli: Cli): void {
  parent
    .command('rotate-secret')
    .description('give a client a new secret; its previous secret stops working immediately')
    .argument('<client-id>')
    .addOption(new Option('--keep-previous', 'keep the previous secret beside the new one').conflicts('endPrevious'))
    .option('--end-previous', 'make no secret; remove the older of two')
    .jsonOption()
    .helpAfter(`
The new secret has 256 random bits and is printed once. Everything else about the client stays, its grants too. It also serves after
a new root secret was set, when the stored secret can no longer be checked.

Without an outage: --keep-previous, then give the client its new secret, then --end-previous.

Examples:
  statehouse clients rotate-secret shop
  statehouse clients rotate-secret shop --keep-previous
  statehouse clients rotate-secret shop --end-previous`)
    .action(async (clientId: string, options: SecretOptions) => {
      const words = await (options.endPrevious ? end(cli, clientId, options) : rotate(cli, clientId, options));
      cli.output.print(words);
    });
}

/** @throws CommandRefused */
async function rotate(cli: Cli, clientId: string, { keepPrevious, json: asJson }: SecretOptions): Promise<string> {
  const secret = await withClients(cli, ({ rotateSecret }) => rotateSecret(clientId, keepPrevious === true));
  if (asJson) return json({ client_id: clientId, outcome: 'rotated', client_secret: secret });
  const previous = keepPrevious ? 'The previous secret stays valid' : 'The previous secret is no longer valid';
  return (
    `rotated\n  client_id      ${clientId}\n  client_secret  ${secret}\n` +
    `  ${previous}. The new secret is not shown again: only a keyed hash of it is kept.\n`
  );
}

/** @throws CommandRefused */
async function end(cli: Cli, clientId: string, { json: asJson }: SecretOptions): Promise<string> {
  await withClients(cli, ({ endPreviousSecret }) => endPreviousSecret(clientId));
  if (asJson) return json({ client_id: clientId, outcome: 'ended' });
  return `ended      the previous secret of ${clientId}; the newer one stays valid\n`;
}

function clientsDeleteCommand(parent: Command, cli: Cli): void {
  parent
    .command('delete')
    .description('delete a client, and revoke its grants permanently')
    .argument('<client-id>')
    .jsonOption()
    .helpAfter(
      '\nA client created later with the same id does not get them back.\n\nExample:\n  statehouse clients delete shop',
    )
    .action(async (clientId: string, options: { json?: true }) => {
      await withClients(cli, ({ remove }) => remove(clientId));
      const words = `deleted    ${clientId}  (its refresh tokens and unused codes have ended)\n`;
      cli.output.print(options.json ? json({ client_id: clientId, outcome: 'deleted' }) : words);
    });
}

/** In the order of --help. */
export const CLIENT_COMMANDS = [
  clientsCreateCommand,
  clientsListCommand,
  clientsShowCommand,
  clientsUpdateCommand,
  clientsRotateSecretCommand,
  clientsDeleteCommand,
  clientsImportCommand,
] as const;
