import { type Command, Option } from 'commander';
import type { Runtime } from '../boot/runtime.ts';
import { describeRecordProblem } from '../config/problem.ts';
import { oneOf } from '../config/shown.ts';
import { CLIENT_FIELDS, readClientMetadata, toNames } from '../registration/client-metadata.ts';
import { applyClientPlan, type ClientPlan, planClient } from '../registration/register-client.ts';
import { type Cli, refuseDeclared, registrationDeps, withRuntime } from './cli.ts';
import { CommandRefused } from './failure.ts';
import { json, warningLines } from './output.ts';
import { each } from './repeated-option.ts';

type Options = { readonly public?: true; readonly json?: true } & Readonly<Record<string, unknown>>;

/** An option for each field of the schema that can be an argument. A secret cannot. */
const FIELD_OPTIONS = CLIENT_FIELDS.flatMap(({ name, words, isList, choices }) => {
  if (words.option === undefined) return [];
  const help = [
    words.description,
    ...(choices.length > 0 ? [`Expects ${oneOf(choices)}.`] : []),
    ...(isList ? ['Repeat it for several.'] : []),
  ];
  const option = new Option(words.option, help.join(' '));
  return [{ name, option: isList ? option.argParser(each) : option }];
});

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
  const reading = readClientMetadata(recordOf(options, cli.env), configuration, environment.production);
  if (!reading.ok) {
    const problems = reading.problems.map((problem) => `  ${describeRecordProblem(problem)}`).join('\n');
    throw new CommandRefused(`The client is refused; nothing was changed.\n${problems}`);
  }
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

function recordOf(options: Options, env: NodeJS.ProcessEnv): Record<string, unknown> {
  if (options.public && options['authMethod'] !== undefined && options['authMethod'] !== 'none') {
    throw new CommandRefused('--public means --auth-method none; leave out one of them.');
  }
  const given = FIELD_OPTIONS.map(({ name, option }) => [name, options[option.attributeName()]]);
  return {
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    ...(options.public && { token_endpoint_auth_method: 'none' }),
    // Byte for byte: spaces may be part of the secret.
    ...(env['STATEHOUSE_CLIENT_SECRET'] && { client_secret: env['STATEHOUSE_CLIENT_SECRET'] }),
  };
}

function asDocument({ outcome, registration, madeSecret }: ClientPlan, warnings: readonly string[]): string {
  const secret = madeSecret === null ? {} : { client_secret: madeSecret };
  return json({ outcome, client: { ...toNames(registration), ...secret }, warnings });
}

function asText({ outcome, registration, madeSecret }: ClientPlan, warnings: readonly string[]): string {
  const secret =
    madeSecret === null
      ? ''
      : `  client_secret  ${madeSecret}\n  The secret is not shown again: only a keyed hash of it is kept.\n`;
  return `${outcome}\n  client_id      ${registration.clientId}\n${secret}${warningLines(warnings)}`;
}
