/** The secrets that configuration names, which are in the environment, in files or in rows. No value is ever printed. */
import { BOT_CHECK_FILE, CLIENTS_FILE, type Configuration, UPSTREAMS_FILE, WEBHOOKS_FILE } from './configuration.ts';
import { ConfigurationError, problemOf } from './problem.ts';
import { readSecretVariable, secretExpected, secretVariable, type Variables } from './secret-variable.ts';
import { readSmtp, SMTP_URL_NAME } from './smtp.ts';
import { readWebhookSecrets, WEBHOOK_SECRET } from './webhook-secrets.ts';

type Naming = Pick<Configuration, 'upstreams' | 'botCheck'>;

/** A variable, and the place that names it. */
type Named = { readonly file: string; readonly key: string; readonly name: string };

const namedIn = ({ upstreams, botCheck }: Naming): readonly Named[] => [
  ...upstreams.flatMap(({ client_secret_environment: name }, at) =>
    name === undefined ? [] : [{ file: UPSTREAMS_FILE, key: `upstreams.${at}.client_secret_environment`, name }],
  ),
  ...(botCheck === null ? [] : [{ file: BOT_CHECK_FILE, key: 'secretEnvironment', name: botCheck.secretEnvironment }]),
];

/** @throws EnvironmentError for a file that cannot be read. @throws ConfigurationError naming every variable that is not set. */
export function requireNamedSecrets(configuration: Naming, environment: Variables, folder: string): void {
  const problems = namedIn(configuration)
    .filter(({ name }) => !secretVariable(environment, name))
    .map(({ file, key, name }) => problemOf(file, key, `${name}, which is not set`, secretExpected(name)));
  if (problems.length > 0) throw new ConfigurationError(folder, problems);
}

/** `file` and `key`: null where the server itself reads the secret. */
export type SecretUse = { readonly file: string | null; readonly key: string | null };

/** The uses of each secret, by its name. The mail server's URL is always among them: it may be set at any time. */
export function usesOfSecrets(
  configuration: Naming & Pick<Configuration, 'webhooks' | 'declaredClients'>,
): ReadonlyMap<string, readonly SecretUse[]> {
  const named: Named[] = [
    ...namedIn(configuration),
    ...configuration.webhooks.receivers.flatMap(({ secretEnvironment: name }, at) =>
      name === undefined ? [] : [{ file: WEBHOOKS_FILE, key: `receivers.${at}.secretEnvironment`, name }],
    ),
    ...configuration.declaredClients.flatMap(({ path, record: { client_secret_environment: names = [] } }) =>
      names.map((name) => ({ file: CLIENTS_FILE, key: `${path}.client_secret_environment`, name })),
    ),
  ];
  const uses = new Map<string, SecretUse[]>([[SMTP_URL_NAME, [{ file: null, key: null }]]]);
  for (const { name, file, key } of named) uses.set(name, [...(uses.get(name) ?? []), { file, key }]);
  return uses;
}

/** The expectation that the value does not meet. Null: it meets those of all uses. @param sender `STATEHOUSE_MAIL_FROM`. */
export function problemOfSecret(
  {
    name,
    uses,
    sender,
  }: { readonly name: string; readonly uses: readonly SecretUse[]; readonly sender: string | null },
  value: string,
): string | null {
  if (uses.some(({ file }) => file === WEBHOOKS_FILE) && readWebhookSecrets(value) === null)
    return `Expected ${WEBHOOK_SECRET}, since ${WEBHOOKS_FILE} names it.`;
  if (name !== SMTP_URL_NAME) return null;
  const smtp = readSmtp(value, sender);
  return smtp.ok ? null : smtp.problems.join(' ');
}

/** Variables that decide about the process, or about this table itself: no row stands in for them. */
const OF_THE_PROCESS = /^(STATEHOUSE_|DATABASE_URL|NODE_|PG|OTEL_)/;
export const maySetSecret = (name: string): boolean => name === SMTP_URL_NAME || !OF_THE_PROCESS.test(name);

/** Where the environment has a secret. Null: it has none. `problem`: it cannot be read, and no row stands in for it. */
export type InEnvironment = { readonly source: 'environment' | 'file'; readonly problem: string | null };

export function inEnvironment(environment: Variables, name: string): InEnvironment | null {
  const read = readSecretVariable(environment, name);
  const isFile = Boolean(environment[`${name}_FILE`]?.trim());
  if ('problem' in read) return { source: 'file', problem: read.problem };
  return read.value === null ? null : { source: isFile ? 'file' : 'environment', problem: null };
}
