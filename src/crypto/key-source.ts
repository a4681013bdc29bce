/**
 * The place of the private halves of signing keys: the database, sealed under the root secret, or a device that never
 * exports them (src/hsm). The machine decides the state of a key. A source makes, uses and destroys it.
 */
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import type { RootKeys } from './root-secret.ts';
import { makeSigningKey, openSigningKey, type SigningKey, type StoredSigningKey } from './signing-keys.ts';

export type KeySource = {
  /** @throws Unavailable */
  readonly make: (alg: SigningAlgorithm) => Promise<StoredSigningKey>;
  /** @throws Error when this process cannot use the key. */
  readonly open: (stored: StoredSigningKey) => Promise<SigningKey>;
  /**
   * Destroys the keys that the table marks as erased, and the keys of this source that the table does not have. @throws
   * Unavailable
   */
  readonly destroyErased: (table: readonly Pick<StoredRow, 'kid' | 'privateJwe'>[]) => Promise<void>;
  /** Rejects while the source cannot sign. @throws Error with the cause, for operators. */
  readonly check: () => Promise<void>;
};

type StoredRow = Omit<StoredSigningKey, 'privateJwe'> & { readonly privateJwe: string | null };

/**
 * The value of `private_jwe` in a row whose private half is in a device, under the `kid`, which the MAC of the row
 * authenticates.
 */
export const IN_DEVICE = 'pkcs11';

/** The error message tells operators which settings to make. */
export class KeyInDevice extends Error {
  constructor(kid: string) {
    super(
      `The private half of the signing key ${kid} is in a PKCS#11 device. Set STATEHOUSE_PKCS11_MODULE, STATEHOUSE_PKCS11_TOKEN and STATEHOUSE_PKCS11_PIN.`,
    );
    this.name = 'KeyInDevice';
  }
}

/** The default: this server makes the keys, and seals them under the root secret. */
export const keysInDatabase = (keys: RootKeys): KeySource => ({
  make: (alg) => makeSigningKey(keys, alg),
  open: async (stored) => {
    if (stored.privateJwe === IN_DEVICE) throw new KeyInDevice(stored.kid);
    return openSigningKey(keys, stored);
  },
  destroyErased: async () => {},
  check: async () => {},
});
