import { signJwt } from './jws.ts';
import type { SigningKey } from './signing-keys.ts';

/** RFC 9068 §2.2. Instants are seconds since 1970. */
export type AccessTokenClaims = {
  readonly iss: string;
  /** The resource owner, or the client itself with client credentials. */
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly client_id: string;
  readonly scope: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
};

/** RFC 9068 §2.1: typ is `at+jwt`, so that no ID Token can pass for an access token. */
export const signAccessToken = (key: SigningKey, claims: AccessTokenClaims): string => signJwt(key, 'at+jwt', claims);
