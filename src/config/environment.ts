/** The environment, read once and checked as a whole. Nothing else reads `process.env`. */
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

export type Environment = {
  readonly production: boolean;
  /** Null: the embedded database. */
  readonly databaseUrl: string | null;
  /** Used byte for byte. */
  readonly issuer: string;
  /** Null: created and stored in `.statehouse/`. */
  readonly secrets: readonly string[] | null;
  /** The folder of policies. */
  readonly configFolder: string;
  readonly trustedProxies: readonly string[];
  readonly host: string;
  readonly port: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** How many threads hash passwords, read files and look up names: `UV_THREADPOOL_SIZE`, which libuv itself reads. */
  readonly libuvThreads: number;
};

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export class EnvironmentError extends Error {
  constructor(problems: readonly string[]) {
    super(`The environment is refused:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'EnvironmentError';
  }
}

const DEFAULT_CONFIG_FOLDER = new URL('../../policies', import.meta.url).pathname;

/** @throws EnvironmentError naming every variable to set, and how. No value of a secret is printed. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const problems: string[] = [];
  const get = (name: string) => (env[name]?.trim() ? env[name].trim() : null);
  const check = <T>(name: string, schema: z.ZodType<T>, value: string, expected: string, fallback: T): T => {
    const result = schema.safeParse(value);
    if (!result.success) problems.push(`${name}: Expected ${expected}, found "${value}".`);
    return result.success ? result.data : fallback;
  };

  const production = get('NODE_ENV') === 'production';
  if (production)
    problems.push(
      ...REQUIRED_IN_PRODUCTION.filter(([name]) => list(get(name)).length === 0).map(
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
  const issuer = get('STATEHOUSE_ISSUER') ?? `http://localhost:${port}`;
  const wrong = whatIsWrongWithIssuer(issuer);
  if (wrong) problems.push(`STATEHOUSE_ISSUER: ${wrong}`);
  const databaseUrl = get('DATABASE_URL');
  if (databaseUrl && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    // The value may contain a password, so it is not shown.
    problems.push('DATABASE_URL: Expected postgres://user:password@host:5432/database, found another kind of URL.');
  }
  const trustedProxies = list(get('STATEHOUSE_TRUSTED_PROXIES'));
  problems.push(
    ...trustedProxies.flatMap(whatIsWrongWithProxy).map((problem) => `STATEHOUSE_TRUSTED_PROXIES: ${problem}`),
  );
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
  if (problems.length > 0) throw new EnvironmentError(problems);
  const secrets = list(env['STATEHOUSE_SECRET'] ?? null);
  return {
    production,
    databaseUrl,
    issuer,
    secrets: secrets.length > 0 ? secrets : null,
    configFolder: get('STATEHOUSE_CONFIG') ?? DEFAULT_CONFIG_FOLDER,
    trustedProxies,
    host: get('HOST') ?? 'localhost',
    port,
    logLevel,
    libuvThreads,
  };
}

const REQUIRED_IN_PRODUCTION = [
  ['STATEHOUSE_ISSUER', 'Set the https URL under which people and clients reach this server.'],
  ['STATEHOUSE_SECRET', 'Set the root secret; make one with: openssl rand -base64 32'],
  ['DATABASE_URL', 'Set postgres://user:password@host:5432/database'],
] as const;

const list = (value: string | null): string[] => (value ?? '').split(/[\s,]+/).filter((item) => item.length > 0);

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/;
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

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
