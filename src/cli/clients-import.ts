import type { Command } from 'commander';
import { CLIENT_FIELDS } from '../registration/client-metadata.ts';
import type { Cli } from './cli.ts';
import { fields } from './client-words.ts';
import { importRecords } from './import-records.ts';
import { withClients } from './reached.ts';

export function clientsImportCommand(parent: Command, cli: Cli): void {
  parent
    .command('import')
    .description('create or replace clients from JSON')
    .argument('<file>', 'a JSON file, or "-" for standard input')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
An object, a list, or {"clients": [...]}, with the names of RFC 7591:
${fields(CLIENT_FIELDS.map(({ name, words }) => [name, words.description]))}
If any record is wrong, nothing is imported. Importing the same file again changes nothing; where the file has no secret, the
stored secret stays. The import writes one record at a time. A concurrent change to a client stops it at that record.

Examples:
  statehouse clients import clients.json
  echo '{"client_id": "shop", "redirect_uris": ["https://shop.example/callback"]}' | statehouse clients import -`,
    )
    .action((file: string, { json = false }: { json?: boolean }) =>
      importRecords(cli, { kind: 'clients', idField: 'client_id' }, { reach: withClients, file, asJson: json }),
    );
}
