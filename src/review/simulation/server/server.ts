/** The app that serves requests, without a port: on a database in memory, with a clock that is set, and with every line of its log kept. */
import { availableParallelism } from 'node:os';
import { NO_FURTHER_CLAIMS } from '../../../../policies/claims-schema.ts';
import { SHIPPED_LEDGER } from '../../../../policies/ledger-schema.ts';
import { SHIPPED_LIMITS } from '../../../../policies/limits-schema.ts';
import { NOBODY_ADMINISTERS } from '../../../../policies/operators-schema.ts';
import { DEFAULT_SIGNING_KEYS, type Policy, resourcesSchema, signInSchema } from '../../../../policies/schema.ts';
import { NO_WEBHOOKS } from '../../../../policies/webhooks-schema.ts';
import type { MailWay } from '../../../boot/mail/way.ts';
import { type AppDeps, type AppParts, appDeps } from '../../../boot/wiring.ts';
import { NO_BRANDING } from '../../../config/branding.ts';
import { type Configuration, DEFAULT_POLICY } from '../../../config/configuration.ts';
import { identityResource } from '../../../config/identity-resource.ts';
import { managementResource } from '../../../config/management-resource.ts';
import { systemRandom } from '../../../crypto/random.ts';
import { type RootKeys, rootKeys } from '../../../crypto/root-secret.ts';
import { rowMacs } from '../../../crypto/row-mac.ts';
import { buildApp } from '../../../http/app.ts';
import { commandLine } from '../../../model/actor.ts';
import type { AdministrationDeps } from '../../../registration/administration.ts';
import type { Database } from '../../../storage/database.ts';
import { makeLogger } from '../../../system/logger.ts';
import type { Resource, SignInTerms } from '../scenario.ts';
import type { SetClock } from './clock.ts';

export const API: Readonly<Record<Resource, string>> = { api: 'https://api.example', files: 'https://files.example' };

/** A line of the log, as far as it says why. */
type Line = { readonly reason?: string; readonly err?: { readonly message?: string } };

export type Server = {
  readonly issuer: string;
  readonly app: Awaited<ReturnType<typeof buildApp>>;
  readonly deps: AppDeps;
  readonly clock: SetClock;
  readonly keys: RootKeys;
  /** Changes from the command line. */
  readonly administration: AdministrationDeps;
  /** How many lines it has logged so far. */
  readonly logged: () => number;
  /** Those since then. */
  readonly since: (logged: number) => readonly Line[];
  readonly close: () => Promise<void>;
};

export type Served = Pick<AppParts, 'issuer' | 'upstreamFetch' | 'secretNamed'> & {
  readonly database: Database;
  readonly clock: SetClock;
  readonly mail?: MailWay;
  readonly configuration: () => Configuration;
  /** For those who break a part on purpose. */
  readonly change?: (deps: AppDeps) => AppDeps;
};

export async function openServer({ database, clock, change = (deps) => deps, ...served }: Served): Promise<Server> {
  const keys = rootKeys([systemRandom.bytes(32).toString('base64url')]);
  const lines: string[] = [];
  const made = await appDeps({
    production: true,
    trustedProxies: [],
    keys,
    random: systemRandom,
    libuvThreads: availableParallelism(),
    logger: makeLogger({ level: 'trace', readable: false, destination: { write: (line) => void lines.push(line) } }),
    database,
    clock,
    ...served,
  });
  const deps = change(made);
  const app = await buildApp(deps);
  return {
    issuer: served.issuer,
    app,
    deps,
    clock,
    keys,
    administration: { db: database.drizzle, macs: rowMacs(keys), clock, actor: commandLine },
    logged: () => lines.length,
    since: (logged) => lines.slice(logged).map((line) => JSON.parse(line)),
    close: async () => {
      await app.close();
      await database.close();
    },
  };
}

const SCOPES = [
  { name: 'read', description: 'see your data' },
  { name: 'write', description: 'change your data' },
];
const { resources: RESOURCES } = resourcesSchema.parse({
  resources: [
    { identifier: API.api, name: 'API', default: true, scopes: SCOPES },
    { identifier: API.files, name: 'Files', scopes: SCOPES },
  ],
});

type Terms = {
  /** Absent: no client asks for anything yet. */
  readonly policy?: Policy;
  readonly signIn?: SignInTerms;
  readonly upstreams?: Configuration['upstreams'];
};

/** Nothing that a scenario does not set, or that no scenario is about, makes it go otherwise. */
export const configurationOf = (issuer: string, { policy, signIn, upstreams = [] }: Terms): Configuration => ({
  policies: new Map(policy && [[DEFAULT_POLICY, policy]]),
  resources: RESOURCES,
  identity: identityResource(issuer, NO_FURTHER_CLAIMS),
  management: managementResource(issuer),
  operators: NOBODY_ADMINISTERS,
  claims: NO_FURTHER_CLAIMS,
  signIn: signInSchema.parse({ ...SIGN_IN, ...signIn }),
  // To make an RSA key takes longer than most scenarios.
  signingKeys: { ...DEFAULT_SIGNING_KEYS, algorithms: ['ES256'] },
  upstreams,
  delegatedSignIn: null,
  botCheck: null,
  registration: {},
  webhooks: NO_WEBHOOKS,
  limits: SHIPPED_LIMITS,
  ledger: SHIPPED_LEDGER,
  branding: NO_BRANDING,
  ownMails: [],
  declaredClients: [],
  hasClientsFile: false,
});

const SIGN_IN = {
  sessionLifetimeSeconds: 43_200,
  interactionLifetimeSeconds: 1800,
  failureWindowSeconds: 900,
  failuresPerAccountAndAddress: 10,
  failuresPerAddress: 100,
  lostFactors: 'email',
  codeByMail: true,
};
