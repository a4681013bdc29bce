/**
 * `id_token_hint`: an ID Token that returns to the server. It names the end-user and the session that the client means,
 * and does not authenticate the end-user. The server accepts only its own ID Tokens: its signature, its `iss`, and no
 * other kind of JWT.
 */
import { readJwt } from './read-jwt.ts';
import type { KeyRing } from './signing-keys.ts';

export type IdTokenHint = {
  readonly sub: string;
  /** The `client_id` of the client that received the ID Token. */
  readonly aud: string;
  /** Null: the token names no session. */
  readonly sid: string | null;
};

/**
 * Accepts expired ID Tokens: RP-Initiated Logout 1.0 §2, "The OP SHOULD accept ID Tokens when the RP identified by the
 * ID Token's aud claim and/or sid claim has a current session or had a recent session at the OP, even when the exp time
 * has passed."
 *
 * @returns null for any text that is no ID Token of this server, whatever the cause: callers must not reveal more.
 */
export async function readIdTokenHint(keyRing: KeyRing, issuer: string, token: string): Promise<IdTokenHint | null> {
  const reading = await readJwt(keyRing, 'JWT', token);
  if (reading.kind !== 'authentic' || reading.claims['iss'] !== issuer) return null;
  const { sub, aud, sid } = reading.claims;
  if (typeof sub !== 'string' || typeof aud !== 'string') return null;
  if (sid !== undefined && typeof sid !== 'string') return null;
  return { sub, aud, sid: sid ?? null };
}
