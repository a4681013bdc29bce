/** The released claims: the custom claims about the end-user for each scope and place (claims.yaml). */
import type { ClaimsPolicy } from '../../policies/claims-schema.ts';
import type { ClaimPlace } from '../oauth/claims.ts';

type ClaimsOfScope = ReadonlyMap<string, readonly string[]>;

/** The names of the claims that each scope releases there. Omits scopes that release none. */
export function releasableClaims(policy: ClaimsPolicy, place: ClaimPlace): ClaimsOfScope {
  const known = releasable.get(policy) ?? new Map<ClaimPlace, ClaimsOfScope>();
  releasable.set(policy, known);
  const found = known.get(place) ?? claimsIn(policy, place);
  known.set(place, found);
  return found;
}
const releasable = new WeakMap<ClaimsPolicy, Map<ClaimPlace, ClaimsOfScope>>();

const claimsIn = ({ scopes }: ClaimsPolicy, place: ClaimPlace): ClaimsOfScope =>
  new Map(
    scopes
      .map(
        ({ name, claims }) =>
          [name, claims.filter((claim) => claim.in.includes(place)).map((claim) => claim.name)] as const,
      )
      .filter(([, names]) => names.length > 0),
  );

/** Whether any token carries custom claims. Only then does the store load them with the grant. */
export const tokensReleaseClaims = (policy: ClaimsPolicy): boolean =>
  releasableClaims(policy, 'id_token').size > 0 || releasableClaims(policy, 'access_token').size > 0;

/** The claims of the end-user that this scope releases there. */
export function releasedClaims(
  policy: ClaimsPolicy,
  place: ClaimPlace,
  scope: readonly string[],
  claims: Readonly<Record<string, unknown>> | null,
): Record<string, unknown> {
  const mapping = releasableClaims(policy, place);
  if (mapping.size === 0 || claims === null) return {};
  const names = scope.flatMap((name) => mapping.get(name) ?? []).filter((name) => Object.hasOwn(claims, name));
  return Object.fromEntries(names.map((name) => [name, claims[name]]));
}
