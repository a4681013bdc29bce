/** The real app on a test database, with an injected clock; keeps every log line. */

import type { FastifyInstance } from 'fastify';
import type { OperatorsFile } from '../../policies/operators-schema.ts';
import { keyDeps } from '../../src/boot/key-ring.ts';
import type { MailWay } from '../../src/boot/mail/way.ts';
import { type AppDeps, appDeps } from '../../src/boot/wiring.ts';
import type { ClientCertificates } from '../../src/config/client-certificates.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { identityResource } from '../../src/config/identity-resource.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { managementResource } from '../../src/config/management-resource.ts';
import { type KeySource, keysInDatabase } from '../../src/crypto/key-source.ts';
import { systemRandom } from '../../src/crypto/random.ts';
import type { RootKeys } from '../../src/crypto/root-secret.ts';
import {
  type KeyRing,
  makeSigningKey,
  type SigningKeyHere,
  type StoredSigningKey,
} from '../../src/crypto/signing-keys.ts';
import { buildApp } from '../../src/http/app.ts';
import type { DocumentAnswer } from '../../src/images/fetch-client-document.ts';
import { passTime } from '../../src/lifecycles/signing-key/lifecycle.ts';
import type { SigningAlgorithm } from '../../src/oauth/signing-algorithms.ts';
import type { Database } from '../../src/storage/database.ts';
import { setAddressesIdentify } from '../../src/storage/sign-in-addresses.ts';
import { listSigningKeys } from '../../src/storage/signing-keys.ts';
import { makeLogger } from '../../src/system/logger.ts';
import { type TestClock, testClock } from './clock.ts';
import { testKeys } from './macs.ts';

export const ISSUER = 'https://as.test';
export { testKeys } from './macs.ts';

const POLICIES = new URL('../../policies', import.meta.url).pathname;
export const shippedConfiguration: Configuration = loadConfiguration(POLICIES, ISSUER);

/** As shipped, or as given, with this change in every policy. */
export const withEveryPolicy = (change: object, configuration = shippedConfiguration): Configuration => ({
  ...configuration,
  policies: new Map([...configuration.policies].map(([name, policy]) => [name, { ...policy, ...change }])),
});

export type TestApp = {
  readonly app: FastifyInstance;
  /** Its keys are in the database, and so in this process. */
  readonly deps: Omit<AppDeps, 'keyRing'> & { readonly keyRing: KeyRing<SigningKeyHere> };
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
  /** The administrators, read at each request, as after a reload. */
  readonly operators?: () => OperatorsFile;
  /** The replacement configuration, read at each request, as after a reload. */
  readonly reloaded?: () => Partial<Configuration>;
  readonly production?: boolean;
  /** The operators of the files, where a set-up made another. */
  readonly declaredOperators?: () => readonly string[];
  readonly operatorMade?: () => Promise<void>;
  /** The file of places. */
  readonly placesFile?: string;
  /** The delivery of mails. Absent: mails, and the actions that need them, are off. */
  readonly mail?: MailWay;
  /** The environment, where it has secrets. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly secretChanged?: () => Promise<unknown>;
  /** For the secrets that the configuration names. */
  readonly secretNamed?: (name: string) => Promise<string | null>;
  readonly trustedProxies?: readonly string[];
  readonly clientCertificates?: ClientCertificates;
  /** The app makes its signing keys at its start, as a server does. */
  readonly ownSigningKeys?: true;
  /** The key sets that clients publish. */
  readonly fetchKeySet?: (uri: string) => Promise<string>;
  /** The documents of clients whose `client_id` is a URL. */
  readonly fetchClientDocument?: (uri: string) => Promise<DocumentAnswer>;
  /** Where the private halves of signing keys are. */
  readonly keySource?: KeySource;
  /** For tests that break a part on purpose. */
  readonly change?: (deps: AppDeps) => AppDeps;
};

export async function openTestApp(database: Database, options: TestAppOptions = {}): Promise<TestApp> {
  const { clock = testClock(), issuer = ISSUER, keys = testKeys, change = (deps: AppDeps) => deps } = options;
  const given = options.configuration ?? shippedConfiguration;
  const configuration = {
    ...given,
    identity: identityResource(issuer, given.claims),
    management: managementResource(issuer),
  };
  await setAddressesIdentify(database.drizzle, configuration.signIn.identifiers !== 'username');
  if (keys === testKeys && !options.ownSigningKeys) await giveSigningKeys(database, clock, configuration);
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
    clientCertificates: options.clientCertificates ?? null,
    configuration: () => ({
      ...configuration,
      ...(options.operators && { operators: options.operators() }),
      ...options.reloaded?.(),
    }),
    keys,
    random: systemRandom,
    clock,
    database,
    logger,
    libuvThreads: 4,
    mail: options.mail ?? null,
    ...(options.declaredOperators && { declaredOperators: options.declaredOperators }),
    ...(options.operatorMade && { operatorMade: options.operatorMade }),
    ...(options.placesFile && { placesFile: options.placesFile }),
    ...(options.fetchKeySet && { fetchKeySet: options.fetchKeySet }),
    ...(options.fetchClientDocument && { fetchClientDocument: options.fetchClientDocument }),
    ...(options.keySource && { keySource: options.keySource }),
    ...(options.variables && { variables: options.variables }),
    ...(options.secretChanged && { secretChanged: options.secretChanged }),
    ...(options.secretNamed && { secretNamed: options.secretNamed }),
  });
  const deps = change(made) as TestApp['deps'];
  const app = await buildApp(deps);
  return { app, deps, database, clock, keys, issuer, logs: () => lines.join('') };
}

const KNOWN_KEYS = new Map<SigningAlgorithm, Promise<StoredSigningKey>>();

/** An RSA key takes longer to make than all else of an app: on an empty database those of one worker begin with the same keys. */
async function giveSigningKeys({ drizzle }: Database, clock: TestClock, configuration: Configuration): Promise<void> {
  if ((await listSigningKeys(drizzle)).length > 0) return;
  const parts = {
    db: drizzle,
    keys: testKeys,
    source: keysInDatabase(testKeys),
    clock,
    policy: () => configuration.signingKeys,
  };
  const createKey = (alg: SigningAlgorithm) => {
    const known = KNOWN_KEYS.get(alg) ?? makeSigningKey(testKeys, alg);
    KNOWN_KEYS.set(alg, known);
    return known;
  };
  await passTime({ ...keyDeps(parts), createKey });
}
