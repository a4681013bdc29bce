/** A just-in-time user, from the data of the identity provider: the username and the claims. */
import type { Configuration } from '../../config/configuration.ts';
import type { Claims } from '../../model/user.ts';
import { isVisible } from '../../oauth/username.ts';
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

/** @returns usernames in the order of preference. The last is random. */
export function usernamesFor(
  deps: Pick<ExternalSignInDeps, 'random' | 'configuration'>,
  { acceptableUsername }: Pick<Acceptable, 'acceptableUsername'>,
  wanted: readonly unknown[],
): readonly string[] {
  const names = wanted
    .map((text) => acceptableUsername(text))
    .filter((name) => name !== null && isVisible(name) && isOfOneWriting(name));
  // Whole characters: the database cannot store half of a surrogate pair.
  const base = Array.from(names[0] ?? 'user')
    .slice(0, MAX_BASE_CHARACTERS)
    .join('')
    .trim();
  const numbered = Array.from({ length: LAST_NUMBER - 1 }, (_, at) => `${base}-${at + 2}`);
  const random = `${base}-${deps.random.bytes(RANDOM_BYTES).toString('hex')}`;
  return [base, ...numbered, random].filter((name) => !isReserved(deps.configuration(), name));
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
