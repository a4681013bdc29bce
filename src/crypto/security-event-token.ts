/**
 * Security Event Tokens (RFC 8417): signed statements about events, for other systems. No API accepts them as access
 * tokens.
 */
import { type Signed, signJwt } from './jws.ts';
import type { SigningKey } from './signing-keys.ts';

/** RFC 8417 §2.2. Instants are seconds since 1970. */
export type SecurityEventClaims = {
  readonly iss: string;
  readonly aud: string;
  readonly jti: string;
  readonly iat: number;
  /** RFC 9493. */
  readonly sub_id: object;
  /** By the URI of the event type. */
  readonly events: Readonly<Record<string, object>>;
};

/** RFC 8417 §2.3: the type distinguishes it from every other JWT. */
export const signSecurityEvent = <Key extends SigningKey>(key: Key, claims: SecurityEventClaims): Signed<Key> =>
  signJwt(key, 'secevent+jwt', claims);
