import { toNames } from '../registration/client-metadata.ts';
import type { ClientChanged } from './administration/clients.ts';
import type { Cli } from './cli.ts';
import { FIELD_OPTIONS, type FieldOptions, recordOf } from './client-options.ts';
import type { Command } from './command.ts';
import { json, secretLines, warningLines } from './output.ts';
import { withClients } from './reached.ts';

type Options = FieldOptions & { readonly json?: true };

export function clientsCreateCommand(parent: Command, cli: Cli): void {
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
    .action(async (options: Options) => {
      const record = recordOf(options, cli.env);
      const done = await withClients(cli, ({ create }) => create(record));
      cli.output.print(options.json ? asDocument(done) : asText(done));
    });
}

function asDocument({ outcome, client, madeSecret, warnings }: ClientChanged): string {
  const secret = madeSecret === null ? {} : { client_secret: madeSecret };
  return json({ outcome, client: { ...toNames(client), ...secret }, warnings });
}

function asText({ outcome, client, madeSecret, warnings }: ClientChanged): string {
  return `${outcome}\n  client_id      ${client.clientId}\n${secretLines(madeSecret)}${warningLines(warnings)}`;
}
