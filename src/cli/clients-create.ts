import type { Command } from 'commander';
import type { Runtime } from '../boot/runtime.ts';
import { readClientMetadata, toNames } from '../registration/client-metadata.ts';
import { applyClientPlan, type ClientPlan, planClient } from '../registration/register-client.ts';
import { accepted } from './accepted.ts';
import { type Cli, refuseDeclared, registrationDeps, withRuntime } from './cli.ts';
import { FIELD_OPTIONS, type FieldOptions, recordOf } from './client-options.ts';
import { CommandRefused } from './failure.ts';
import { json, secretLines, warningLines } from './output.ts';

type Options = FieldOptions & { readonly json?: true };

export function clientsCreateCommand(parent: Command, cli: Cli): void {
  const command = parent.command('create').description('register a client');
  for (const { option } of FIELD_OPTIONS) command.addOption(option);
  command
    .option('--public', 'Short for --auth-method none.')
    .option('--json', 'Print one JSON document.')
    .addHelpText(
      'after',
      `
Without --id, the client gets a random client_id. A confidential client gets a random secret of 256 bits, printed once;
to use your own secret, set STATEHOUSE_CLIENT_SECRET.

Examples:
  statehouse clients create --id shop --name Shop --redirect-uri https://shop.example/callback \\
    --grant-type authorization_code --grant-type refresh_token
  statehouse clients create --id phone-app --public --application-type native --redirect-uri com.example.app:/callback
  statehouse clients create --id nightly-job --grant-type client_credentials --scope read`,
    )
    .action((options: Options) => withRuntime(cli, (runtime) => create(cli, runtime, options)));
}

async function create(cli: Cli, runtime: Runtime, options: Options): Promise<void> {
  const { configuration, environment } = runtime;
  const reading = accepted(
    'client',
    readClientMetadata(recordOf(options, cli.env), configuration, environment.production),
  );
  if (reading.value.clientId !== null) refuseDeclared(runtime, reading.value.clientId);
  const deps = registrationDeps(runtime);
  const plan = await planClient(deps, reading.value);
  // Creating the same client twice does no harm; replacing another registration could.
  if (plan.outcome === 'updated') {
    throw new CommandRefused(
      `A client with this id exists, and differs in ${plan.changed.join(', ')}; nothing was changed. ` +
        'To replace it: statehouse clients import',
    );
  }
  await applyClientPlan(deps, plan);
  cli.output.print(options.json ? asDocument(plan, reading.warnings) : asText(plan, reading.warnings));
}

function asDocument({ outcome, registration, madeSecret }: ClientPlan, warnings: readonly string[]): string {
  const secret = madeSecret === null ? {} : { client_secret: madeSecret };
  return json({ outcome, client: { ...toNames(registration), ...secret }, warnings });
}

function asText({ outcome, registration, madeSecret }: ClientPlan, warnings: readonly string[]): string {
  return `${outcome}\n  client_id      ${registration.clientId}\n${secretLines(madeSecret)}${warningLines(warnings)}`;
}
