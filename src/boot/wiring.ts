/** Builds what the app needs from storage, keys and configuration. Clock and randomness are injected. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ClientCertificates } from '../config/client-certificates.ts';
import { COMMAND_LINE_CLIENT } from '../config/command-line-client.ts';
import type { Configuration } from '../config/configuration.ts';
import { DEFAULT_CONFIG_FOLDER } from '../config/environment.ts';
import type { LastReload } from '../config/last-reload.ts';
import { inEnvironment } from '../config/named-secrets.ts';
import type { Variables } from '../config/secret-variable.ts';
import { consoleRoutes } from '../console/routes.ts';
import { type KeySource, keysInDatabase } from '../crypto/key-source.ts';
import { sealKeys } from '../crypto/ledger-seal.ts';
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { rowMacs } from '../crypto/row-mac.ts';
import type { PasswordHash, RawSecret } from '../crypto/secret-types.ts';
import { Unavailable } from '../engine/errors.ts';
import type { AppOptions } from '../http/app.ts';
import { certificatesOf } from '../http/client-certificate.ts';
import type { DocumentAnswer } from '../images/fetch-client-document.ts';
import { managementApi } from '../management/api.ts';
import { earlyRefusals } from '../management/early-refusals.ts';
import { QUOTA_SECONDS } from '../management/request-quota.ts';
import { theServer } from '../model/actor.ts';
import { browserOrigins } from '../protocol/browser-origins.ts';
import { clientThrottle } from '../protocol/client-throttle.ts';
import { endedChains } from '../protocol/ended-chains.ts';
import { tokensReleaseClaims } from '../protocol/released-claims.ts';
import type { StandInAsked } from '../protocol/sign-in.ts';
import { authenticClients } from '../storage/authentic-clients.ts';
import { isBrowserOrigin } from '../storage/browser-origins.ts';
import { clientDocumentStore } from '../storage/client-documents.ts';
import { clientLogoStore } from '../storage/client-logos.ts';
import { clientRegistrationStore } from '../storage/client-registrations.ts';
import { replaceSecretMacs } from '../storage/clients.ts';
import type { Database, Drizzle } from '../storage/database.ts';
import { deniedAccessTokenStore } from '../storage/denied-access-tokens.ts';
import { emailChallengeStore } from '../storage/email-challenges.ts';
import { externalSignInStore } from '../storage/external-sign-ins.ts';
import { factorStores } from '../storage/factors.ts';
import { grantStore } from '../storage/grant-store.ts';
import { interactionStore } from '../storage/interaction-store.ts';
import { linkedIdentityStore } from '../storage/linked-identities.ts';
import { operatorSetUpStore } from '../storage/operator-set-ups.ts';
import { permissionStore } from '../storage/permissions.ts';
import { pushedRequestStore } from '../storage/pushed-requests.ts';
import { rootSecretStore } from '../storage/root-secrets.ts';
import { ping } from '../storage/server.ts';
import { sessionStore } from '../storage/sessions.ts';
import { signInCodeStore } from '../storage/sign-in-codes.ts';
import { signInFailureStore } from '../storage/sign-in-failures.ts';
import { usedJtiStore } from '../storage/used-jtis.ts';
import {
  accountKeyOf,
  findClaims,
  findIdentifiedUser,
  findUserById,
  findUsername,
  findUserToVerify,
  idOfSub,
  usernameKey,
} from '../storage/users.ts';
import type { Clock } from '../system/clock.ts';
import { fetchBounded } from '../system/other-servers.ts';
import { rateLimit, requestCounter } from '../system/rate-limit.ts';
import { breachedPasswords } from './breached-passwords.ts';
import { documentsOfClients } from './client-documents.ts';
import { keysOfClients } from './client-keys.ts';
import { configuredClients, consoleParts, sendWithin } from './console.ts';
import { databaseHealth, type HeldDatabaseHealth } from './database-health.ts';
import { type Heartbeat, heartbeatOf } from './heartbeat.ts';
import { keyDeps, keysMadeHere, openSigning } from './key-ring.ts';
import type { RunningOutbox } from './mail/outbox.ts';
import type { MailWay } from './mail/way.ts';
import { placesIn } from './places.ts';
import { signInCapacity } from './sign-in-capacity.ts';
import { signInLedger } from './sign-in-ledger.ts';

export type AppParts = {
  readonly issuer: string;
  readonly production: boolean;
  readonly trustedProxies: readonly string[];
  /** Null or absent: the server takes no TLS client certificates. */
  readonly clientCertificates?: ClientCertificates | null;
  readonly configuration: () => Configuration;
  /** Where its files are. Absent: in the folder of the installation. */
  readonly configFolder?: string;
  readonly keys: RootKeys;
  readonly random: Random;
  readonly clock: Clock;
  readonly database: Database;
  readonly logger: Logger;
  readonly libuvThreads: number;
  /** Null: none since the start. */
  readonly lastReload?: () => LastReload | null;
  /** Where the private halves of signing keys are; absent: in the database. */
  readonly keySource?: KeySource;
  /** Null or absent: the server sends no mails, and features that need them are off. */
  readonly mail?: MailWay | null;
  /** A secret that another system added to the passwords of imported hashes; absent: none. */
  readonly passwordPepper?: RawSecret | null;
  /** The file that names the places of addresses. Null or absent: there is none. */
  readonly placesFile?: string | null;
  /** For the secrets that files name; absent: none is set. */
  readonly secretNamed?: (name: string) => Promise<string | null>;
  /** How the key sets of clients are fetched; absent: from the public internet, bounded in time and size. */
  readonly fetchKeySet?: (uri: string) => Promise<string>;
  /** How documents of clients are fetched; absent: as `fetchKeySet`. */
  readonly fetchClientDocument?: (uri: string) => Promise<DocumentAnswer>;
  /** How other OpenID Providers are reached; absent: over the network, bounded in time and size. */
  readonly upstreamFetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** The operators of operators.yaml alone; absent: those of `configuration`. */
  readonly declaredOperators?: () => readonly string[];
  /** The environment's secrets; absent: it has none. */
  readonly variables?: Variables;
  readonly mailFrom?: string | null;
  /** Called after a change of a configured secret; absent: nothing follows. */
  readonly secretChanged?: () => Promise<unknown>;
  /** Called after a set-up made an operator; absent: nothing follows. */
  readonly operatorMade?: () => Promise<void>;
};

export type AppDeps = AppOptions & {
  readonly heartbeat: Heartbeat;
  readonly databaseHealth: HeldDatabaseHealth;
  /** Follows the table of signing keys; called every KEY_POLL_SECONDS. */
  readonly keepKeys: () => Promise<void>;
  /** Null: no mails are sent. */
  readonly outbox: RunningOutbox | null;
  /** For metrics. */
  readonly queues: ReturnType<typeof signInCapacity>;
};

/** @throws RootSecretError when a stored signing key needs a root secret that is not listed. */
export async function appDeps(parts: AppParts): Promise<AppDeps> {
  const { issuer, production, trustedProxies, configuration, keys, random, clock, database, logger, libuvThreads } =
    parts;
  const db = database.drizzle;
  const source = parts.keySource ?? keysInDatabase(keys);
  const { keyRing, keepKeys } = await openSigning({
    db,
    keys,
    source,
    clock,
    logger,
    policy: () => configuration().signingKeys,
  });
  const heartbeat = heartbeatOf(db, random, logger);
  const macs = rowMacs(keys);
  const authentic = authenticClients(macs, configuredClients({ issuer, keys, configuration }));
  const store = grantStore(db, clock, authentic, () => tokensReleaseClaims(configuration().claims));
  const deniedAccessTokens = deniedAccessTokenStore(db, clock);
  const usedJtis = usedJtiStore(db, clock);
  const clientRegistrations = clientRegistrationStore(db, clock, macs);
  const policy = () => configuration().signingKeys;
  const sessions = sessionStore(db, clock, macs);
  const logos = clientLogoStore(db, clock);
  const factors = factorStores(db, clock, macs);
  const permissions = permissionStore(db, clock, macs);
  const interactions = interactionStore(db, clock, macs, authentic);
  const challengesOn = (connection: Drizzle) => emailChallengeStore(connection, clock, macs);
  const challenges = challengesOn(db);
  const queues = signInCapacity(libuvThreads);
  // Monotonic: only differences matter here.
  const elapsed = () => clock.fixedNow()?.getTime() ?? performance.now();
  const clientKeys = keysOfClients({ fetchKeySet: parts.fetchKeySet, logger, now: elapsed });
  const shared = {
    issuer,
    production,
    configuration,
    keys,
    macs,
    random,
    db,
    clock,
    keyRing,
    keepKeys,
    isBreached: breachedPasswords(() => configuration().signIn, logger),
    passwordPepper: parts.passwordPepper ?? null,
    store,
    clientRegistrations,
    sessions,
    signInLedger: signInLedger({ db, keys, clock, logger, elapsed }),
  };
  const checks = {
    users: {
      findForSignIn: (typed: string) => findIdentifiedUser(db, macs, typed, configuration().signIn.identifiers),
      findToVerify: (userId: string) => findUserToVerify(db, macs, userId),
      accountKeyOf: (typed: string) => accountKeyOf(db, typed, configuration().signIn.identifiers),
      keyOf: usernameKey,
      rehashed: async (id: string, checked: PasswordHash, passwordHash: PasswordHash) => {
        const { administerUser } = await import('../registration/administration.ts');
        const change = { type: 'passwordRehashed', checked, passwordHash } as const;
        await administerUser({ db, clock, macs, actor: theServer }, { id, change });
      },
    },
    passwordPepper: shared.passwordPepper,
    findUser: (userId: string) => findUserById(db, userId),
    signInFailures: signInFailureStore(db, clock),
    signInCapacity: queues,
    ...factors,
    factorsOf: factors.secondFactors.kindsOf,
    keptKeys: rootSecretStore(db, clock).keptKeys,
    now: () => clock.fixedNow() ?? new Date(),
  };
  const others = {
    upstreamFetch: parts.upstreamFetch ?? ((url: string, init: RequestInit) => fetchBounded(url, init)),
    secretNamed: parts.secretNamed ?? (async () => null),
  };
  const external = {
    externalSignIns: externalSignInStore(db, clock, macs),
    identities: linkedIdentityStore(db, clock, macs),
    acceptable: () => import('../registration/acceptable.ts'),
    ...others,
  };
  const { mail = null } = parts;
  const placeOf = placesIn(parts.placesFile ?? null, logger);
  // Only where mails are sent.
  const mails =
    mail &&
    (await import('./mail/mails.ts')).openMails({
      ...shared,
      ...checks,
      ...external,
      interactions,
      challenges,
      passkeyChallenges: factors.passkeys,
      signInCodes: signInCodeStore(db, clock, macs),
      logger,
      mail,
      findLogo: logos.hashOf,
    });
  /** The dependencies of a sign-in, and of changes to the ways to sign in. */
  const signIn = {
    ...checks,
    challenges: factors.passkeys,
    standIn: async (asked: StandInAsked) => {
      const { standIn } = await import('../people/trust/trust.ts');
      return standIn({ ...shared, ...factors, sleep }, asked);
    },
    ...(mails && {
      whenSignedIn: mails.whenSignedIn,
      tell: mails.tell,
      mayRecoverByMail: mails.mayRecoverByMail,
    }),
  };
  const managed = {
    ...shared,
    usedJtis,
    standingOfKeys: clientKeys.standingOf,
    configFolder: parts.configFolder ?? DEFAULT_CONFIG_FOLDER,
    lastReload: parts.lastReload ?? (() => null),
    seals: () => sealKeys(keys),
    placeOf,
    deniedAccessTokens,
    challenges,
    challengesOn,
    links: mails?.links ?? null,
    mails: mails?.links ?? null,
    sendsMail: mails?.isOn ?? (() => false),
    inEnvironment: (name: string) => inEnvironment(parts.variables ?? {}, name),
    mailFrom: parts.mailFrom ?? null,
    secretChanged: parts.secretChanged ?? (async () => {}),
    mailPreviews: async () => (await import('./mail/sample-mails.ts')).mailPreviews(issuer, configuration()),
    requestCounts: requestCounter(elapsed, QUOTA_SECONDS),
    certificateOf: certificatesOf(parts),
    commandLineClient: database.kind === 'embedded' ? COMMAND_LINE_CLIENT : null,
    sleep: (milliseconds: number) => sleep(milliseconds),
    signingKeys: keyDeps({ db, keys, source, clock, policy }),
    createKeyHere: keysMadeHere(keys),
  };
  return {
    administration: async (app, pageParts) => {
      await app.register(managementApi, { ...managed, prefix: '/management/v1' });
      await app.register(consoleRoutes, {
        ...consoleParts({ ...parts, sessions, factorsOf: factors.secondFactors.kindsOf }),
        ...pageParts,
        send: sendWithin(app),
      });
    },
    outbox: mails?.outbox ?? null,
    email: mails?.pages ?? null,
    account: async (pageParts) => {
      const { accountPages } = await import('./account.ts');
      return accountPages({ ...managed, ...signIn, ...external, ...pageParts, interactions, permissions, placeOf });
    },
    operator: async (pageParts) => {
      const { operatorHandlers } = await import('../http/operator-routes.ts');
      return operatorHandlers({
        ...shared,
        ...signIn,
        ...pageParts,
        sleep: managed.sleep,
        passkeyChallenges: factors.passkeys,
        setUps: operatorSetUpStore(db, clock, macs),
        declaredOperators: parts.declaredOperators ?? (() => configuration().operators.operators),
        operatorMade: parts.operatorMade ?? (async () => {}),
      });
    },
    refusingApi: earlyRefusals(issuer),
    issuer,
    production,
    trustedProxies,
    clientCertificates: parts.clientCertificates ?? null,
    logger,
    keys,
    random,
    sleep: (milliseconds) => sleep(milliseconds),
    databaseHealth: databaseHealth({ ping: () => ping(db), write: heartbeat.write, logger }),
    heartbeat,
    checkSigning: () =>
      source.check().catch((error: unknown) => {
        throw new Unavailable('signing_unavailable', { cause: error });
      }),
    store,
    deniedAccessTokens,
    usedJtis,
    publishedKeys: clientKeys,
    claimsOf: (userId) => findClaims(db, userId),
    findImage: logos.find,
    findLogo: logos.hashOf,
    idOfSub: (sub) => idOfSub(db, sub),
    usernameOf: (userId) => findUsername(db, macs, userId),
    interactions,
    findClient: async (clientId) => {
      const { client } = await store.loadClient(clientId);
      return client?.deletedAt === null ? client : null;
    },
    isBrowserOrigin: browserOrigins({
      isRegistered: (origin) => isBrowserOrigin(db, authentic, origin),
      now: elapsed,
    }),
    sessions,
    signInLedger: shared.signInLedger,
    permissions,
    ...signIn,
    ...external,
    clientThrottle: clientThrottle(keys, elapsed),
    endedChains: endedChains(elapsed),
    tokenRates: { client: rateLimit(elapsed), address: rateLimit(elapsed) },
    pushedRequests: pushedRequestStore(db, clock),
    clientDocuments: clientDocumentStore(db, clock, macs),
    documentFetches: documentsOfClients({
      fetchClientDocument: parts.fetchClientDocument,
      configuration,
      logger,
      now: elapsed,
    }),
    documentRates: rateLimit(elapsed),
    newDocumentCounts: requestCounter(elapsed, 3600),
    clientRegistrations,
    clientRegistration: {
      ...shared,
      publishedKeys: clientKeys,
      now: checks.now,
      // No start loads it: most servers let no client register itself.
      metadata: () => import('../registration/self-registration.ts'),
      registrationCounts: requestCounter(elapsed, 3600),
      sleep: managed.sleep,
    },
    pushRates: rateLimit(elapsed),
    renewSecretMac: (client, secretMacs) => replaceSecretMacs(db, macs, client, secretMacs),
    configuration,
    keyRing,
    keepKeys,
    queues,
    demo: null,
  };
}
