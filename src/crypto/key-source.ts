/**
 * Where the private halves of signing keys are: in the database, sealed under the root secret, or in a device that never gives them out
 * (src/hsm). The machine decides what becomes of a key; a source makes, uses and destroys it.
 */
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import type { RootKeys } from './root-secret.ts';
import { makeSigningKey, openSigningKey, type SigningKey, type StoredSigningKey } from './signing-keys.ts';

export type KeySource = {
  /** @throws Unavailable */
  readonly make: (alg: SigningAlgorithm) => Promise<StoredSigningKey>;
  /** @throws Error when this process cannot use the key. */
  readonly open: (stored: StoredSigningKey) => Promise<SigningKey>;
  /** Destroys what the table says is erased, and what was made here and is not in the table. @throws Unavailable */
  readonly destroyErased: (table: readonly Pick<StoredRow, 'kid' | 'privateJwe'>[]) => Promise<void>;
  /** Rejects while nothing can be signed. @throws Error with what is the matter, for operators. */
  readonly check: () => Promise<void>;
};

type StoredRow = Omit<StoredSigningKey, 'privateJwe'> & { readonly privateJwe: string | null };

/** In `private_jwe` of a row whose private half is in a device, under the `kid`, which the MAC of the row authenticates. */
export const IN_DEVICE = 'pkcs11';

/** For people: what to set. */
export class KeyInDevice extends Error {
  constructor(kid: string) {
    super(
      `The private half of the signing key ${kid} is in a PKCS#11 device. Set STATEHOUSE_PKCS11_MODULE, STATEHOUSE_PKCS11_TOKEN and STATEHOUSE_PKCS11_PIN.`,
    );
    this.name = 'KeyInDevice';
  }
}

/** The default: made here, and sealed under the root secret. */
export const keysInDatabase = (keys: RootKeys): KeySource => ({
  make: (alg) => makeSigningKey(keys, alg),
  open: async (stored) => {
    if (stored.privateJwe === IN_DEVICE) throw new KeyInDevice(stored.kid);
    return openSigningKey(keys, stored);
  },
  destroyErased: async () => {},
  check: async () => {},
});
