/** A signed authorization response (JARM §2.1): the parameters, with the audience and the end of the response. */
import { type Signed, signJwt } from './jws.ts';
import type { SigningKey } from './signing-keys.ts';

export type AuthorizationResponseClaims = {
  readonly iss: string;
  /** The `client_id`. */
  readonly aud: string;
  /** Seconds since 1970. */
  readonly exp: number;
  readonly state?: string;
} & ({ readonly code: string } | { readonly error: string; readonly error_description: string });

/** It has no `sub`, so it passes for no ID Token. */
export const signAuthorizationResponse = <Key extends SigningKey>(
  key: Key,
  claims: AuthorizationResponseClaims,
): Signed<Key> => signJwt(key, 'JWT', claims);
