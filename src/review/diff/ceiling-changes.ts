/** The effect of a changed ceiling, or of a resource that lost a scope, on active chains (docs/decisions/0027). */
import type { Change } from '../../config/changes.ts';
import type { Configuration } from '../../config/configuration.ts';

/** `means`: for active chains and tokens. */
export type ConfigurationChange = Change & { readonly means?: string };

type DeclaredFields = Readonly<Record<string, unknown>>;

/** As written in the file (separated by spaces), or as read from it. */
const words = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value : typeof value === 'string' ? value.split(' ').filter(Boolean) : [];
const missing = (from: readonly string[], to: readonly string[]) => from.filter((name) => !to.includes(name));

/** Of one field of a declared client. @returns null: it means nothing for living chains. */
export function meaningOfClientField(field: string, from: DeclaredFields, to: DeclaredFields): string | null {
  if (field === 'scope') return meaningOfCeiling(from['scope'], to['scope']);
  if (field === 'grant_types') return meaningOfGrantTypes(from['grant_types'], to['grant_types']);
  return null;
}

function meaningOfCeiling(from: unknown, to: unknown): string {
  if (to === undefined) return `There is no ceiling any more. ${GIVEN_BACK}`;
  const [before, after] = [words(from), words(to)];
  const lost = from === undefined ? null : missing(before, after);
  const gained = missing(after, before);
  return [
    ...(lost === null ? [`Chains keep no more than ${after.join(' ')}. ${LOSING}`] : []),
    ...(lost !== null && lost.length > 0 ? [`Chains lose ${lost.join(' ')}. ${LOSING}`] : []),
    ...(lost?.includes('offline_access') ? [OFFLINE] : []),
    ...(lost !== null && gained.length > 0 ? [GIVEN_BACK] : []),
  ].join(' ');
}

const LOSING =
  'It is left out from the next exchange or refresh on; access tokens that are out keep it until they expire. A chain that has nothing left is refused with invalid_grant, and is not used up.';
const OFFLINE =
  'Where the policy has refreshTokensNeedOfflineAccess, chains can no longer be refreshed: the client receives invalid_grant.';
const GIVEN_BACK = 'Chains whose end-user allowed more get it at their next refresh; none gets more than was allowed.';

function meaningOfGrantTypes(from: unknown, to: unknown): string | null {
  const has = (types: unknown) => Array.isArray(types) && types.includes('refresh_token');
  if (has(from) === has(to)) return null;
  return has(from)
    ? 'Chains can no longer be refreshed: the client receives unauthorized_client. No chain is used up by that.'
    : 'Chains that have not ended can be refreshed again.';
}

type Resources = Pick<Configuration, 'resources'>;

/** @returns the effect on tokens of a removed resource or scope, or of a resource that opens UserInfo no more; null: another change. */
export function meaningOfResourceChange(before: Resources, after: Resources, { key, to }: Change): string | null {
  const ofBoth = after.resources.filter((one) =>
    before.resources.some(({ identifier }) => identifier === one.identifier),
  );
  if (ofBoth.some(({ identifier }) => key === `resources.${identifier}.userInfo`)) {
    return to === false ? NO_USERINFO : USERINFO_AGAIN;
  }
  if (to !== null) return null;
  for (const { identifier, scopes } of before.resources) {
    const isGone = !after.resources.some((one) => one.identifier === identifier);
    if (isGone && key.startsWith(`resources.${identifier}.`)) return NO_RESOURCE;
    if (scopes.some(({ name }) => key === `resources.${identifier}.scopes.${name}`)) return NO_SCOPE;
  }
  return null;
}

const NO_USERINFO =
  'Access tokens for this resource no longer open the UserInfo Endpoint, not even those that are out. Clients that call it ask for a token by `resource`.';
const USERINFO_AGAIN =
  'Access tokens for this resource open the UserInfo Endpoint again, where the client asked for `openid` and named no `resource`.';
const NO_RESOURCE = 'No token is made for this resource any more, for any approval.';
const NO_SCOPE = `Tokens for this resource are made without it, unless the client's own scope names it and this is the default resource.`;
