/** Clients and end-users of a scenario, registered as administrators do it. */
import { makeClientSecret, storedSecretMac } from '../../../crypto/client-secret.ts';
import { hashPassword } from '../../../crypto/password.ts';
import { systemRandom } from '../../../crypto/random.ts';
import { rawSecret } from '../../../crypto/secret-types.ts';
import type { ClientRegistration } from '../../../model/client.ts';
import { administerClient, administerUser, requireDone } from '../../../registration/administration.ts';
import { DEFAULT_METADATA } from '../../../registration/client-metadata.ts';
import type { Server } from './server.ts';

export const PASSWORD = 'correct horse battery staple';
const passwordHash = () => hashPassword(rawSecret(PASSWORD));
let hashed: ReturnType<typeof passwordHash> | null = null;

export type RegisteredUser = { readonly id: string; readonly username: string };

/** With a password, and an address that is verified. */
export async function registerUser({ administration }: Pick<Server, 'administration'>): Promise<RegisteredUser> {
  const id = systemRandom.uuid();
  const username = `user-${id}`;
  hashed ??= passwordHash();
  const claims = { email: `${username}@example.com`, email_verified: true };
  const registration = { username, passwordHash: await hashed, claims };
  requireDone(await administerUser(administration, { id, change: { type: 'registrationRequested', registration } }));
  return { id, username };
}

export type RegisteredClient = {
  readonly clientId: string;
  readonly redirectUri: string;
  /** Of HTTP Basic (RFC 6749 §2.3.1). */
  readonly authorization: string;
  readonly secret: string;
  readonly registerAgain: () => Promise<void>;
};

/** Confidential. */
export async function registerClient(
  { administration, keys }: Pick<Server, 'administration' | 'keys'>,
  change: Partial<ClientRegistration> = {},
): Promise<RegisteredClient> {
  const secret = makeClientSecret(systemRandom);
  const clientId = `client-${systemRandom.uuid()}`;
  const redirectUri = change.redirectUris?.[0] ?? 'https://client.example/callback';
  const registration = {
    ...DEFAULT_METADATA,
    clientId,
    clientName: 'The client of a scenario',
    tokenEndpointAuthMethod: 'client_secret_basic',
    secretMacs: [storedSecretMac(keys, secret)],
    redirectUris: [redirectUri],
    grantTypes: ['authorization_code', 'refresh_token'],
    ...change,
    declared: false,
    registeredBy: 'operator',
  } as const;
  const registerAgain = async () => {
    requireDone(
      await administerClient(administration, clientId, { change: { type: 'registrationRequested', registration } }),
    );
  };
  await registerAgain();
  const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
  return { clientId, redirectUri, authorization, secret, registerAgain };
}
