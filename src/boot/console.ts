/** The console's ports to the process: its client, its sessions, and this server's own endpoints. */
import type { FastifyInstance } from 'fastify';
import type { Configuration } from '../config/configuration.ts';
import { CONSOLE_CLIENT_ID } from '../config/own-clients.ts';
import { consoleRedirectUri, consoleScope, consoleSecrets } from '../console/client.ts';
import type { ConsoleOptions } from '../console/handlers.ts';
import type { Send } from '../console/send.ts';
import { matchesStoredSecret, storedSecretMac } from '../crypto/client-secret.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { rowMacs } from '../crypto/row-mac.ts';
import { rawSecret } from '../crypto/secret-types.ts';
import type { PageParts } from '../http/page-parts.ts';
import { differingFields, type SentRegistration } from '../lifecycles/client/lifecycle.ts';
import type { SessionStore } from '../lifecycles/session/lifecycle.ts';
import { receivedFrom } from '../management/send.ts';
import { theServer } from '../model/actor.ts';
import type { Client } from '../model/client.ts';
import { sessionIsAlive } from '../model/session.ts';
import { isRecentSignIn, type SessionDeps } from '../protocol/browser-session.ts';
import { administerClient, requireDone } from '../registration/administration.ts';
import { DEFAULT_METADATA } from '../registration/client-metadata.ts';
import type { ConfiguredClients } from '../storage/authentic-clients.ts';
import { findClient } from '../storage/clients.ts';
import { consoleSessionStore } from '../storage/console-sessions.ts';
import type { Database, Drizzle } from '../storage/database.ts';
import type { Clock } from '../system/clock.ts';

const POLL_MILLISECONDS = 2000;

type ConsoleParts = Pick<ConsoleOptions, 'issuer' | 'keys' | 'random'> & {
  readonly clock: Clock;
  readonly database: Database;
  readonly configuration: () => Configuration;
  /** Those of the end-users at this server. */
  readonly sessions: Pick<SessionStore, 'load'>;
  readonly factorsOf: SessionDeps['factorsOf'];
};

export const consoleParts = ({
  issuer,
  keys,
  random,
  clock,
  database,
  configuration,
  sessions,
  factorsOf,
}: ConsoleParts): Omit<ConsoleOptions, 'send' | keyof PageParts> => ({
  issuer,
  keys,
  random,
  sessions: consoleSessionStore(database.drizzle, clock),
  resource: () => {
    const { identifier, scopes } = configuration().management;
    return { identifier, scope: consoleScope(scopes) };
  },
  recentSignInSeconds: () => configuration().signIn.recentSignInSeconds,
  signInOf: async (cookieHash) => {
    const { signIn } = configuration();
    // `now` is that of the authorization endpoint, which `max_age` asks. A stream of numbers is no use of the session.
    const { session, now } = await sessions.load({ idHash: cookieHash });
    if (session === null || !sessionIsAlive(session, signIn, now)) return null;
    return { userId: session.userId, isRecent: await isRecentSignIn({ configuration, factorsOf }, session, now) };
  },
  isOpen: () => hasOperators(configuration()),
  pollMilliseconds: POLL_MILLISECONDS,
});

/** A client alone has no use for pages. */
const hasOperators = ({ operators: { operators, auditors } }: Configuration): boolean =>
  operators.length + auditors.length > 0;

/** The console's requests pass the whole app like any request, without a network. */
export const sendWithin =
  (app: FastifyInstance): Send =>
  async ({ method, path, headers, body, address }) =>
    receivedFrom(
      await app.inject({
        method,
        url: path,
        headers,
        remoteAddress: address,
        ...(body !== undefined && { payload: body }),
      }),
    );

/** @param live as they are stored: the same secret is no change. */
const consoleClient = (
  issuer: string,
  keys: RootKeys,
  configuration: Configuration,
  live: Client['secretMacs'] = [],
): SentRegistration => ({
  ...DEFAULT_METADATA,
  clientId: CONSOLE_CLIENT_ID,
  clientName: 'Statehouse console',
  tokenEndpointAuthMethod: 'client_secret_basic',
  // One under each root secret, so that nodes agree while root secrets are exchanged.
  secretMacs: consoleSecrets(keys)
    .map(rawSecret)
    .map((secret) => live.find((mac) => matchesStoredSecret(keys, [mac], secret)) ?? storedSecretMac(keys, secret)),
  redirectUris: [consoleRedirectUri(issuer)],
  grantTypes: ['authorization_code'],
  scope: consoleScope(configuration.management.scopes),
  defaultResource: null,
  declared: false,
  registeredBy: 'operator',
});

/** The console's registration does not come from its row, which an attacker could change: only its epoch and deletion count. */
export function configuredClients({
  issuer,
  keys,
  configuration,
}: Pick<ConsoleParts, 'issuer' | 'keys' | 'configuration'>): ConfiguredClients {
  let made: { readonly from: Configuration; readonly client: SentRegistration } | null = null;
  return (clientId) => {
    if (clientId !== CONSOLE_CLIENT_ID) return null;
    const from = configuration();
    if (made?.from !== from) made = { from, client: consoleClient(issuer, keys, from) };
    return made.client;
  };
}

/**
 * The console is a client like any other. The server registers it where operators.yaml lets an end-user sign in to it. An unchanged
 * registration writes nothing.
 */
export async function registerConsole({
  issuer,
  keys,
  db,
  clock,
  configuration,
}: {
  readonly issuer: string;
  readonly keys: RootKeys;
  readonly db: Drizzle;
  readonly clock?: Clock;
  readonly configuration: Configuration;
}): Promise<void> {
  if (!hasOperators(configuration)) return;
  const macs = rowMacs(keys);
  const stored = await findClient(db, macs, CONSOLE_CLIENT_ID);
  const registration = consoleClient(issuer, keys, configuration, stored?.secretMacs);
  if (stored && differingFields(stored, registration).length === 0) return;
  const change = { type: 'registrationRequested', registration } as const;
  requireDone(
    await administerClient({ db, macs, actor: theServer, ...(clock && { clock }) }, CONSOLE_CLIENT_ID, { change }),
  );
}
