/** Builds what the app needs from storage, keys and configuration. Clock and randomness are injected. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Configuration } from '../config/configuration.ts';
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { AppOptions } from '../http/app.ts';
import { clientBrake } from '../protocol/client-brake.ts';
import { tokensTellClaims } from '../protocol/told-claims.ts';
import { browserOriginSource } from '../storage/browser-origins.ts';
import { replaceSecretMacs } from '../storage/clients.ts';
import type { Database } from '../storage/database.ts';
import { deniedAccessTokenStore } from '../storage/denied-access-tokens.ts';
import { grantStore } from '../storage/grant-store.ts';
import { interactionStore } from '../storage/interaction-store.ts';
import { permissionStore } from '../storage/permissions.ts';
import { ping } from '../storage/server.ts';
import { sessionStore } from '../storage/sessions.ts';
import { signInFailureStore } from '../storage/sign-in-failures.ts';
import { findClaims, findUserForSignIn, usernameKey } from '../storage/users.ts';
import type { Clock } from '../system/clock.ts';
import { openSigning } from './key-ring.ts';
import { signInCapacity } from './sign-in-capacity.ts';

export type AppParts = {
  readonly issuer: string;
  readonly production: boolean;
  readonly trustedProxies: readonly string[];
  readonly configuration: () => Configuration;
  readonly keys: RootKeys;
  readonly random: Random;
  readonly clock: Clock;
  readonly database: Database;
  readonly logger: Logger;
  readonly libuvThreads: number;
};

export type AppDeps = AppOptions & {
  /** Follows the table of signing keys; called every KEY_POLL_SECONDS. */
  readonly keepKeys: () => Promise<void>;
};

/** @throws RootSecretError when a stored signing key needs a root secret that is not listed. */
export async function appDeps(parts: AppParts): Promise<AppDeps> {
  const { issuer, production, trustedProxies, configuration, keys, random, clock, database, logger, libuvThreads } =
    parts;
  const db = database.drizzle;
  const { keyRing, keepKeys } = await openSigning({
    db,
    keys,
    clock,
    logger,
    policy: () => configuration().signingKeys,
  });
  const store = grantStore(db, clock, () => tokensTellClaims(configuration().claims));
  return {
    issuer,
    production,
    trustedProxies,
    logger,
    keys,
    random,
    sleep: (milliseconds) => sleep(milliseconds),
    ping: () => ping(db),
    store,
    deniedAccessTokens: deniedAccessTokenStore(db, clock),
    claimsOf: (userId) => findClaims(db, userId),
    interactions: interactionStore(db, clock),
    findClient: async (clientId) => {
      const { client } = await store.loadClient(clientId);
      return client?.deletedAt === null ? client : null;
    },
    users: { findForSignIn: (username) => findUserForSignIn(db, username), keyOf: usernameKey },
    browserOrigins: browserOriginSource(db, clock),
    sessions: sessionStore(db, clock),
    permissions: permissionStore(db, clock),
    signInFailures: signInFailureStore(db, clock),
    signInCapacity: signInCapacity(libuvThreads),
    clientBrake: clientBrake(keys, () => clock.fixedNow()?.getTime() ?? performance.now()),
    renewSecretMac: (client, secretMacs) => replaceSecretMacs(db, client, secretMacs),
    configuration,
    keyRing,
    keepKeys,
    demo: null,
  };
}
