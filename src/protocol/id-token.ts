/** OpenID Connect Core §2, §3.1.3.7 and §12.2: what an ID Token says, at the exchange and at each refresh. */
import { accessTokenHash, signIdToken } from '../crypto/id-token.ts';
import type { TokenClient } from '../model/client.ts';
import type { Grant, SignInFacts } from '../model/grant.ts';
import type { Claims } from '../model/user.ts';
import type { TokenDeps, TokenResponse } from './grant-type.ts';

/** Core §2 leaves the values of `acr` to the server. Passwords are the only way to sign in so far. */
export const SIGNED_IN_BY_PASSWORD = 'urn:statehouse:acr:password';

export function issueIdToken(
  deps: Pick<TokenDeps, 'issuer' | 'keyRing'>,
  grant: Grant & { readonly identity: SignInFacts },
  client: TokenClient,
  { access_token: accessToken, expires_in: expiresIn }: Pick<TokenResponse, 'access_token' | 'expires_in'>,
  /** Further claims about the end-user. */
  told: Claims,
  now: Date,
): string {
  const alg = client.idTokenSignedResponseAlg;
  const { nonce, authTime, sid } = grant.identity;
  const iat = Math.floor(now.getTime() / 1000);
  // Core §12.2: at a refresh it SHOULD NOT have a nonce Claim; `auth_time` MUST be that of the original authentication.
  const isFirst = grant.refreshGeneration === 0n;
  return signIdToken(deps.keyRing.signerOf(alg), {
    ...told,
    iss: deps.issuer,
    sub: grant.userId,
    aud: client.clientId,
    iat,
    exp: iat + expiresIn,
    auth_time: authTime,
    ...(isFirst && nonce !== null && { nonce }),
    at_hash: accessTokenHash(alg, accessToken),
    acr: SIGNED_IN_BY_PASSWORD,
    // RFC 8176 §2.
    amr: ['pwd'],
    sid,
  });
}
