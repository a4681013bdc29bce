/** The environment, read once and checked as a whole. Nothing else reads `process.env`. */
import { fileURLToPath } from 'node:url';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import type { RawSecret } from '../crypto/secret-types.ts';
import { whatIsWrongWithHosts } from '../system/database-url.ts';
import { BOOTSTRAP_VARIABLE, type BootstrapOperator, readBootstrapOperator } from './bootstrap-operator.ts';
import { type ClientCertificates, readClientCertificates } from './client-certificates.ts';
import { isLoopback } from './loopback.ts';
import { EnvironmentError, readSecretVariable, type Variables } from './secret-variable.ts';
import { readSmtp, type SmtpSettings } from './smtp.ts';

export { EnvironmentError } from './secret-variable.ts';

export type Environment = {
  readonly production: boolean;
  /** Null: the embedded database. */
  readonly databaseUrl: string | null;
  /** The role of the servers in Postgres, to which `statehouse migrate` grants its rights; null: none is named. */
  readonly databaseRole: string | null;
  /** The server starts in production although its role owns the tables. */
  readonly allowTableOwner: boolean;
  /** Used byte for byte. */
  readonly issuer: string;
  /** Null: created and stored in `.statehouse/`. */
  readonly secrets: readonly string[] | null;
  /** The folder of policies. */
  readonly configFolder: string;
  readonly trustedProxies: readonly string[];
  /** Null: the server takes no TLS client certificates. */
  readonly clientCertificates: ClientCertificates | null;
  readonly host: string;
  readonly port: number;
  /** Where Prometheus asks; null: there are no metrics. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  /** The trace settings of the standard OpenTelemetry variables; null: the variables configure no traces. */
  readonly tracing: { readonly sampler: string | null; readonly samplerArgument: string | null } | null;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** How many threads hash passwords, read files and look up names: `UV_THREADPOOL_SIZE`, which libuv itself reads. */
  readonly libuvThreads: number;
  /** The PKCS#11 device with the private halves of signing keys; null: they are in the database. */
  readonly device: { readonly module: string; readonly token: string; readonly pin: string } | null;
  /** A secret that another system added to the passwords of imported hashes; null: none. */
  readonly passwordPepper: RawSecret | null;
  /** A file in the format mmdb that names the places of addresses; null: none. */
  readonly placesFile: string | null;
  /** Null: no mails are sent by SMTP. */
  readonly smtp: SmtpSettings | null;
  /** The sender of mails, as it was written; null: not set. */
  readonly mailFrom: string | null;
  /** The end-user of the set-up link that the start makes, where no operator exists; null: the user of the link chooses. */
  readonly bootstrapOperator: BootstrapOperator | null;
};

/** They may come from files (`STATEHOUSE_SECRET_FILE`, …). */
const SECRETS: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'STATEHOUSE_SECRET',
  'STATEHOUSE_SMTP_URL',
  'STATEHOUSE_PKCS11_PIN',
  'STATEHOUSE_PASSWORD_PEPPER',
  BOOTSTRAP_VARIABLE,
]);

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export const DEFAULT_CONFIG_FOLDER = fileURLToPath(new URL('../../policies', import.meta.url));

/** @throws EnvironmentError naming every variable to set, and how. No value of a secret is printed. */
export function readEnvironment(variables: Variables): Environment {
  const problems: string[] = [];
  const env = { ...variables };
  for (const name of SECRETS) {
    const read = readSecretVariable(variables, name);
    if ('problem' in read) problems.push(read.problem);
    // A variable with a problem still counts as set.
    else env[name] = read.value ?? undefined;
  }
  const unread = (name: string) => SECRETS.has(name) && Boolean(env[`${name}_FILE`]?.trim()) && !env[name]?.trim();
  const get = (name: string) => (env[name]?.trim() ? env[name].trim() : null);
  const check = <T>(name: string, schema: z.ZodType<T>, value: string | null, expected: string, fallback: T): T => {
    if (value === null) return fallback;
    const result = schema.safeParse(value);
    if (!result.success) problems.push(`${name}: Expected ${expected}, found "${value}".`);
    return result.success ? result.data : fallback;
  };

  const production = get('NODE_ENV') === 'production';
  if (production)
    problems.push(
      ...REQUIRED_IN_PRODUCTION.filter(([name]) => list(get(name)).length === 0 && !unread(name)).map(
        ([name, instruction]) => `${name} is not set. ${instruction}`,
      ),
    );
  const port = check(
    'PORT',
    z.coerce.number().int().min(1).max(65_535),
    get('PORT') ?? '3000',
    'a port from 1 to 65535',
    3000,
  );
  const metricsPort = check(
    'STATEHOUSE_METRICS_PORT',
    z.coerce.number().int().min(1).max(65_535).nullable(),
    get('STATEHOUSE_METRICS_PORT'),
    'a port from 1 to 65535',
    null,
  );
  if (metricsPort === port) {
    problems.push(`STATEHOUSE_METRICS_PORT: ${port} is the port of the server itself. Metrics are not for the public.`);
  }
  const wantsTraces =
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].some((name) => get(name) !== null) &&
    get('OTEL_SDK_DISABLED')?.toLowerCase() !== 'true' &&
    get('OTEL_TRACES_EXPORTER') !== 'none';
  const issuer = get('STATEHOUSE_ISSUER') ?? `http://localhost:${port}`;
  const wrong = whatIsWrongWithIssuer(issuer);
  if (wrong) problems.push(`STATEHOUSE_ISSUER: ${wrong}`);
  const databaseUrl = get('DATABASE_URL');
  if (databaseUrl && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    // The value may contain a password, so it is not shown.
    problems.push('DATABASE_URL: Expected postgres://user:password@host:5432/database, found another kind of URL.');
  }
  const wrongHosts = databaseUrl && whatIsWrongWithHosts(databaseUrl);
  if (wrongHosts) problems.push(`DATABASE_URL: ${wrongHosts}`);
  const trustedProxies = list(get('STATEHOUSE_TRUSTED_PROXIES'));
  problems.push(
    ...trustedProxies.flatMap(whatIsWrongWithProxy).map((problem) => `STATEHOUSE_TRUSTED_PROXIES: ${problem}`),
  );
  const certificates = readClientCertificates(get, trustedProxies);
  problems.push(...certificates.problems);
  const logLevel = check(
    'LOG_LEVEL',
    z.enum(LOG_LEVELS),
    get('LOG_LEVEL') ?? 'info',
    `one of ${LOG_LEVELS.join(', ')}`,
    'info',
  );
  const libuvThreads = check(
    'UV_THREADPOOL_SIZE',
    z.coerce.number().int().min(1).max(1024),
    get('UV_THREADPOOL_SIZE') ?? '4',
    'a number of threads from 1 to 1024',
    4,
  );
  const mailFrom = get('STATEHOUSE_MAIL_FROM');
  const smtp = readSmtp(get('STATEHOUSE_SMTP_URL'), mailFrom);
  if (!smtp.ok) problems.push(...smtp.problems);
  const bootstrap = readBootstrapOperator(get(BOOTSTRAP_VARIABLE));
  if (bootstrap !== null && 'problem' in bootstrap) problems.push(bootstrap.problem);
  const device = readDevice(get, (name) => unread(name));
  if ('problems' in device) problems.push(...device.problems);
  const allowTableOwner = check(
    'STATEHOUSE_ALLOW_TABLE_OWNER',
    z.enum(['true', 'false']),
    get('STATEHOUSE_ALLOW_TABLE_OWNER') ?? 'false',
    'true or false',
    'false',
  );
  if (problems.length > 0) throw new EnvironmentError(problems);
  const secrets = list(env['STATEHOUSE_SECRET'] ?? null);
  return {
    production,
    databaseUrl,
    databaseRole: get('STATEHOUSE_DATABASE_ROLE'),
    allowTableOwner: allowTableOwner === 'true',
    issuer,
    secrets: secrets.length > 0 ? secrets : null,
    configFolder: get('STATEHOUSE_CONFIG') ?? DEFAULT_CONFIG_FOLDER,
    trustedProxies,
    clientCertificates: certificates.settings,
    host: get('HOST') ?? 'localhost',
    port,
    metrics: metricsPort === null ? null : { host: get('STATEHOUSE_METRICS_HOST') ?? 'localhost', port: metricsPort },
    tracing: wantsTraces
      ? { sampler: get('OTEL_TRACES_SAMPLER'), samplerArgument: get('OTEL_TRACES_SAMPLER_ARG') }
      : null,
    logLevel,
    libuvThreads,
    device: 'problems' in device ? null : device.settings,
    // As it is: spaces may belong to it.
    passwordPepper: (env['STATEHOUSE_PASSWORD_PEPPER'] as RawSecret | undefined) ?? null,
    placesFile: get('STATEHOUSE_PLACES_FILE'),
    smtp: smtp.ok ? smtp.settings : null,
    mailFrom,
    bootstrapOperator: bootstrap !== null && 'problem' in bootstrap ? null : bootstrap,
  };
}

type Device = { readonly settings: Environment['device'] } | { readonly problems: readonly string[] };

/** All three or none. A secret that cannot be read has its problem already. */
function readDevice(get: (name: string) => string | null, isUnread: (name: string) => boolean): Device {
  const read = PKCS11.map(([name, expected]) => ({ name, expected, value: get(name) }));
  const missing = read.filter(({ name, value }) => value === null && !isUnread(name));
  const [module, token, pin] = read.map(({ value }) => value ?? '');
  if (missing.length === read.length) return { settings: null };
  if (missing.length > 0) {
    return { problems: missing.map(({ name, expected }) => `${name} is not set. Set ${expected}.`) };
  }
  return { settings: { module: module ?? '', token: token ?? '', pin: pin ?? '' } };
}

const PKCS11 = [
  ['STATEHOUSE_PKCS11_MODULE', 'the path of the PKCS#11 library'],
  ['STATEHOUSE_PKCS11_TOKEN', 'the label of the token'],
  ['STATEHOUSE_PKCS11_PIN', 'the PIN of its user, or STATEHOUSE_PKCS11_PIN_FILE'],
] as const;

const REQUIRED_IN_PRODUCTION = [
  ['STATEHOUSE_ISSUER', 'Set the https URL under which people and clients reach this server.'],
  ['STATEHOUSE_SECRET', 'Set the root secret; make one with: openssl rand -base64 32'],
  ['DATABASE_URL', 'Set postgres://user:password@host:5432/database'],
] as const;

const list = (value: string | null): string[] => (value ?? '').split(/[\s,]+/).filter((item) => item.length > 0);

export { isLoopback };

/** RFC 8414 §2: an https URL without query or fragment; http only on loopback. */
function whatIsWrongWithIssuer(issuer: string): string | null {
  if (!URL.canParse(issuer)) return `"${issuer}" is not a URL`;
  const url = new URL(issuer);
  if (/[?#]/.test(issuer)) return 'has a query or a fragment; RFC 8414 §2 allows neither';
  if (url.username || url.password) return 'has a user or a password in it';
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:' && isLoopback(url.hostname)) return null;
  return 'https is required; http only for localhost, 127.0.0.1 and [::1]';
}

function whatIsWrongWithProxy(text: string): string[] {
  const { IPv4, IPv6 } = ipaddr;
  if (IPv4.isValidFourPartDecimal(text) || IPv6.isValid(text)) return [];
  if (!IPv4.isValidCIDRFourPartDecimal(text) && !IPv6.isValidCIDR(text)) {
    return [`Expected IP addresses or CIDR ranges, separated by commas; found "${text}".`];
  }
  const [, prefixLength] = ipaddr.parseCIDR(text);
  if (prefixLength > 0) return [];
  // The sign-in throttle counts by this address.
  return [`Expected the addresses of your proxies, found "${text}": every sender could then choose its own address.`];
}
