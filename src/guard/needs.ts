/** The needs of a request, and whether a token meets them. */
import { areScopes, type GuardRules } from './options.ts';
import type { AccessTokenClaims, RefusalReason } from './outcome.ts';

/** The needs of a request. */
export type Needs = {
  /** All of these. Empty: any token for this API. */
  readonly scopes: readonly string[];
  /** Whether the guard also asks the server. Default: yes, where the guard has `introspection`. */
  readonly introspect?: boolean | undefined;
  /**
   * The classes of sign-in of which any is enough (`acr`), the preferred first. List all that are strong enough: their
   * names give the guard no order. Default: any sign-in, and tokens without an end-user. RFC 9470 §3.
   */
  readonly acrValues?: readonly string[] | undefined;
  /** The maximum age of the sign-in (`auth_time`). Default: no limit. */
  readonly maxAgeSeconds?: number | undefined;
};

/** @returns the problem with the needs of a route at an API with these rules. Null: none. */
export function needsProblem(needs: Needs, rules: GuardRules): string | null {
  const scopes: unknown = Object(needs)['scopes'];
  if (!areScopes(scopes)) return 'it has to name its scopes as a list; an empty list lets in any token for this API';
  const unknown = scopes.filter((one) => rules.scopes !== null && !rules.scopes.includes(one));
  if (unknown.length > 0) return `the scopes of this API are ${rules.scopes?.join(', ')}; found: ${unknown.join(', ')}`;
  const { acrValues, maxAgeSeconds } = needs;
  if (acrValues !== undefined && !(areScopes(acrValues) && acrValues.length > 0))
    return 'acrValues has to be a list of classes, none of which has a space or a quote';
  if (maxAgeSeconds !== undefined && !(Number.isSafeInteger(maxAgeSeconds) && maxAgeSeconds >= 0))
    return 'maxAgeSeconds has to be a whole number of seconds';
  return needs.introspect === true && rules.introspection === null
    ? 'it asks for introspection, which the options of this guard do not include'
    : null;
}

/** RFC 9470 §3: the sign-in has a class that is enough, and is recent enough. @param now milliseconds since 1970 */
export function signInProblem(
  { acr, auth_time: signedInAt }: AccessTokenClaims,
  { acrValues, maxAgeSeconds }: Pick<Needs, 'acrValues' | 'maxAgeSeconds'>,
  { clockToleranceSeconds }: Pick<GuardRules, 'clockToleranceSeconds'>,
  now: number,
): RefusalReason | null {
  if (acrValues !== undefined && !(typeof acr === 'string' && acrValues.includes(acr))) return 'sign_in_too_weak';
  if (maxAgeSeconds !== undefined && !isWithin(signedInAt, maxAgeSeconds + clockToleranceSeconds, now))
    return 'sign_in_too_old';
  return null;
}

/** @param signedInAt seconds since 1970, from the token. @param now milliseconds since 1970 */
const isWithin = (signedInAt: unknown, seconds: number, now: number): boolean =>
  typeof signedInAt === 'number' && now / 1000 - signedInAt <= seconds;
