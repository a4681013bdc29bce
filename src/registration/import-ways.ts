/**
 * Linked identities and authenticator apps that end-users bring from another system, and whether they are disabled. Each goes through
 * its own machine, after the registration. Ids are derived from the end-user, so a repeated import changes nothing.
 * An identity or an app that the end-user has removed since does not come back.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '../crypto/digest.ts';
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { earlierTotp } from '../crypto/totp.ts';
import { linkIdentity } from '../lifecycles/linked-identity/lifecycle.ts';
import { askSecondFactor } from '../lifecycles/second-factor/lifecycle.ts';
import { sealSecret, stepOfCode } from '../people/second-factor/secret.ts';
import { secondFactorStore } from '../storage/factors.ts';
import { begunApps, begunIdentities, holdersOfIdentities, identityKey } from '../storage/imported-ways.ts';
import { linkedIdentityStore } from '../storage/linked-identities.ts';
import { databaseClock } from '../system/clock.ts';
import { administerUser, type UserAdministrationDeps } from './administration.ts';
import type { ImportedUser } from './imported-user.ts';

export type WaysDeps = UserAdministrationDeps & { readonly random: Random; readonly keys: RootKeys };

type Sent = Pick<ImportedUser, 'identities' | 'totpSecrets' | 'disabled'>;
export type Placed = { readonly id: string; readonly isDisabled: boolean; readonly sent: Sent };
export type WayChanged = 'identities' | 'authenticator_apps' | 'disabled';
/** `notes`: the parts that could not be stored, with the reason. */
export type WaysPlaced = { readonly changed: readonly WayChanged[]; readonly notes: readonly string[] };

/** The stored facts for one batch: few statements for many end-users, most of whom bring neither. */
type Stored = {
  readonly holders: ReadonlyMap<string, string>;
  readonly identities: ReadonlySet<string>;
  readonly apps: ReadonlyMap<string, 'begun' | 'stored'>;
};

/** @returns in the order of `placed`. @throws Unavailable, StoreUnavailable */
export async function placeWays(deps: WaysDeps, placed: readonly Placed[]): Promise<readonly WaysPlaced[]> {
  const identities = placed.flatMap(({ sent }) => sent.identities);
  const stored: Stored = {
    holders: await holdersOfIdentities(deps.db, identities),
    identities: await begunIdentities(
      deps.db,
      placed.flatMap(({ id, sent }) => sent.identities.map((one) => identityId(id, one))),
    ),
    apps: await begunApps(
      deps.db,
      placed.flatMap(({ id, sent }) => sent.totpSecrets.map((_, place) => appId(id, place))),
    ),
  };
  const done: WaysPlaced[] = [];
  for (const one of placed) done.push(await placeFor(deps, one, stored));
  return done;
}

/** Disabled at last: the machines of the others ask for an end-user who may sign in. */
async function placeFor(deps: WaysDeps, { id, isDisabled, sent }: Placed, stored: Stored): Promise<WaysPlaced> {
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
    changed.add('identities');
  }
  for (const [place, secret] of sent.totpSecrets.entries()) {
    const factor = { id: appId(id, place), userId: id };
    const was = stored.apps.get(factor.id);
    if (was === 'begun') continue;
    if (isDisabled) {
      notes.push('authenticator app: the end-user is disabled already');
      continue;
    }
    await confirmApp(deps, factor, secret, was === 'stored');
    changed.add('authenticator_apps');
  }
  if (sent.disabled && !isDisabled) {
    await administerUser(deps, { id, change: { type: 'disableRequested' } });
    changed.add('disabled');
  }
  return { changed: [...changed], notes };
}

/** The code that the app has shown half a minute ago is the proof for the machine that the secret is right. */
async function confirmApp(
  deps: WaysDeps,
  factor: { readonly id: string; readonly userId: string },
  secret: string,
  isStored: boolean,
): Promise<void> {
  const secondFactors = secondFactorStore(deps.db, deps.clock ?? databaseClock);
  if (!isStored) await secondFactors.insertApp({ ...factor, sealedSecret: sealSecret(deps, factor, secret) });
  await askSecondFactor({ secondFactors, sleep }, factor, {
    type: 'confirmed',
    actor: deps.actor,
    stepOf: (stored, now) => stepOfCode(deps, earlierTotp(secret, now)).stepOf(stored, now),
  });
}

const identityId = (userId: string, { issuer, subject }: { readonly issuer: string; readonly subject: string }) =>
  derivedId(['identity', userId, issuer, subject]);
const appId = (userId: string, place: number) => derivedId(['authenticator app', userId, String(place)]);

/** A UUID of version 8. */
function derivedId(names: readonly string[]): string {
  const bytes = sha256(JSON.stringify(['imported', ...names]));
  const hex = bytes.toString('hex', 0, 16).replace(/^(.{12}).(.{3})./, (_, first, second) => `${first}8${second}a`);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
