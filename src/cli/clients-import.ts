import type { Command } from 'commander';
import type { Runtime } from '../boot/runtime.ts';
import { CLIENTS_FILE } from '../config/configuration.ts';
import { CLIENT_FIELDS, type ReadClient, readClientMetadata } from '../registration/client-metadata.ts';
import { problem, type Reading } from '../registration/record-problem.ts';
import { applyClientPlan, ClientIdIsSub, type ClientPlan, planClient } from '../registration/register-client.ts';
import { type Cli, isDeclared, registrationDeps } from './cli.ts';
import { fields } from './client-words.ts';
import { type Importing, importRecords } from './import-records.ts';

type NamedClient = ReadClient & { readonly clientId: string };

const importing: Importing<NamedClient, ClientPlan> = {
  kind: 'clients',
  idField: 'client_id',
  read: readNamedClient,
  keyOf: (client) => client.clientId,
  plan: (runtime, client) => planClient(registrationDeps(runtime), client),
  apply: (runtime, plan) => applyClientPlan(registrationDeps(runtime), plan),
  nameOf: (plan) => plan.registration.clientId,
  warningsOf: () => [],
  made: ({ madeSecret }) => (madeSecret === null ? {} : { client_secret: madeSecret }),
  wordsOf: (error) => (error instanceof ClientIdIsSub ? error.message : null),
};

function readNamedClient(input: unknown, { configuration, environment }: Runtime): Reading<NamedClient> {
  const reading = readClientMetadata(input, configuration, environment.production);
  if (!reading.ok) return reading;
  const { clientId } = reading.value;
  if (clientId !== null && isDeclared(configuration, clientId)) {
    const allowed = `a client that ${CLIENTS_FILE} does not declare (it is changed there)`;
    return { ok: false, problems: [problem('client_id', 'a declared client', allowed)] };
  }
  if (clientId !== null) return { ...reading, value: { ...reading.value, clientId } };
  // With a generated id, each import of the same file would create another client.
  const allowed = 'an id, so that the import can be repeated';
  return { ok: false, problems: [problem('client_id', 'nothing', allowed)] };
}

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
stored secret stays.

Examples:
  statehouse clients import clients.json
  echo '{"client_id": "shop", "redirect_uris": ["https://shop.example/callback"]}' | statehouse clients import -`,
    )
    .action((file: string, options: { json?: true }) => importRecords(cli, importing, file, options.json === true));
}
