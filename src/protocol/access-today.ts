/**
 * What a client may have of a grant today: what the end-user granted, under the client's ceiling, its grant types, its policy and
 * the resources of today (docs/decisions/0027). The grant keeps what was granted, so a ceiling that is widened again gives it back.
 */
import { type Configuration, policyOf } from '../config/configuration.ts';
import type { TokenClient } from '../model/client.ts';
import type { AccessToday, Grant } from '../model/grant.ts';
import { allowedScope, everyResource, mayName, OFFLINE_ACCESS } from './requested-access.ts';

export function accessToday(configuration: Configuration, grant: Grant, client: TokenClient): AccessToday {
  const { identifier: userInfo } = configuration.identity;
  const identifies = grant.identity !== null && (client.scope === null || client.scope.includes('openid'));
  const known = everyResource(configuration).map(({ identifier }) => identifier);
  const resources = grant.resources.filter((one) =>
    one === userInfo ? identifies : known.includes(one) && mayName(configuration, client, one),
  );
  // A client with `openid` names the UserInfo Endpoint in its token request to get a token for it alone.
  if (identifies && !resources.includes(userInfo)) resources.push(userInfo);
  const allowed = allowedScope(configuration, client, resources);
  const mayBeOffline = client.scope === null || client.scope.includes(OFFLINE_ACCESS);
  const scope = grant.scope.filter((name) => (name === OFFLINE_ACCESS ? mayBeOffline : allowed.includes(name)));
  return {
    // Offline access alone is access to nothing.
    scope: scope.some((name) => name !== OFFLINE_ACCESS) ? scope : [],
    resources,
    mayRefresh: mayRefresh(configuration, scope, client),
  };
}

/** By the client's registered grant types and, where its policy asks for that, by `offline_access` (OpenID Connect Core §11). */
export function mayRefresh(configuration: Configuration, scope: readonly string[], client: TokenClient): boolean {
  if (!client.grantTypes.includes('refresh_token')) return false;
  const { refreshTokensNeedOfflineAccess = false } = policyOf(configuration, client);
  return !refreshTokensNeedOfflineAccess || scope.includes(OFFLINE_ACCESS);
}
