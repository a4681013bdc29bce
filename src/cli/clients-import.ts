import type { Command } from 'commander';
import type { Runtime } from '../boot/runtime.ts';
import { CLIENTS_FILE } from '../config/configuration.ts';
import { type ClientMetadata, readClientMetadata } from '../registration/client-metadata.ts';
import type { Reading } from '../registration/record-problem.ts';
import { applyClientPlan, type ClientPlan, planClient } from '../registration/register-client.ts';
import { type Cli, isDeclared, registrationDeps } from './cli.ts';
import { type Importing, importRecords } from './import-records.ts';

type NamedClient = ClientMetadata & { readonly clientId: string };

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
  wordsOf: () => null,
};

function readNamedClient(input: unknown, { configuration }: Runtime): Reading<NamedClient> {
  const reading = readClientMetadata(input, configuration);
  if (!reading.ok) return reading;
  const { clientId } = reading.value;
  if (clientId !== null && isDeclared(configuration, clientId)) {
    const allowed = `a client that ${CLIENTS_FILE} does not declare; change this one there`;
    return { ok: false, problems: [{ field: 'client_id', found: 'a declared client', allowed }] };
  }
  if (clientId !== null) return { ...reading, value: { ...reading.value, clientId } };
  // An id made here would make another client at each import of the same file.
  const allowed = '1 to 255 characters of %x20-7E; an import needs it, so that it can be repeated';
  return { ok: false, problems: [{ field: 'client_id', found: 'nothing', allowed }] };
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
An object, a list, or {"clients": [...]}, with the names of RFC 7591: client_id, client_secret, client_name, redirect_uris,
grant_types, token_endpoint_auth_method, application_type, scope, post_logout_redirect_uris, id_token_signed_response_alg;
and default_scope, default_resource, policy.
One wrong record refuses the file. The same file again changes nothing; a stored secret stays where the file has none.

Examples:
  statehouse clients import clients.json
  echo '{"client_id": "shop", "redirect_uris": ["https://shop.example/callback"]}' | statehouse clients import -`,
    )
    .action((file: string, options: { json?: true }) => importRecords(cli, importing, file, options.json === true));
}
