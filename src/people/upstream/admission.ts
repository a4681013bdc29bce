/** The policy's check of an answer: the admission of the user, the age of the sign-in, and its factors. */
import type { Upstream } from '../../../policies/upstreams-schema.ts';
import type { ExternalSignIn } from '../../lifecycles/external-sign-in/entity.ts';
import type { Claims } from '../../model/user.ts';
import type { Redeemed } from './provider.ts';

/** Every condition of the policy has to hold. */
export function admits({ admit }: Pick<Upstream, 'admit'>, claims: Claims): boolean {
  const { emailDomains, claim } = admit;
  if (emailDomains && !emailDomains.includes(verifiedDomain(claims) ?? '')) return false;
  if (!claim) return true;
  const values = [claims[claim.name]].flat();
  return values.some((value) =>
    claim.values.includes(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
  );
}

/** Whether a first sign-in registers the user. The policy may bound the domains of the verified address. */
export const registers = (
  { createUsers, createUsersFrom }: Pick<Upstream, 'createUsers' | 'createUsersFrom'>,
  claims: Claims,
): boolean => createUsers && (createUsersFrom === undefined || createUsersFrom.includes(verifiedDomain(claims) ?? ''));

/** An unverified address proves nothing about its owner. */
function verifiedDomain({ email, email_verified: isVerified }: Claims): string | null {
  if (typeof email !== 'string' || isVerified !== true) return null;
  const at = email.lastIndexOf('@');
  return at < 1 ? null : email.slice(at + 1).toLowerCase();
}

/** Two clocks are never the same. */
export const CLOCK_TOLERANCE_SECONDS = 60;

/**
 * Whether a user who has to sign in again did so: OpenID Connect Core §3.1.2.1 on `prompt=login` and `max_age`.
 * @param authTime seconds since 1970. Null: the identity provider omits it, which does not suffice.
 */
export function isRecentEnough(
  { requested, beganAt }: Pick<ExternalSignIn, 'requested' | 'beganAt'>,
  authTime: number | null,
  now: Date,
): boolean {
  const { prompt, maxAgeSeconds } = requested;
  if (!prompt.includes('login') && maxAgeSeconds === null) return true;
  if (authTime === null) return false;
  const seconds = (instant: Date) => instant.getTime() / 1000;
  const isRecent = !prompt.includes('login') || authTime >= seconds(beganAt) - CLOCK_TOLERANCE_SECONDS;
  const isYoung = maxAgeSeconds === null || seconds(now) - authTime <= maxAgeSeconds + CLOCK_TOLERANCE_SECONDS;
  return isRecent && isYoung;
}

const SEVERAL_FACTORS = 'mfa';

/** A key of another site. With a code that the user types here, it would pass for a passkey of this site. */
const KEYS = ['hwk', 'swk'];

/** The provider's own methods. `mfa` exactly where the policy trusts its claim of several factors, and no keys. */
export function methodsOf({ multiFactor }: Pick<Upstream, 'multiFactor'>, { acr, amr }: Pick<Redeemed, 'acr' | 'amr'>) {
  const counts = (acr !== null && multiFactor.acr.includes(acr)) || amr.some((one) => multiFactor.amr.includes(one));
  const others = amr.filter((one) => one !== SEVERAL_FACTORS);
  return counts ? [...others, SEVERAL_FACTORS] : others.filter((one) => !KEYS.includes(one));
}
