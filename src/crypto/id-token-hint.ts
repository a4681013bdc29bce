/**
 * `id_token_hint`: an ID Token that comes back. It says which end-user and session the client means; it does not authenticate
 * the end-user. Only our own ID Tokens count: our signature, our `iss`, and no other kind of JWT that we sign.
 */
import { readJwt } from './read-jwt.ts';
import type { KeyRing } from './signing-keys.ts';

export type IdTokenHint = {
  readonly sub: string;
  /** The `client_id` that the ID Token was made for. */
  readonly aud: string;
  /** Null: it names no session. */
  readonly sid: string | null;
};

/**
 * Expired ID Tokens are accepted: RP-Initiated Logout 1.0 §2, "The OP SHOULD accept ID Tokens when the RP identified by the ID Token's
 * aud claim and/or sid claim has a current session or had a recent session at the OP, even when the exp time has passed."
 *
 * @returns null when it is not an ID Token of ours, whatever the cause: callers must not reveal more.
 */
export async function readIdTokenHint(keyRing: KeyRing, issuer: string, token: string): Promise<IdTokenHint | null> {
  const reading = await readJwt(keyRing, 'JWT', token);
  if (reading.kind !== 'authentic' || reading.claims['iss'] !== issuer) return null;
  const { sub, aud, sid } = reading.claims;
  if (typeof sub !== 'string' || typeof aud !== 'string') return null;
  if (sid !== undefined && typeof sid !== 'string') return null;
  return { sub, aud, sid: sid ?? null };
}
