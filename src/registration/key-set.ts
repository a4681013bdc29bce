/** The key set that a client publishes, as it was fetched (RFC 7517 §5). */
import { clientKeySchema, PRIVATE_KEY_MEMBERS } from '../../policies/client-schema.ts';
import { type PublicJwk, whatIsWrongWithKey } from '../crypto/client-keys.ts';
import { jsonIn } from '../oauth/sent-text.ts';
import { isJsonObject } from './record-problem.ts';

/**
 * Without the keys that this server cannot use. RFC 7517 §5: "Implementations SHOULD ignore JWKs within a JWK Set that
 * use "kty" (key type) values that are not understood by them".
 *
 * @throws Error: the text is no key set, or everyone can read a private key in it. The message has nothing of the text.
 */
export function readKeySet(text: string): readonly PublicJwk[] {
  const set = jsonIn(text);
  const keys: unknown = isJsonObject(set) ? set['keys'] : null;
  if (!Array.isArray(keys)) throw new Error('The text is no JWK Set.');
  if (keys.some((key) => isJsonObject(key) && PRIVATE_KEY_MEMBERS.some((name) => Object.hasOwn(key, name))))
    throw new Error('The key set has a private or symmetric key, so it proves nothing.');
  return keys.flatMap((key) => {
    const { success, data } = clientKeySchema.safeParse(key);
    return success && whatIsWrongWithKey(data) === null ? [data] : [];
  });
}
