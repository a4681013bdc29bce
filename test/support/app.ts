/** The real app on a test database, with an injected clock; keeps every log line. */
import type { FastifyInstance } from 'fastify';
import { type AppDeps, appDeps } from '../../src/boot/wiring.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { identityResource } from '../../src/config/identity-resource.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { systemRandom } from '../../src/crypto/random.ts';
import { type RootKeys, rootKeys } from '../../src/crypto/root-secret.ts';
import { buildApp } from '../../src/http/app.ts';
import type { Database } from '../../src/storage/database.ts';
import { makeLogger } from '../../src/system/logger.ts';
import { type TestClock, testClock } from './clock.ts';

export const ISSUER = 'https://as.test';
export const testKeys: RootKeys = rootKeys(['a root secret for tests, of more than 32 bytes']);
const POLICIES = new URL('../../policies', import.meta.url).pathname;
export const shippedConfiguration: Configuration = loadConfiguration(POLICIES, ISSUER);

export type TestApp = {
  readonly app: FastifyInstance;
  readonly deps: AppDeps;
  readonly database: Database;
  readonly clock: TestClock;
  readonly keys: RootKeys;
  readonly issuer: string;
  /** Every line logged so far, as one text. */
  readonly logs: () => string;
};

export type TestAppOptions = {
  readonly clock?: TestClock;
  readonly issuer?: string;
  readonly keys?: RootKeys;
  readonly configuration?: Configuration;
  readonly production?: boolean;
  readonly trustedProxies?: readonly string[];
  /** For tests that break a part on purpose. */
  readonly change?: (deps: AppDeps) => AppDeps;
};

export async function openTestApp(database: Database, options: TestAppOptions = {}): Promise<TestApp> {
  const { clock = testClock(), issuer = ISSUER, keys = testKeys, change = (deps: AppDeps) => deps } = options;
  const given = options.configuration ?? shippedConfiguration;
  const configuration = { ...given, identity: identityResource(issuer, given.claims) };
  const lines: string[] = [];
  const logger = makeLogger({
    level: 'trace',
    readable: false,
    destination: { write: (line) => void lines.push(line) },
  });
  const made = await appDeps({
    issuer,
    production: options.production ?? true,
    trustedProxies: options.trustedProxies ?? [],
    configuration: () => configuration,
    keys,
    random: systemRandom,
    clock,
    database,
    logger,
    libuvThreads: 4,
  });
  const deps = change(made);
  const app = await buildApp(deps);
  return { app, deps, database, clock, keys, issuer, logs: () => lines.join('') };
}
