import { Option } from 'commander';
import type { ClaimsPolicy } from '../../policies/claims-schema.ts';
import { DEVIATION } from '../../policies/profiles.ts';
import type { Policy, SigningKeyPolicy } from '../../policies/schema.ts';
import { CLIENTS_FILE, type Configuration, isDeclared, type NamedPolicy } from '../config/configuration.ts';
import { configurationWarnings, environmentWarnings, withoutMail } from '../config/configuration-warnings.ts';
import { readEnvironment } from '../config/environment.ts';
import { keyLifetimes } from '../config/key-lifetimes.ts';
import { loadConfiguration, loadPolicy } from '../config/load.ts';
import { requireNamedSecrets } from '../config/named-secrets.ts';
import { SMTP_URL_NAME } from '../config/smtp.ts';
import { requireWebhookSecrets } from '../config/webhook-secrets.ts';
import { readDeclaredClients } from '../registration/declared-clients.ts';
import { introspectorWarnings } from '../registration/unknown-names.ts';
import type { Bounds } from '../review/proof/walk.ts';
import { boundsOf } from './bounds.ts';
import type { Cli } from './cli.ts';
import { authenticationWords, clientDocument, fields, scopeWords } from './client-words.ts';
import type { Command } from './command.ts';
import { inWords, minute } from './durations.ts';
import { type EffectivePolicy, exampleChain, ofDeclared, ofStored } from './effective-policy.ts';
import { CommandRefused } from './failure.ts';
import { wordsFor } from './failure-words.ts';
import { defaultEntriesWords } from './ledger-words.ts';
import { nobodyWarning, operatorRows, operatorWarnings, usernamesIn } from './operator-words.ts';
import { json, warningLines } from './output.ts';
import type { ProofReport } from './proofs.ts';
import { rootSecretDocument, rootSecretRows, rootSecretWarnings } from './root-secret-words.ts';
import { sharedAddressWarnings } from './shared-address-words.ts';
import { rootKeysIfMade, storedClients } from './stored-clients.ts';
import { placesText } from './upstream-words.ts';

export function checkCommand(parent: Command, cli: Cli): void {
  parent
    .command('check')
    .description('check environment and configuration; show the effective policy of each client')
    .option('--proof', 'also run the model check of the machines under each policy; takes minutes on a slow machine')
    .option('--policy <file>', 'run only the model check, under the policy of this file')
    .option(
      '--bounds <numbers...>',
      'run the model check with these bounds (requests,in flight,faults), such as 5,3,2',
      boundsOf,
    )
    // The default since the proof has an option of its own; accepted as before.
    .addOption(new Option('--no-proof').hideHelp())
    .jsonOption()
    .helpAfter(`
Changes nothing. Without a readable database, it checks only the configuration and says so.
Exit status 1 when something is wrong; warnings alone are 0.

With --proof, --policy or --bounds comes the proof, for CI and after a change of a machine. It walks every order of events within its bounds, with the machines and the engine that serve requests and a store
that keeps the same contract as Postgres: concurrent requests, each split into load, decide, commit and answer;
thieves; crashes; lost answers; time around every end; revocations, epochs, backups. A violation comes with its shortest trace.
Codes, refresh tokens and grants are walked under each policy; every other machine once, for all of them.

Examples:
  statehouse check
  statehouse check --proof
  statehouse check --policy policies/browser-app.policy.yaml --bounds 5,3,1
  STATEHOUSE_CONFIG=./policies statehouse check --json`)
    .action(async (options: Options) => {
      const report = options.policy === undefined ? await check(cli) : NOTHING_CHECKED;
      const proofs = wantsProof(options) ? await proofsOf(options, report) : null;
      cli.output.print(
        options.json ? asDocument(report, proofs) : asText(report) + (proofs?.text ?? withoutProof(report)),
      );
      const wrong = [...errorsIn(report), ...(proofs?.broken ?? [])];
      if (wrong.length > 0) throw new CommandRefused(wrong.join('\n'));
    });
}

type Options = {
  readonly policy?: string;
  readonly bounds?: readonly Bounds[];
  readonly proof?: boolean;
  readonly json?: true;
};

const wantsProof = ({ proof, policy, bounds }: Options): boolean =>
  proof ?? (policy !== undefined || bounds !== undefined);

async function proofsOf(options: Options, report: Report): Promise<ProofReport> {
  const policies = policiesOf(options, report);
  const { proveEverything, provePolicies } = await import('./proofs.ts');
  return options.policy === undefined
    ? proveEverything(policies, options.bounds)
    : provePolicies(policies, options.bounds);
}

const withoutProof = ({ configuration }: Report): string =>
  configuration === null ? '' : '\nThe machines were not proved: statehouse check --proof does that.\n';

/** @throws ConfigurationError when the file is not a policy. */
function policiesOf({ policy }: Options, { configuration }: Report): readonly NamedPolicy[] {
  if (policy !== undefined) return [loadPolicy(policy)];
  return [...(configuration?.policies ?? [])].map(([name, found]) => ({ name, ...found }));
}

type Report = {
  /** Null: refused; `errors` says why. */
  readonly configuration: Configuration | null;
  readonly clients: readonly EffectivePolicy[];
  /** The username of the operator whom a set-up made; null: none. */
  readonly operatorBySetUp: string | null;
  /** Rows that still need an older root secret. */
  readonly rootSecrets: {
    readonly rows: readonly (readonly [string, readonly string[]])[];
    readonly document: readonly unknown[];
  };
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
};

async function check({ env }: Cli): Promise<Report> {
  try {
    const environment = readEnvironment(env);
    const configuration = loadConfiguration(environment.configFolder, environment.issuer);
    const keys = rootKeysIfMade(environment);
    const { operators } = configuration;
    const { clientCertificates } = environment;
    const stored = await storedClients(environment, env, usernamesIn(operators), keys);
    const { variables } = stored;
    const declared = readDeclaredClients(configuration, variables, environment.configFolder, environment.production);
    requireNamedSecrets(configuration, variables, environment.configFolder);
    requireWebhookSecrets(configuration, variables, environment.configFolder);
    const { clients, declaredIds, usernames, withoutFactor, ignoredRows, needs, ledgerDefaultEntries, missing } =
      stored;
    // The next start takes over a stored client that configuration declares.
    const others = clients.filter(({ clientId }) => !isDeclared(configuration, clientId));
    const removed = declaredIds.filter((id) => !isDeclared(configuration, id));
    return {
      configuration,
      operatorBySetUp: stored.operatorBySetUp,
      clients: [
        ...declared.map((client) => ofDeclared(client, configuration, clientCertificates)),
        ...others.map((client) => ofStored(client, configuration, keys, clientCertificates)),
      ],
      rootSecrets:
        keys === null ? NO_NEEDS : { rows: rootSecretRows(needs, keys), document: rootSecretDocument(needs, keys) },
      errors: [],
      warnings: [
        ...environmentWarnings(environment),
        ...configurationWarnings(configuration),
        ...(variables[SMTP_URL_NAME] === undefined ? withoutMail(environment, configuration) : []),
        ...(environment.production ? nobodyWarning(operators, stored) : []),
        ...operatorWarnings(operators, {
          usernames,
          withoutFactor,
          clients: [...declared.map(({ metadata }) => metadata), ...others],
        }),
        ...(missing === null
          ? introspectorWarnings(configuration, [...declared.map(({ metadata }) => metadata), ...others])
          : []),
        ...removed.map((id) => `client ${id}: no longer in ${CLIENTS_FILE}; the next start or reload ends its grants`),
        ...sharedAddressWarnings(configuration.signIn, stored.sharedAddresses),
        ...ignoredWarnings(ignoredRows),
        ...(keys === null ? [] : rootSecretWarnings(needs, keys)),
        ...defaultEntriesWarnings(ledgerDefaultEntries),
        ...(missing === null ? [] : [missing]),
      ],
    };
  } catch (error) {
    return { ...NOTHING_CHECKED, errors: [wordsFor(error, env).trim()] };
  }
}

const ignoredWarnings = (rows: Readonly<Record<string, number>>): string[] =>
  Object.entries(rows).flatMap(([table, count]) =>
    count === 0
      ? []
      : [
          `${count} ${count === 1 ? 'row' : 'rows'} of ${table} without a MAC of a root secret that is listed: the server ignores what was not ` +
            'stored by itself (docs/deploying.md, "Rows that authenticate themselves")',
        ],
  );

const NO_NEEDS: Report['rootSecrets'] = { rows: [], document: [] };
const NOTHING_CHECKED: Report = {
  configuration: null,
  clients: [],
  operatorBySetUp: null,
  rootSecrets: NO_NEEDS,
  errors: [],
  warnings: [],
};
const defaultEntriesWarnings = (entries: number): string[] => (entries === 0 ? [] : [defaultEntriesWords(entries)]);

const errorsIn = ({ errors, clients }: Report): string[] => [
  ...errors,
  ...clients.flatMap(({ client, errors }) => errors.map((error) => `client ${client.clientId}: ${error}`)),
];

function asText({ configuration, clients, operatorBySetUp, rootSecrets, warnings }: Report): string {
  if (!configuration) return '';
  const policies = [...configuration.policies].map(
    ([name, policy]) => `policy ${name}\n${fields([...lifetimes(policy), ...profileRows(policy)])}`,
  );
  const general = warnings.map((warning) => `warning: ${warning}\n`).join('');
  const keys = `signing keys\n${fields(keyRows(configuration.signingKeys))}`;
  const elsewhere = placesText(configuration);
  const { scopes } = configuration.claims;
  const claims = scopes.length === 0 ? [] : [`claims\n${fields(claimRows(configuration.claims))}`];
  const roles = operatorRows(configuration.operators, operatorBySetUp);
  const administrators = roles.length === 0 ? [] : [`administration\n${fields(roles)}`];
  return [
    ...policies,
    keys,
    ...claims,
    ...administrators,
    ...(elsewhere === '' ? [] : [elsewhere]),
    ...clients.map(clientText),
    ...(rootSecrets.rows.length === 0 ? [] : [`older root secrets\n${fields(rootSecrets.rows)}`]),
    ...(general ? [general] : []),
  ].join('\n');
}

function lifetimes(policy: Policy): [string, string][] {
  return [
    ['access token', inWords(policy.accessTokenLifetimeSeconds)],
    ['authorization code', inWords(policy.authorizationCodeLifetimeSeconds)],
    [
      'refresh token',
      `ends ${inWords(policy.refreshIdleLifetimeSeconds)} after its last use, ` +
        `and ${inWords(policy.refreshAbsoluteLifetimeSeconds)} after the approval in any case`,
    ],
  ];
}

/** The departure stands beside the profile, so that no reader of the output takes one without the other. */
const profileRows = ({ profile }: Policy): [string, string[]][] =>
  profile === undefined ? [] : [['profile', [profile, `departs from it: ${DEVIATION}`]]];

/** Whether the client keeps the profile, and each rule that it breaks. */
function keptRows({ profile, policy }: EffectivePolicy): [string, string[]][] {
  if (profile === null) return [];
  const { name, broken } = profile;
  if (broken.length === 0)
    return [
      ['profile', [`${name}: kept${policy?.profile === undefined ? ', though its policy does not ask for it' : ''}`]],
    ];
  const rules = broken.map(({ field, found, expected }) => `${field}: found ${found}, expected ${expected}`);
  return [['profile', [`${name}: not kept`, ...rules]]];
}

/** By scope: the released claims, and where. */
const claimRows = ({ scopes }: ClaimsPolicy): [string, string[]][] =>
  scopes.map(({ name, claims }) => [name, claims.map((claim) => `${claim.name} in ${claim.in.join(', ')}`)]);

function keyRows(policy: SigningKeyPolicy): [string, string][] {
  return [
    ['algorithms', policy.algorithms.join(', ')],
    ['published', `${inWords(policy.publishedBeforeSigningSeconds)} before it signs`],
    ['signing', inWords(policy.signingLifetimeSeconds)],
    ['retiring', `${inWords(keyLifetimes(policy).retiringSeconds)}: until the last token that it signed has expired`],
    ['JWKS', `may be cached for ${inWords(policy.jwksMaxAgeSeconds)}`],
  ];
}

function exampleRow(effective: EffectivePolicy): [string, string][] {
  const chain = exampleChain(effective, new Date());
  if (chain === null) return [];
  return [
    ['signed in today', `an idle chain ends ${minute(chain.idle)}, a used one at the latest ${minute(chain.used)}`],
  ];
}

function clientText(effective: EffectivePolicy): string {
  const { client, declared, policy, accessTokens, warnings, errors } = effective;
  const refreshes = client.grantTypes.includes('refresh_token');
  const usesCode = client.grantTypes.includes('authorization_code');
  const own = policy === null ? [] : lifetimes(policy).filter(([name]) => name !== 'access token');
  const rows = fields([
    ['registered', declared ? `in ${CLIENTS_FILE}` : 'in the database'],
    ['policy', policy === null ? `${client.policy} (no such file)` : client.policy],
    ...(policy === null
      ? []
      : [
          [
            'access token',
            accessTokens.map(
              ({ resource, seconds, algorithm }) => `${inWords(seconds)} for ${resource}, signed with ${algorithm}`,
            ),
          ] as const,
        ]),
    ...own.filter(([name]) => (name === 'refresh token' ? refreshes && usesCode : usesCode)),
    ...(usesCode ? exampleRow(effective) : []),
    ...keptRows(effective),
    ['grant types', client.grantTypes.join(', ')],
    ['authenticates', authenticationWords(client)],
    ['redirect URIs', client.redirectUris],
    ['scopes', scopeWords(client.scope)],
  ]);
  const wrong = errors.map((error) => `  error: ${error}\n`).join('');
  return `client ${client.clientId} (${client.clientName})\n${rows}${wrong}${warningLines(warnings)}`;
}

function asDocument(report: Report, proofs: ProofReport | null): string {
  const { configuration, clients, rootSecrets, warnings, errors } = report;
  return json({
    ok: errorsIn(report).length === 0 && (proofs?.holds ?? true),
    policies: Object.fromEntries(configuration?.policies ?? []),
    resources: configuration?.resources ?? [],
    claims: configuration?.claims.scopes ?? [],
    signing_keys: configuration?.signingKeys ?? null,
    operators: configuration?.operators ?? null,
    operator_by_set_up: report.operatorBySetUp,
    upstreams: configuration?.upstreams ?? [],
    delegated_sign_in: configuration?.delegatedSignIn ?? null,
    clients: clients.map((effective) => ({
      ...clientDocument(effective.client),
      declared: effective.declared,
      lifetimes: effective.policy,
      access_tokens: effective.accessTokens,
      profile: effective.profile,
      chain_signed_in_now: exampleChain(effective, new Date()),
      warnings: effective.warnings,
      errors: effective.errors,
    })),
    older_root_secrets: rootSecrets.document,
    proved: proofs !== null,
    proofs: proofs?.ofPolicies ?? [],
    proofs_for_every_policy: proofs?.forEveryPolicy ?? [],
    warnings,
    errors,
  });
}
