/**
 * An ID Token that comes back: `id_token_hint`. It says whom and which session the client means; it proves no one's presence,
 * and opens nothing. Ours alone count: our signature, our `iss`, and not another kind of JWT that we sign too.
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
 * Expired ones are good: RP-Initiated Logout 1.0 §2, "The OP SHOULD accept ID Tokens when the RP identified by the ID Token's
 * aud claim and/or sid claim has a current session or had a recent session at the OP, even when the exp time has passed."
 *
 * @returns null when it is not an ID Token that we made, whatever is wrong with it: nobody learns more.
 */
export async function readIdTokenHint(keyRing: KeyRing, issuer: string, token: string): Promise<IdTokenHint | null> {
  const reading = await readJwt(keyRing, 'JWT', token);
  if (reading.kind !== 'authentic' || reading.claims['iss'] !== issuer) return null;
  const { sub, aud, sid } = reading.claims;
  if (typeof sub !== 'string' || typeof aud !== 'string') return null;
  if (sid !== undefined && typeof sid !== 'string') return null;
  return { sub, aud, sid: sid ?? null };
}
