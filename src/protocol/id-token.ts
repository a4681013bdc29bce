/** OpenID Connect Core §2, §3.1.3.7 and §12.2: the claims of an ID Token, at the exchange and at each refresh. */
import { accessTokenHash, signIdToken } from '../crypto/id-token.ts';
import { instrument } from '../engine/observe.ts';
import type { TokenClient } from '../model/client.ts';
import { type Grant, type SignInFacts, subOfGrant } from '../model/grant.ts';
import type { Claims } from '../model/user.ts';
import { authenticationClassOf, BY_PASSWORD } from '../oauth/authentication-methods.ts';
import type { TokenDeps, TokenResponse } from './grant-type.ts';

export function issueIdToken(
  deps: Pick<TokenDeps, 'issuer' | 'keyRing'>,
  grant: Grant & { readonly identity: SignInFacts },
  client: TokenClient,
  { access_token: accessToken, expires_in: expiresIn }: Pick<TokenResponse, 'access_token' | 'expires_in'>,
  /** Custom claims about the end-user. */
  told: Claims,
  now: Date,
): string | Promise<string> {
  const alg = client.idTokenSignedResponseAlg;
  const { nonce, authTime, sid, amr = BY_PASSWORD } = grant.identity;
  const iat = Math.floor(now.getTime() / 1000);
  // Core §12.2: at a refresh it SHOULD NOT have a nonce Claim; `auth_time` MUST be that of the original authentication.
  const isFirst = grant.refreshGeneration === 0n;
  const signer = deps.keyRing.signerOf(alg);
  const claims = {
    ...told,
    iss: deps.issuer,
    sub: subOfGrant(grant),
    aud: client.clientId,
    iat,
    exp: iat + expiresIn,
    auth_time: authTime,
    ...(isFirst && nonce !== null && { nonce }),
    at_hash: accessTokenHash(alg, accessToken),
    acr: authenticationClassOf(amr),
    amr,
    sid,
  };
  return instrument('sign', 'idToken', () => signIdToken(signer, claims));
}
