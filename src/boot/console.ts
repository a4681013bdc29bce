/** What the console needs of the process: its client, its sessions, and a way to this server's own endpoints. */
import type { FastifyInstance } from 'fastify';
import type { Configuration } from '../config/configuration.ts';
import { CONSOLE_CLIENT_ID } from '../config/own-clients.ts';
import { consoleRedirectUri, consoleSecrets } from '../console/client.ts';
import type { ConsoleOptions } from '../console/plugin.ts';
import type { Send } from '../console/send.ts';
import { matchesStoredSecret, storedSecretMac } from '../crypto/client-secret.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { rawSecret } from '../crypto/secret-types.ts';
import { differingFields } from '../lifecycles/client.ts';
import { theServer } from '../model/actor.ts';
import { administerClient, requireDone } from '../registration/administration.ts';
import { DEFAULT_METADATA } from '../registration/client-metadata.ts';
import { findClient } from '../storage/clients.ts';
import { consoleSessionStore } from '../storage/console-sessions.ts';
import type { Database, Drizzle } from '../storage/database.ts';
import type { Clock } from '../system/clock.ts';

const POLL_MILLISECONDS = 2000;

type ConsoleParts = Pick<ConsoleOptions, 'issuer' | 'keys' | 'random'> & {
  readonly clock: Clock;
  readonly database: Database;
  readonly configuration: () => Configuration;
};

export const consoleParts = ({
  issuer,
  keys,
  random,
  clock,
  database,
  configuration,
}: ConsoleParts): Omit<ConsoleOptions, 'send'> => ({
  issuer,
  keys,
  random,
  sessions: consoleSessionStore(database.drizzle, clock),
  resource: () => {
    const { identifier, scopes } = configuration().management;
    return { identifier, scope: scopes.map(({ name }) => name) };
  },
  isOpen: () => letsSomebodyIn(configuration()),
  pollMilliseconds: POLL_MILLISECONDS,
});

/** A client alone has no use for pages. */
const letsSomebodyIn = ({ operators: { operators, auditors } }: Configuration): boolean =>
  operators.length + auditors.length > 0;

/** The console's requests pass the whole app, as everybody's do, but no network. */
export const sendWithin =
  (app: FastifyInstance): Send =>
  async ({ method, path, headers, body, address }) => {
    const reply = await app.inject({
      method,
      url: path,
      headers,
      remoteAddress: address,
      ...(body !== undefined && { payload: body }),
    });
    return {
      status: reply.statusCode,
      body: reply.body,
      header: (name) => {
        const value = reply.headers[name];
        return value === undefined ? null : String(value);
      },
    };
  };

/**
 * The console is a client like any other, which the server registers by itself where somebody may sign in to it. Unchanged, it writes
 * nothing.
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
  if (!letsSomebodyIn(configuration)) return;
  const stored = await findClient(db, CONSOLE_CLIENT_ID);
  const live = stored?.secretMacs ?? [];
  const registration = {
    ...DEFAULT_METADATA,
    clientId: CONSOLE_CLIENT_ID,
    clientName: 'Statehouse console',
    tokenEndpointAuthMethod: 'client_secret_basic',
    // One under each root secret, so that nodes agree while root secrets are exchanged. The same secret is no change.
    secretMacs: consoleSecrets(keys)
      .map(rawSecret)
      .map((secret) => live.find((mac) => matchesStoredSecret(keys, [mac], secret)) ?? storedSecretMac(keys, secret)),
    redirectUris: [consoleRedirectUri(issuer)],
    grantTypes: ['authorization_code'],
    scope: configuration.management.scopes.map(({ name }) => name),
    defaultResource: null,
    declared: false,
    registeredBy: 'operator',
  } as const;
  if (stored && differingFields(stored, registration).length === 0) return;
  const change = { type: 'registrationRequested', registration } as const;
  requireDone(await administerClient({ db, actor: theServer, ...(clock && { clock }) }, CONSOLE_CLIENT_ID, { change }));
}
