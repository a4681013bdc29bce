/** A just-in-time user, from the data of the identity provider: the username and the claims. */
import type { Configuration } from '../../config/configuration.ts';
import { type Claims, verifiedAddressKey } from '../../model/user.ts';
import { isVisible, usernameKey } from '../../oauth/username.ts';
import { isOfOneWriting } from '../../oauth/username-scripts.ts';
import { scopeOfAdministrator } from '../../protocol/administrators.ts';
import type { Acceptable, ExternalSignInDeps } from './deps.ts';

const LAST_NUMBER = 9;
const RANDOM_BYTES = 5;
/** With a suffix, the name stays below the bound of usernames, which counts UTF-16 units. */
const MAX_BASE_CHARACTERS = 100;

/** operators.yaml gives its roles to usernames, so no just-in-time user gets such a name. */
export const isReserved = (configuration: Configuration, username: string): boolean =>
  scopeOfAdministrator(configuration, { kind: 'user', username }).length > 0;

/**
 * @param claims of the new user: where addresses identify, only their verified address may be the username as a whole.
 * @returns usernames in the order of preference. The last is random.
 */
export function usernamesFor(
  deps: Pick<ExternalSignInDeps, 'random' | 'configuration'>,
  { acceptableUsername }: Pick<Acceptable, 'acceptableUsername'>,
  wanted: readonly unknown[],
  claims: Claims,
): readonly string[] {
  const own = verifiedAddressKey({ claims });
  const isAnyText = deps.configuration().signIn.identifiers === 'username';
  const names = wanted
    .map((text) => {
      const name = acceptableUsername(text);
      if (name === null || isAnyText || !name.includes('@')) return name;
      const [local = ''] = name.split('@');
      return usernameKey(name) === own ? name : local;
    })
    .filter((name) => name !== null && name !== '' && isVisible(name) && isOfOneWriting(name));
  // Whole characters: the database cannot store half of a surrogate pair.
  const first = names[0] ?? 'user';
  const whole = Array.from(first).slice(0, MAX_BASE_CHARACTERS).join('').trim();
  // A suffix would make an address another address.
  const base = isAnyText ? whole : (whole.split('@')[0] ?? whole);
  const numbered = Array.from({ length: LAST_NUMBER - 1 }, (_, at) => `${base}-${at + 2}`);
  const random = `${base}-${deps.random.bytes(RANDOM_BYTES).toString('hex')}`;
  return [...new Set([...(whole === first ? [whole] : []), base]), ...numbered, random].filter(
    (name) => !isReserved(deps.configuration(), name),
  );
}

/** The valid claims that the policy copies. An address counts as verified only where the identity provider says so. */
export function claimsOf(
  { acceptableClaims }: Pick<Acceptable, 'acceptableClaims'>,
  names: readonly string[],
  told: Claims,
): Claims {
  const taken = Object.fromEntries(
    Object.entries(told).filter(([name, value]) => names.includes(name) && value !== undefined && value !== null),
  );
  const claims = acceptableClaims(taken);
  return withoutIdleFlags(claims);
}

/** `email_verified` has a meaning only with its address. */
function withoutIdleFlags(claims: Claims): Claims {
  return Object.fromEntries(
    Object.entries(claims).filter(([name]) => {
      const of = name.endsWith('_verified') ? name.slice(0, -'_verified'.length) : null;
      return of === null || claims[of] !== undefined;
    }),
  );
}
