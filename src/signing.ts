/** The signing keys at start: made where there are none, opened with the root secret, published. */
import type { RootKeys } from './crypto/root-secret.ts';
import {
  type KeyRing,
  makeSigningKey,
  openSigningKey,
  publicKeyOf,
  resealSigningKey,
  type SigningAlgorithm,
} from './crypto/signing-keys.ts';
import type { Drizzle } from './storage/database.ts';
import { insertSigningKeyIfNone, listSigningKeys, replacePrivateJwe } from './storage/signing-keys.ts';

const ALGORITHMS: readonly SigningAlgorithm[] = ['ES256', 'RS256'];

/** @throws RootSecretError when a stored key needs a root secret that is not listed. */
export async function openKeyRing(db: Drizzle, keys: RootKeys): Promise<KeyRing> {
  const known = await listSigningKeys(db);
  for (const alg of ALGORITHMS) {
    // Several nodes may get here at once; the unique index lets one key in, and all read it back.
    if (!known.some((one) => one.signing && one.alg === alg))
      await insertSigningKeyIfNone(db, await makeSigningKey(keys, alg));
  }
  const stored = await listSigningKeys(db);
  const opened = await Promise.all(stored.map(async (one) => ({ one, key: await openSigningKey(keys, one) })));
  // After a rotation of the root secret: nodes that still put the old one first can open it too, since all verify.
  for (const { one } of opened) {
    const resealed = await resealSigningKey(keys, one);
    if (resealed !== null) await replacePrivateJwe(db, one.kid, resealed);
  }
  const signers = new Map(opened.filter(({ one }) => one.signing).map(({ key }) => [key.alg, key]));
  const verifiers = new Map(
    stored.map(({ kid, alg, publicJwk }) => [kid, { alg, publicKey: publicKeyOf(publicJwk) }] as const),
  );
  return {
    signerOf: (alg) => {
      const signer = signers.get(alg);
      if (!signer) throw new Error(`No key signs with ${alg}.`);
      return signer;
    },
    published: () => stored.map((one) => one.publicJwk),
    verifierOf: (kid) => verifiers.get(kid) ?? null,
  };
}
