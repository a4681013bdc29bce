/** Stores a client's record as a row. Idempotent. */
import { describeRecordProblem, type RecordProblem } from '../config/problem.ts';
import { makeClientSecret, matchesStoredSecret, storedSecretMac } from '../crypto/client-secret.ts';
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { RawSecret } from '../crypto/secret-types.ts';
import { type ClientRow, differingFields, type SentRegistration } from '../lifecycles/client/lifecycle.ts';
import { type Client, hasSecret } from '../model/client.ts';
import { findClient } from '../storage/clients.ts';
import { isSub } from '../storage/users.ts';
import { type AdministrationDeps, administerClient, requireDone } from './administration.ts';
import type { ReadClient } from './client-metadata.ts';
import { problem } from './record-problem.ts';

export type RegistrationDeps = AdministrationDeps & { readonly keys: RootKeys; readonly random: Random };

/**
 * RFC 9700 §4.15: the client's own tokens would have this id as their `sub`, and an API could take it for the end-user.
 * @param key null: the field is named beside it.
 */
export const idOfUser = (key: string | null): RecordProblem =>
  problem(key, 'the sub of an end-user', 'an id that no end-user has (RFC 9700 §4.15)');

/** @see idOfUser */
export class ClientIdIsSub extends Error {
  constructor() {
    super(describeRecordProblem(idOfUser('client_id')));
    this.name = 'ClientIdIsSub';
  }
}

export type ClientPlan = {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  readonly registration: SentRegistration;
  /** The RFC 7591 names of the fields that differ from what is stored. */
  readonly changed: readonly string[];
  /** Created here for a confidential client without a secret. Shown once; the database keeps a keyed hash. */
  readonly madeSecret: RawSecret | null;
};

/** Plans `registerClient`. Changes nothing. @throws ClientIdIsSub */
export async function planClient(deps: RegistrationDeps, metadata: ReadClient): Promise<ClientPlan> {
  const { clientId: givenId, clientName, secret, ...rest } = metadata;
  const clientId = givenId ?? deps.random.bytes(16).toString('base64url');
  if (givenId !== null && (await isSub(deps.db, givenId))) throw new ClientIdIsSub();
  const stored = givenId === null ? null : await findClient(deps.db, deps.macs, givenId);
  const { secretMacs, madeSecret } = secretOf(deps, metadata, stored?.secretMacs ?? []);
  // An operator who imports a client that introduced itself vouches for it.
  const ours = { declared: false, registeredBy: 'operator' } as const;
  const registration = { ...rest, ...ours, clientId, clientName: clientName ?? clientId, secretMacs };
  const changed = stored ? differingFields(stored, registration) : [];
  const outcome = stored ? (changed.length > 0 ? 'updated' : 'unchanged') : 'created';
  return { outcome, registration, changed, madeSecret };
}

/** Creates the client or replaces its registration; its grants stay active. @throws ClientIdIsSub */
export async function registerClient(deps: RegistrationDeps, metadata: ReadClient): Promise<ClientPlan> {
  const plan = await planClient(deps, metadata);
  await applyClientPlan(deps, plan);
  return plan;
}

/**
 * @param expects whether the stored registration is the one that the plan was made for. Absent: any is.
 * @throws ClientIdIsSub, ChangeRefused
 */
export async function applyClientPlan(
  deps: RegistrationDeps,
  { outcome, registration }: ClientPlan,
  expects?: (row: ClientRow) => boolean,
): Promise<void> {
  if (outcome === 'unchanged') return;
  const change = { type: 'registrationRequested', registration } as const;
  try {
    requireDone(await administerClient(deps, registration.clientId, { change, ...(expects && { expects }) }));
  } catch (error) {
    // The database has refused it, for an end-user who was registered since the plan was made.
    if (await isSub(deps.db, registration.clientId)) throw new ClientIdIsSub();
    throw error;
  }
}

type Secrets = Pick<Client, 'secretMacs'> & { readonly madeSecret: RawSecret | null };

function secretOf({ keys, random }: RegistrationDeps, metadata: ReadClient, stored: Client['secretMacs']): Secrets {
  const { secret } = metadata;
  if (!hasSecret(metadata)) return { secretMacs: [], madeSecret: null };
  if (secret !== null) {
    // The same secret is no change, whichever root secret it was stored under.
    const same = stored.filter((mac) => matchesStoredSecret(keys, [mac], secret));
    return { secretMacs: same.length > 0 ? same : [storedSecretMac(keys, secret)], madeSecret: null };
  }
  if (stored.length > 0) return { secretMacs: stored, madeSecret: null };
  const madeSecret = makeClientSecret(random);
  return { secretMacs: [storedSecretMac(keys, madeSecret)], madeSecret };
}
