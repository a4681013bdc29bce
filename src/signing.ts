/** The signing key at start: made if there is none, opened with the root secret, published. */
import type { RootKeys } from './crypto/root-secret.ts';
import { makeSigningKey, openSigningKey, resealSigningKey, type SigningKey } from './crypto/signing-keys.ts';
import type { Drizzle } from './storage/database.ts';
import { insertSigningKeyIfNone, listSigningKeys, replacePrivateJwe } from './storage/signing-keys.ts';

export type Signing = {
  readonly signingKey: SigningKey;
  readonly publicKeys: readonly Readonly<Record<string, unknown>>[];
};

/** @throws RootSecretError when a stored key needs a root secret that is not listed. */
export async function prepareSigning(db: Drizzle, keys: RootKeys): Promise<Signing> {
  if (!(await listSigningKeys(db)).some((one) => one.signing)) {
    // Several nodes may get here at once; the unique index lets one key in, and all read it back.
    await insertSigningKeyIfNone(db, await makeSigningKey(keys));
  }
  const stored = await listSigningKeys(db);
  const opened = await Promise.all(stored.map(async (one) => ({ one, key: await openSigningKey(keys, one) })));
  // After a rotation of the root secret: nodes that still put the old one first can open it too, since all verify.
  for (const { one } of opened) {
    const resealed = await resealSigningKey(keys, one);
    if (resealed !== null) await replacePrivateJwe(db, one.kid, resealed);
  }
  const signer = opened.find(({ one }) => one.signing);
  if (!signer) throw new Error('There is no signing key, although one was just made.');
  return { signingKey: signer.key, publicKeys: stored.map((one) => one.publicJwk) };
}
