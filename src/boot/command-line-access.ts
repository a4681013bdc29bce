/**
 * One process holds the embedded database, so commands reach it through the running server: as a client of the management API, with
 * a secret that is fresh at each start and lies in `.statehouse/`, which only the owner of the folder can read (docs/decisions/0035).
 */
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { COMMAND_LINE_CLIENT } from '../config/command-line-client.ts';
import { MANAGEMENT_SCOPE_NAMES } from '../config/management-resource.ts';
import { makeClientSecret, storedSecretMac } from '../crypto/client-secret.ts';
import { rowMacs } from '../crypto/row-mac.ts';
import { theServer } from '../model/actor.ts';
import { administerClient } from '../registration/administration.ts';
import { DEFAULT_METADATA } from '../registration/client-metadata.ts';
import { removeServerCredential, writeServerCredential } from '../storage/server-credential.ts';
import { homeFolder } from '../system/home-folder.ts';
import type { Runtime } from './runtime.ts';

/**
 * @param bound where the server listens.
 * @returns a function that takes the credential away.
 */
export async function openToCommands(
  runtime: Runtime,
  bound: AddressInfo | string | null,
  logger: Logger,
): Promise<() => void> {
  const origin = originOf(bound);
  const secret = await registerCommandLine(runtime);
  if (origin === null || secret === null) {
    const reason = secret === null ? 'client_is_declared' : 'address_unknown';
    logger.warn({ reason }, 'commands cannot use this server; stop it to run commands');
    return () => {};
  }
  writeServerCredential(homeFolder(), { origin, issuer: runtime.environment.issuer, secret });
  return () => removeServerCredential(homeFolder());
}

/** @returns its fresh secret; null where configuration declares a client of this name. */
export async function registerCommandLine({
  database,
  keys,
  random,
}: Pick<Runtime, 'database' | 'keys' | 'random'>): Promise<string | null> {
  const secret = makeClientSecret(random);
  const registration = {
    ...DEFAULT_METADATA,
    clientId: COMMAND_LINE_CLIENT,
    clientName: 'Commands on this machine',
    tokenEndpointAuthMethod: 'client_secret_basic',
    secretMacs: [storedSecretMac(keys, secret)],
    grantTypes: ['client_credentials'],
    scope: [...MANAGEMENT_SCOPE_NAMES],
    declared: false,
    registeredBy: 'operator',
  } as const;
  const change = { type: 'registrationRequested', registration } as const;
  const outcome = await administerClient(
    { db: database.drizzle, macs: rowMacs(keys), actor: theServer },
    COMMAND_LINE_CLIENT,
    { change },
  );
  return outcome.kind === 'rejected' ? null : secret;
}

/** Every address of the machine is the loopback address, too. */
const EVERY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** @returns null for what is not an address of a network. */
function originOf(bound: AddressInfo | string | null): string | null {
  if (bound === null || typeof bound === 'string') return null;
  const address = EVERY[bound.address] ?? bound.address;
  const origin = `http://${address.includes(':') ? `[${address}]` : address}:${bound.port}`;
  return URL.canParse(origin) ? origin : null;
}
