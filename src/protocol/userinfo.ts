/** OpenID Connect Core §5.3: the claims about the end-user that the scope of an access token allows, and no others. */

import type { Configuration } from '../config/configuration.ts';
import { STANDARD_CLAIMS_OF } from '../oauth/claims.ts';
import { type AccessTokenDeps, type InactiveReason, presentedAccessToken } from './presented-access-token.ts';
import { releasedClaims } from './released-claims.ts';
import { mayOpenUserInfo } from './requested-access.ts';

export type UserInfoDeps = AccessTokenDeps & {
  readonly configuration: () => Pick<Configuration, 'identity' | 'claims' | 'resources' | 'management'>;
  /** By the names of Core §5.1. Null: the user no longer exists. */
  readonly claimsOf: (userId: string) => Promise<Readonly<Record<string, unknown>> | null>;
};

export type UserInfo =
  | { readonly kind: 'claims'; readonly claims: Readonly<Record<string, unknown>>; readonly grantId: string }
  /** RFC 6750 §3.1. The reason is for the log. */
  | { readonly kind: 'refused'; readonly error: 'invalid_token'; readonly reason: InactiveReason | 'user_unknown' }
  | { readonly kind: 'refused'; readonly error: 'insufficient_scope'; readonly reason: 'openid_not_granted' };

/** @throws StoreUnavailable */
export async function userInfo(deps: UserInfoDeps, accessToken: string): Promise<UserInfo> {
  const presented = await presentedAccessToken(deps, accessToken);
  if (presented.kind === 'inactive') return { kind: 'refused', error: 'invalid_token', reason: presented.reason };
  const { claims, grant } = presented;
  const scope = claims.scope.split(' ');
  // Without `openid`, or for another resource, an access token releases no claim about the end-user: an API must not
  // identify its user with it.
  const audience = [claims.aud].flat();
  const isForUs =
    audience.includes(deps.configuration().identity.identifier) && mayOpenUserInfo(deps.configuration(), audience);
  if (grant === null || !isForUs || !scope.includes('openid')) {
    return { kind: 'refused', error: 'insufficient_scope', reason: 'openid_not_granted' };
  }
  const known = await deps.claimsOf(grant.userId);
  if (!known) return { kind: 'refused', error: 'invalid_token', reason: 'user_unknown' };
  const asked = scope.flatMap((one) => STANDARD_CLAIMS_OF[one] ?? []);
  // Core §5.3.2: `sub` MUST always be returned, and a Claim that is not known SHOULD be omitted rather than be null.
  const given = asked.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]] as const]));
  const further = releasedClaims(deps.configuration().claims, 'userinfo', scope, known);
  return { kind: 'claims', claims: { sub: claims.sub, ...Object.fromEntries(given), ...further }, grantId: grant.id };
}
