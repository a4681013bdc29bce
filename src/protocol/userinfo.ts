/** OpenID Connect Core §5.3: the claims about a person that an access token opens, and no others. */
import { type AccessTokenDeps, type InactiveReason, presentedAccessToken } from './presented-access-token.ts';

/** Core §5.4: which claims each scope asks for. */
const CLAIMS_OF: Readonly<Record<string, readonly string[]>> = {
  profile: [
    'name',
    'family_name',
    'given_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
};

export const USERINFO_CLAIMS: readonly string[] = Object.values(CLAIMS_OF).flat();

export type UserInfoDeps = AccessTokenDeps & {
  readonly configuration: () => { readonly identity: { readonly identifier: string } };
  /** What is known of the person, by the names of Core §5.1; null: there is no such person any more. */
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
  // An access token is a key, never proof of identity: it opens this only where the person allowed `openid` and the token
  // is for this resource. One that was narrowed to an API cannot be used by that API to learn who its user is.
  const isForUs = [claims.aud].flat().includes(deps.configuration().identity.identifier);
  if (grant === null || !isForUs || !scope.includes('openid')) {
    return { kind: 'refused', error: 'insufficient_scope', reason: 'openid_not_granted' };
  }
  const known = await deps.claimsOf(grant.userId);
  if (!known) return { kind: 'refused', error: 'invalid_token', reason: 'user_unknown' };
  const asked = scope.flatMap((one) => CLAIMS_OF[one] ?? []);
  // Core §5.3.2: `sub` MUST always be returned, and a Claim that is not known SHOULD be omitted rather than be null.
  const told = asked.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]] as const]));
  return { kind: 'claims', claims: { sub: claims.sub, ...Object.fromEntries(told) }, grantId: grant.id };
}
