/**
 * Linked identities and factors that end-users bring from another system, and whether they are disabled. Each goes through its own machine,
 * after the registration. Ids are derived from the end-user, so a repeated import changes nothing. An identity or a factor that the end-user
 * has removed since does not come back.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { derivedId } from '../crypto/derived-id.ts';
import { linkIdentity } from '../lifecycles/linked-identity/lifecycle.ts';
import { factorsChanged } from '../people/trust/trust.ts';
import { trustedBrowserStore } from '../storage/factors.ts';
import { begunIdentities, holdersOfIdentities, identityKey } from '../storage/imported-ways.ts';
import { linkedIdentityStore } from '../storage/linked-identities.ts';
import { databaseClock } from '../system/clock.ts';
import { administerUser } from './administration.ts';
import { placeFactors, type StoredFactors, storedFactors } from './import-factors.ts';
import type { Placed, WayChanged, WaysDeps } from './placed-user.ts';

/** `notes`: the parts that could not be stored, with the reason. */
export type WaysPlaced = { readonly changed: readonly WayChanged[]; readonly notes: readonly string[] };

/** The stored facts for one batch: few statements for many end-users, most of whom bring neither. */
type Stored = {
  /** Those of the batch are added: two of its records may have the same account. */
  readonly holders: Map<string, string>;
  readonly identities: ReadonlySet<string>;
  readonly factors: StoredFactors;
};

/** @returns in the order of `placed`. @throws Unavailable, StoreUnavailable */
export async function placeWays(deps: WaysDeps, placed: readonly Placed[]): Promise<readonly WaysPlaced[]> {
  const identities = placed.flatMap(({ sent }) => sent.identities);
  const stored: Stored = {
    holders: new Map(await holdersOfIdentities(deps.db, identities)),
    identities: await begunIdentities(
      deps.db,
      placed.flatMap(({ id, sent }) => sent.identities.map((one) => identityId(id, one))),
    ),
    factors: await storedFactors(deps, placed),
  };
  const done: WaysPlaced[] = [];
  for (const one of placed) done.push(await placeFor(deps, one, stored));
  return done;
}

const FACTORS: readonly WayChanged[] = ['authenticator_apps', 'passkeys'];

/** Disabled at last: the machines of the others ask for an end-user who may sign in. */
async function placeFor(deps: WaysDeps, one: Placed, stored: Stored): Promise<WaysPlaced> {
  const { id, isKnown, isDisabled, sent } = one;
  const changed = new Set<WayChanged>();
  const notes: string[] = [];
  for (const identity of sent.identities) {
    const { issuer, subject, provider } = identity;
    const holder = stored.holders.get(identityKey(identity));
    if (holder === id || stored.identities.has(identityId(id, identity))) continue;
    if (holder !== undefined) {
      notes.push(`${provider}: another end-user signs in with this account`);
      continue;
    }
    const identities = linkedIdentityStore(deps.db, deps.clock ?? databaseClock, deps.macs);
    const draft = { id: identityId(id, identity), userId: id, issuer, subject, provider };
    await linkIdentity({ identities, sleep }, draft, deps.actor);
    stored.holders.set(identityKey(identity), id);
    changed.add('identities');
  }
  await placeFactors(deps, one, stored.factors, { changed, notes });
  if (isKnown && FACTORS.some((name) => changed.has(name))) {
    const trustedBrowsers = trustedBrowserStore(deps.db, deps.clock ?? databaseClock, deps.macs);
    await factorsChanged({ trustedBrowsers, sleep }, id, deps.actor);
  }
  if (sent.disabled && !isDisabled) {
    await administerUser(deps, { id, change: { type: 'disableRequested' } });
    changed.add('disabled');
  }
  return { changed: [...changed], notes };
}

const identityId = (userId: string, { issuer, subject }: { readonly issuer: string; readonly subject: string }) =>
  derivedId(['imported', 'identity', userId, issuer, subject]);
