/**
 * The methods that the second page of a sign-in offers for an identifier. A browser that is no trusted device of the
 * account sees the methods of this server, and the server reads nothing about the identifier. Only a trusted device
 * sees those of the account (docs/decisions/0082).
 */
import { knownDevice } from '../../crypto/device-cookie.ts';
import type { LinkedIdentityStore } from '../../lifecycles/linked-identity/lifecycle.ts';
import { isSecondFactorOnly } from '../../lifecycles/passkey/entity.ts';
import { addressOf, NO_PASSWORD } from '../../model/user.ts';
import type { SignedInUser } from '../../protocol/browser-session.ts';
import type { SignInDeps } from '../../protocol/sign-in.ts';
import type { SecondFactorDeps } from '../second-factor/deps.ts';

export type OfferDeps = Pick<SignInDeps, 'keys' | 'users' | 'configuration'> & {
  readonly secondFactors: Pick<SecondFactorDeps['secondFactors'], 'listPasskeys'>;
  readonly identities: Pick<LinkedIdentityStore, 'list'>;
  readonly now: () => Date;
};

export type Offer = {
  readonly password: boolean;
  /** `first`: before the password. `beside`: after it, like the identity providers. `none`: not offered. */
  readonly passkey: 'first' | 'beside' | 'none';
  /** The names of identity providers in upstreams.yaml. Null: all of them. */
  readonly upstreams: readonly string[] | null;
};

export const EVERY_METHOD: Offer = { password: true, passkey: 'beside', upstreams: null };

/** @param typed an identifier of the current policy. @throws StoreUnavailable */
export async function offerFor(deps: OfferDeps, typed: string, deviceCookie: string | null): Promise<Offer> {
  const user = deviceCookie === null ? null : await userOfDevice(deps, typed, deviceCookie);
  return user === null ? EVERY_METHOD : methodsOf(deps, user);
}

/** @returns null: no account, or this browser is no trusted device of it. */
async function userOfDevice(deps: OfferDeps, typed: string, deviceCookie: string): Promise<SignedInUser | null> {
  const { users, keys } = deps;
  const name = await users.accountKeyOf(typed);
  const knows = (userId: string | null) => {
    const device = knownDevice(keys, deviceCookie, { name, userId });
    return device !== null && device.endsAt > deps.now();
  };
  if (!knows(null)) return null;
  const user = await users.findForSignIn(typed);
  return user === null || user.disabledAt !== null || !knows(user.id) ? null : user;
}

async function methodsOf(deps: OfferDeps, { id, passwordHash }: SignedInUser): Promise<Offer> {
  const [keys, identities] = await Promise.all([deps.secondFactors.listPasskeys(id), deps.identities.list(id)]);
  const passkeys = keys.filter((key) => !isSecondFactorOnly(key));
  const issuers = new Set(identities.map(({ issuer }) => issuer));
  const upstreams = deps.configuration().upstreams.flatMap(({ name, issuer }) => (issuers.has(issuer) ? [name] : []));
  const password = passwordHash !== NO_PASSWORD;
  // Its methods may have left the configuration.
  if (!password && passkeys.length === 0 && upstreams.length === 0) return EVERY_METHOD;
  return { password, passkey: passkeys.length > 0 ? 'first' : 'none', upstreams };
}

/**
 * The identifier with which a signed-in end-user signs in again: where only addresses identify, the verified address.
 * @throws StoreUnavailable
 */
export async function identifierOf(
  { users, configuration }: Pick<OfferDeps, 'users' | 'configuration'>,
  { userId, username }: { readonly userId: string; readonly username: string },
): Promise<string> {
  if (configuration().signIn.identifiers !== 'email') return username;
  const user = await users.findToVerify(userId);
  const own = user && addressOf(user);
  return own?.isVerified ? own.address : username;
}
