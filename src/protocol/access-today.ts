/**
 * The effective access of a client under a grant: the scope that the end-user granted, reduced by the client's ceiling,
 * grant types and policy, by the configured resources (docs/decisions/0027), and by the end-user's role in
 * operators.yaml (docs/decisions/0031). The grant keeps the granted scope. A ceiling that an operator widens again, or
 * a role that an operator restores, restores the access.
 */
import { type Configuration, policyOf } from '../config/configuration.ts';
import type { TokenClient } from '../model/client.ts';
import type { AccessToday, Grant } from '../model/grant.ts';
import { grantableScope } from './administrators.ts';
import { allowedScope, everyResource, mayName, OFFLINE_ACCESS, scopeAt } from './requested-access.ts';

/**
 * @param username of the grant's end-user. Only grants for the management API need it. Null: the end-user has no role.
 */
export function accessToday(
  configuration: Configuration,
  grant: Grant,
  client: TokenClient,
  username: string | null,
): AccessToday {
  const { identifier: userInfo } = configuration.identity;
  const { identifier: management } = configuration.management;
  const grantable = grantableScope(configuration, grant, username);
  const identifies = grant.scope.includes('openid') && (client.scope === null || client.scope.includes('openid'));
  const known = everyResource(configuration).map(({ identifier }) => identifier);
  const administers = () => scopeAt(configuration, grantable, [management]).some((name) => name !== OFFLINE_ACCESS);
  const resources = grant.resources.filter((one) => {
    if (one === userInfo) return identifies;
    return known.includes(one) && mayName(configuration, client, one) && (one !== management || administers());
  });
  // A client with `openid` names the UserInfo Endpoint in its token request to get a token for it alone.
  if (identifies && !resources.includes(userInfo)) resources.push(userInfo);
  const allowed = allowedScope(configuration, client, resources);
  const mayBeOffline = client.scope === null || client.scope.includes(OFFLINE_ACCESS);
  const scope = grantable.filter((name) => (name === OFFLINE_ACCESS ? mayBeOffline : allowed.includes(name)));
  return {
    // Offline access alone is access to nothing.
    scope: scope.some((name) => name !== OFFLINE_ACCESS) ? scope : [],
    resources,
    mayRefresh: mayRefresh(configuration, scope, client),
  };
}

/** Whether the grant may be refreshed now. The role of the end-user does not matter. */
export const mayRefreshToday = (configuration: Configuration, grant: Grant, client: TokenClient): boolean =>
  accessToday(configuration, grant, client, null).mayRefresh;

/** By the client's registered grant types and, where its policy asks for that, by `offline_access` (OpenID Connect Core §11). */
export function mayRefresh(configuration: Configuration, scope: readonly string[], client: TokenClient): boolean {
  if (!client.grantTypes.includes('refresh_token')) return false;
  const { refreshTokensNeedOfflineAccess = false } = policyOf(configuration, client);
  return !refreshTokensNeedOfflineAccess || scope.includes(OFFLINE_ACCESS);
}
