import { Option } from 'commander';
import { shown } from '../config/shown.ts';
import { CLIENT_FIELDS } from '../registration/client-metadata.ts';
import { CLIENT_SOURCES, type ConvertedClient } from '../registration/sources/clients.ts';
import type { Cli } from './cli.ts';
import { fields } from './client-words.ts';
import type { Command } from './command.ts';
import { CommandRefused } from './failure.ts';
import { asLines, type Imported } from './import-records.ts';
import { json } from './output.ts';
import { withClients } from './reached.ts';
import { readDocument, readRecords } from './records-file.ts';

type Options = { readonly json?: boolean; readonly from?: string; readonly dryRun?: boolean };

export function clientsImportCommand(parent: Command, cli: Cli): void {
  parent
    .command('import')
    .description('create or replace clients from JSON, or from the export of another system')
    .argument('<file>', 'a JSON file, or "-" for standard input')
    .addOption(
      new Option('--from <system>', 'the export of another system, unchanged').choices(
        CLIENT_SOURCES.map(({ name }) => name),
      ),
    )
    .option('--dry-run', 'with --from: print the clients and the parts that stay behind; change nothing')
    .jsonOption()
    .helpAfter(`
An object, a list, or {"clients": [...]}, with the names of RFC 7591:
${fields(CLIENT_FIELDS.map(({ name, words }) => [name, words.description]))}
If any record is wrong, nothing is imported. Importing the same file again changes nothing; where the file has no secret, the
stored secret stays. The import writes one record at a time. A concurrent change to a client stops it at that record.

With --from, the command reads the export of another system, and lists on standard error what cannot be carried over:
${CLIENT_SOURCES.map(({ name, file }) => `  ${name.padEnd(13)} ${file}\n`).join('')}
Examples:
  statehouse clients import clients.json
  statehouse clients import --from keycloak realm.json --dry-run
  echo '{"client_id": "shop", "redirect_uris": ["https://shop.example/callback"]}' | statehouse clients import -`)
    .action(async (file: string, { json: asJson = false, from, dryRun = false }: Options) => {
      const source = CLIENT_SOURCES.find(({ name }) => name === from);
      // Read before the database is opened, so that a wrong file does not occupy the embedded database.
      if (source === undefined) return importAll(cli, await readRecords(cli.input, file, 'clients'), asJson);
      const converted = source.clientsIn(await readDocument(cli.input, file, 'clients'));
      cli.output.complain(leftOutLines(converted));
      const records = converted.filter(({ skipped }) => skipped === null).map(({ record }) => record);
      if (dryRun)
        return cli.output.print(asJson ? json({ clients: records.map(withoutSecret) }) : listLines(converted));
      return importAll(cli, records, asJson);
    });
}

async function importAll(cli: Cli, records: readonly unknown[], asJson: boolean): Promise<void> {
  const { done, stopped } = await withClients(cli, (clients) => clients.import(records));
  // Also before it says why it stopped: secrets that were made are shown now or never.
  if (stopped === null || done.length > 0)
    cli.output.print(asJson ? json({ clients: done.map(documentOf) }) : asLines('clients', done));
  if (stopped !== null) throw new CommandRefused(stopped);
}

const documentOf = ({ name, outcome, changed, made, warnings }: Imported): object => ({
  client_id: name,
  outcome,
  changed,
  ...made,
  warnings,
});

const withoutSecret = ({ client_secret: secret, ...record }: ConvertedClient['record']): object => ({
  ...record,
  ...(secret !== undefined && { client_secret: '(not shown)' }),
});

const listLines = (converted: readonly ConvertedClient[]): string => {
  const names = converted.filter(({ skipped }) => skipped === null).map(({ name }) => `  ${shown(name)}\n`);
  return `Dry run: nothing was changed. ${names.length} clients would be imported:\n${names.join('')}`;
};

/** The clients that do not come, and the parts of the others. */
function leftOutLines(converted: readonly ConvertedClient[]): string {
  const lines = converted.flatMap(({ name, skipped, leftOut }) =>
    skipped === null
      ? leftOut.map((words) => `  ${shown(name)}: ${words}\n`)
      : [`  ${shown(name)} does not come: ${skipped}\n`],
  );
  return lines.length === 0 ? '' : `Not carried over:\n${lines.join('')}`;
}
