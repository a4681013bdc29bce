/**
 * The administrators of this server, by the current operators.yaml. Pure: the approval, each issue of tokens, and each
 * request to the management API get the same answer.
 */
import type { Configuration } from '../config/configuration.ts';
import type { Grant } from '../model/grant.ts';
import { usernameKey } from '../oauth/username.ts';

/** `username`: null for an end-user who no longer exists. */
export type Administrator =
  | { readonly kind: 'user'; readonly username: string | null }
  | { readonly kind: 'client'; readonly clientId: string };

type Rules = Pick<Configuration, 'management' | 'operators'>;

/** The scopes of the management API that this user or client has now. Empty for one that is no administrator. */
export function scopeOfAdministrator({ management, operators }: Rules, who: Administrator): readonly string[] {
  if (who.kind === 'client') return operators.clients.find(({ client_id: id }) => id === who.clientId)?.scope ?? [];
  if (who.username === null) return [];
  const key = usernameKey(who.username);
  const isAmong = (names: readonly string[]) => names.some((name) => usernameKey(name) === key);
  const scope = management.scopes.map(({ name }) => name);
  if (isAmong(operators.operators)) return scope;
  return isAmong(operators.auditors) ? scope.filter((name) => name.endsWith(':read')) : [];
}

/** The operator whom a set-up made administers beside those of the file, and always proves a second factor. */
export const withOperatorBySetUp = (configuration: Configuration, username: string): Configuration => ({
  ...configuration,
  operatorBySetUp: username,
  operators: { ...configuration.operators, operators: [...configuration.operators.operators, username] },
});

export const isOperatorBySetUp = ({ operatorBySetUp }: Configuration, username: string): boolean =>
  operatorBySetUp !== undefined && usernameKey(operatorBySetUp) === usernameKey(username);

/** Whether this end-user has any role now. */
export const isAdministrator = (rules: Rules, username: string): boolean =>
  scopeOfAdministrator(rules, { kind: 'user', username }).length > 0;

/**
 * The end-user whose role counts for a grant. The store looks up the username only where the grant is for the
 * management API, so other tokens cost no query. Null: the grant needs no role, or the end-user no longer exists.
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

/**
 * The part of a scope that an end-user may grant now: the scopes of the management API that the role has, and every
 * other scope.
 */
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
