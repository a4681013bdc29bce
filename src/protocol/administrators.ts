/**
 * Who may administer this server, by operators.yaml of today. Pure: the same answer at the approval, at each issue of tokens, and
 * at each request to the management API.
 */
import type { Configuration } from '../config/configuration.ts';
import type { Grant } from '../model/grant.ts';
import { usernameKey } from '../oauth/username.ts';

/** `username`: null for an end-user who no longer exists. */
export type Administrator =
  | { readonly kind: 'user'; readonly username: string | null }
  | { readonly kind: 'client'; readonly clientId: string };

type Rules = Pick<Configuration, 'management' | 'operators'>;

/** The scopes of the management API that it may have today; none: it is no administrator. */
export function scopeOfAdministrator({ management, operators }: Rules, who: Administrator): readonly string[] {
  if (who.kind === 'client') return operators.clients.find(({ client_id: id }) => id === who.clientId)?.scope ?? [];
  if (who.username === null) return [];
  const key = usernameKey(who.username);
  const isAmong = (names: readonly string[]) => names.some((name) => usernameKey(name) === key);
  const scope = management.scopes.map(({ name }) => name);
  if (isAmong(operators.operators)) return scope;
  return isAmong(operators.auditors) ? scope.filter((name) => name.endsWith(':read')) : [];
}

/**
 * Whose role counts for a grant. The username is looked up only where the grant is for the management API: other tokens cost
 * nothing more. Null: no role is asked for, or the end-user no longer exists.
 *
 * @throws StoreUnavailable
 */
export async function administratorNameOf(
  deps: {
    readonly configuration: () => Rules;
    readonly usernameOf: (userId: string) => Promise<string | null>;
  },
  { resources, userId }: Pick<Grant, 'resources' | 'userId'>,
): Promise<string | null> {
  return resources.includes(deps.configuration().management.identifier) ? deps.usernameOf(userId) : null;
}

/** What an end-user may grant of it today: scopes of the management API by the role alone, and everything else. */
export function grantableScope(
  configuration: Rules,
  { scope, resources }: { readonly scope: readonly string[]; readonly resources: readonly string[] },
  username: string | null,
): readonly string[] {
  const { identifier, scopes } = configuration.management;
  if (!resources.includes(identifier)) return scope;
  const ofRole = scopeOfAdministrator(configuration, { kind: 'user', username });
  return scope.filter((name) => ofRole.includes(name) || !scopes.some((one) => one.name === name));
}
