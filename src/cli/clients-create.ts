import type { Command } from 'commander';
import type { Runtime } from '../boot/runtime.ts';
import { readClientMetadata, toNames } from '../registration/client-metadata.ts';
import { describeRecordProblem } from '../registration/record-problem.ts';
import { applyClientPlan, type ClientPlan, planClient } from '../registration/register-client.ts';
import { type Cli, refuseDeclared, registrationDeps, withRuntime } from './cli.ts';
import { CommandRefused } from './failure.ts';
import { json, warningLines } from './output.ts';
import { each } from './repeated-option.ts';

type Options = {
  readonly id?: string;
  readonly name?: string;
  readonly redirectUri?: string[];
  readonly grantType?: string[];
  readonly authMethod?: string;
  readonly public?: true;
  readonly applicationType?: string;
  readonly scope?: string;
  readonly defaultScope?: string;
  readonly defaultResource?: string;
  readonly policy?: string;
  readonly postLogoutRedirectUri?: string[];
  readonly idTokenAlg?: string;
  readonly json?: true;
};

export function clientsCreateCommand(parent: Command, cli: Cli): void {
  parent
    .command('create')
    .description('register a client')
    .option('--id <id>', 'client_id (default: a random one)')
    .option('--name <name>', 'client_name, shown at consent (default: the id)')
    .option('--redirect-uri <uri>', 'compared exactly; repeat it for several', each)
    .option(
      '--grant-type <type>',
      'authorization_code (the default), refresh_token, client_credentials; repeat it',
      each,
    )
    .option('--auth-method <method>', 'client_secret_basic (the default), client_secret_post or none')
    .option('--public', 'an app that cannot keep a secret: --auth-method none')
    .option('--application-type <type>', 'web (the default) or native')
    .option('--scope <scopes>', 'the most it may ask for, separated by spaces (default: all scopes)')
    .option('--default-scope <scopes>', 'what it gets when it asks for none')
    .option('--default-resource <uri>', 'the resource meant when it names none')
    .option('--policy <name>', 'the policy file that gives its lifetimes (default: default)')
    .option(
      '--post-logout-redirect-uri <uri>',
      'where the browser may go after a sign-out; repeat it for several',
      each,
    )
    .option('--id-token-alg <alg>', 'RS256 (the default), ES256 or EdDSA: how its ID Tokens are signed')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
A confidential client gets a made secret of 256 bits, printed once. To bring your own, set STATEHOUSE_CLIENT_SECRET.

Examples:
  statehouse clients create --id shop --name Shop --redirect-uri https://shop.example/callback \\
    --grant-type authorization_code --grant-type refresh_token
  statehouse clients create --id phone-app --public --application-type native --redirect-uri com.example.app:/callback
  statehouse clients create --id nightly-job --grant-type client_credentials --scope read`,
    )
    .action((options: Options) => withRuntime(cli, (runtime) => create(cli, runtime, options)));
}

async function create(cli: Cli, runtime: Runtime, options: Options): Promise<void> {
  const reading = readClientMetadata(recordOf(options, cli.env), runtime.configuration);
  if (!reading.ok) {
    const problems = reading.problems.map((one) => `  ${describeRecordProblem(one)}`).join('\n');
    throw new CommandRefused(`The client is refused; nothing was changed.\n${problems}`);
  }
  if (reading.value.clientId !== null) refuseDeclared(runtime, reading.value.clientId);
  const deps = registrationDeps(runtime);
  const plan = await planClient(deps, reading.value);
  // Creating twice is no harm; replacing what somebody else made would be.
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
  if (options.public && options.authMethod !== undefined && options.authMethod !== 'none') {
    throw new CommandRefused('--public means --auth-method none; leave one of the two out.');
  }
  const record = {
    client_id: options.id,
    // Byte for byte: spaces may be part of it.
    client_secret: env['STATEHOUSE_CLIENT_SECRET'] || undefined,
    client_name: options.name,
    redirect_uris: options.redirectUri,
    grant_types: options.grantType,
    token_endpoint_auth_method: options.public ? 'none' : options.authMethod,
    application_type: options.applicationType,
    scope: options.scope,
    default_scope: options.defaultScope,
    default_resource: options.defaultResource,
    policy: options.policy,
    post_logout_redirect_uris: options.postLogoutRedirectUri,
    id_token_signed_response_alg: options.idTokenAlg,
  };
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
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
