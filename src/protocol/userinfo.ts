/** OpenID Connect Core §5.3: the claims about the end-user that the scope of an access token allows, and no others. */

import type { Configuration } from '../config/configuration.ts';
import type { Confirmation } from '../crypto/access-token.ts';
import { STANDARD_CLAIMS_OF } from '../oauth/claims.ts';
import { type SentCertificate, sentThumbprint } from './client-certificate.ts';
import { type ProofDeps, presentedProof } from './dpop.ts';
import { type AccessTokenDeps, type InactiveReason, presentedAccessToken } from './presented-access-token.ts';
import { releasedClaims } from './released-claims.ts';
import { mayOpenUserInfo } from './requested-access.ts';

export type UserInfoDeps = AccessTokenDeps &
  ProofDeps & {
    readonly configuration: () => Pick<Configuration, 'identity' | 'claims' | 'resources' | 'management'>;
    /** By the names of Core §5.1. Null: the user no longer exists. */
    readonly claimsOf: (userId: string) => Promise<Readonly<Record<string, unknown>> | null>;
  };

export type UserInfo =
  | { readonly kind: 'claims'; readonly claims: Readonly<Record<string, unknown>>; readonly grantId: string }
  /** RFC 6750 §3.1. The reason is for the log. */
  | {
      readonly kind: 'refused';
      readonly error: 'invalid_token';
      readonly reason: InactiveReason | UnprovenReason | 'user_unknown';
    }
  | { readonly kind: 'refused'; readonly error: 'invalid_dpop_proof'; readonly reason: string }
  | { readonly kind: 'refused'; readonly error: 'insufficient_scope'; readonly reason: 'openid_not_granted' };

type UnprovenReason = 'proof_missing' | 'dpop_key_mismatch' | 'token_is_not_bound' | 'certificate_mismatch';

/** An access token as it is presented. `dpop`: the header; undefined: not sent. */
export type PresentedToken = {
  readonly scheme: 'bearer' | 'dpop';
  readonly token: string;
  readonly dpop: string | undefined;
  /** The TLS client certificate. Absent: the server takes none. */
  readonly certificate?: SentCertificate | undefined;
  readonly method: string;
};

/** @throws StoreUnavailable */
export async function userInfo(deps: UserInfoDeps, sent: PresentedToken): Promise<UserInfo> {
  const presented = await presentedAccessToken(deps, sent.token);
  if (presented.kind === 'inactive') return { kind: 'refused', error: 'invalid_token', reason: presented.reason };
  const { claims, grant, now } = presented;
  // A bearer token needs no proof, and waits for none.
  if (claims.cnf !== undefined || sent.scheme === 'dpop') {
    const unproven = await unprovenHolder(deps, sent, claims.cnf ?? {}, now);
    if (unproven !== null) return unproven;
  }
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

/** RFC 9449 §7, RFC 8705 §3: null where the sender proves every key to which the token is bound. @throws StoreUnavailable */
async function unprovenHolder(
  deps: ProofDeps,
  { scheme, token, dpop, certificate, method }: PresentedToken,
  { jkt, 'x5t#S256': x5t }: Confirmation,
  now: Date,
): Promise<Extract<UserInfo, { kind: 'refused' }> | null> {
  if (x5t !== undefined && sentThumbprint(certificate) !== x5t)
    return { kind: 'refused', error: 'invalid_token', reason: 'certificate_mismatch' };
  if (jkt === undefined) {
    if (scheme === 'bearer') return null;
    return { kind: 'refused', error: 'invalid_token', reason: 'token_is_not_bound' };
  }
  if (scheme === 'bearer') return { kind: 'refused', error: 'invalid_token', reason: 'proof_missing' };
  if (dpop === undefined) return { kind: 'refused', error: 'invalid_dpop_proof', reason: 'proof_missing' };
  const request = { method, path: '/oauth/userinfo', accessToken: token, now: now.getTime(), isCurrentNonce: null };
  const { key, problem, detail } = await presentedProof(deps, dpop, request);
  if (problem !== null) return { kind: 'refused', error: 'invalid_dpop_proof', reason: detail ?? problem };
  return key === jkt ? null : { kind: 'refused', error: 'invalid_token', reason: 'dpop_key_mismatch' };
}
