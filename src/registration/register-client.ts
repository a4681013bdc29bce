/** Stores a client's record as a row. Idempotent. */
import { matchesStoredSecret, storedSecretMac } from '../crypto/client-secret.ts';
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { type RawSecret, rawSecret } from '../crypto/secret-types.ts';
import type { Client } from '../model/client.ts';
import { type ClientRegistration, findClient, saveClient } from '../storage/clients.ts';
import type { Drizzle } from '../storage/database.ts';
import { differences, type ReadClient } from './client-metadata.ts';

export type RegistrationDeps = { readonly db: Drizzle; readonly keys: RootKeys; readonly random: Random };

export type ClientPlan = {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  readonly registration: ClientRegistration;
  /** The RFC 7591 names of the fields that differ from what is stored. */
  readonly changed: readonly string[];
  /** Created here for a confidential client without a secret. Shown once; the database keeps a keyed hash. */
  readonly madeSecret: RawSecret | null;
};

/** What `registerClient` would do. Changes nothing. */
export async function planClient(deps: RegistrationDeps, metadata: ReadClient): Promise<ClientPlan> {
  const { clientId: givenId, clientName, secret, ...rest } = metadata;
  const clientId = givenId ?? deps.random.bytes(16).toString('base64url');
  const stored = givenId === null ? null : await findClient(deps.db, givenId);
  const { secretMacs, madeSecret } = secretOf(deps, metadata, stored?.secretMacs ?? []);
  const registration: ClientRegistration = { ...rest, clientId, clientName: clientName ?? clientId, secretMacs };
  // An operator who imports a client that introduced itself vouches for it.
  const adopted = stored?.registeredBy === 'self' ? ['registered_by'] : [];
  const changed = stored ? [...differences(stored, registration), ...adopted] : [];
  const outcome = stored ? (changed.length > 0 ? 'updated' : 'unchanged') : 'created';
  return { outcome, registration, changed, madeSecret };
}

/** Creates the client or replaces its registration; its grants stay alive. */
export async function registerClient(deps: RegistrationDeps, metadata: ReadClient): Promise<ClientPlan> {
  const plan = await planClient(deps, metadata);
  await applyClientPlan(deps, plan);
  return plan;
}

export async function applyClientPlan({ db }: RegistrationDeps, { outcome, registration }: ClientPlan): Promise<void> {
  if (outcome !== 'unchanged') await saveClient(db, registration);
}

type Secrets = Pick<ClientRegistration, 'secretMacs'> & { readonly madeSecret: RawSecret | null };

function secretOf(
  { keys, random }: RegistrationDeps,
  { secret, tokenEndpointAuthMethod }: ReadClient,
  stored: Client['secretMacs'],
): Secrets {
  if (tokenEndpointAuthMethod === 'none') return { secretMacs: [], madeSecret: null };
  if (secret !== null) {
    // The same secret is no change, whichever root secret it was stored under.
    const same = stored.filter((mac) => matchesStoredSecret(keys, [mac], secret));
    return { secretMacs: same.length > 0 ? same : [storedSecretMac(keys, secret)], madeSecret: null };
  }
  if (stored.length > 0) return { secretMacs: stored, madeSecret: null };
  const madeSecret = rawSecret(random.bytes(32).toString('base64url'));
  return { secretMacs: [storedSecretMac(keys, madeSecret)], madeSecret };
}
