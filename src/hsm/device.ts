/**
 * One PKCS#11 token, through the package pkcs11js, which only who has such a device installs. Its calls wait for the device, so this runs on
 * a thread of its own (worker.ts). A private half is made in the token, and no attribute lets it out.
 */
import { createRequire } from 'node:module';
import { systemRandom } from '../crypto/random.ts';
import { kidOf, type PublicJwk } from '../crypto/signing-keys.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { CK, DEVICE_ALGORITHMS } from './algorithms.ts';
import type { DeviceSettings } from './settings.ts';

/** The token cannot be used until an operator has changed something. */
export class DeviceRefuses extends Error {}

type Attribute = { type: number; value?: Buffer | number | boolean };
/** The part of pkcs11js in use. Handles are opaque. */
type Pkcs11 = {
  load(path: string): void;
  close(): void;
  C_Initialize(): void;
  C_Finalize(): void;
  C_GetSlotList(present: boolean): Buffer[];
  C_GetTokenInfo(slot: Buffer): { label: string };
  C_OpenSession(slot: Buffer, flags: number): Buffer;
  C_GetSessionInfo(session: Buffer): unknown;
  C_Login(session: Buffer, user: number, pin: string): void;
  C_GenerateKeyPair(
    session: Buffer,
    mechanism: { mechanism: number },
    publicTemplate: readonly Attribute[],
    privateTemplate: readonly Attribute[],
  ): { publicKey: Buffer; privateKey: Buffer };
  C_GetAttributeValue(session: Buffer, object: Buffer, template: readonly Attribute[]): { value: Buffer }[];
  C_SetAttributeValue(session: Buffer, object: Buffer, template: readonly Attribute[]): void;
  C_DestroyObject(session: Buffer, object: Buffer): void;
  C_FindObjectsInit(session: Buffer, template: readonly Attribute[]): void;
  C_FindObjects(session: Buffer, max: number): Buffer[];
  C_FindObjectsFinal(session: Buffer): void;
  C_SignInit(session: Buffer, mechanism: { mechanism: number }, key: Buffer): void;
  C_Sign(session: Buffer, input: Buffer, output: Buffer): Buffer;
};

/** CKR_… of PKCS #11 §4.6. */
const ALREADY_INITIALIZED = 0x191;
const ALREADY_LOGGED_IN = 0x100;
const WRONG_PINS: ReadonlyMap<number, string> = new Map([
  [0xa0, 'the PIN is wrong (CKR_PIN_INCORRECT)'],
  [0xa1, 'the PIN is not one that it takes (CKR_PIN_INVALID)'],
  [0xa2, 'the PIN has a wrong length (CKR_PIN_LEN_RANGE)'],
  [0xa3, 'the PIN has to be changed (CKR_PIN_EXPIRED)'],
  [0xa4, 'the PIN is locked (CKR_PIN_LOCKED)'],
]);
const codeOf = (error: unknown): number | undefined => (error as { code?: number }).code;

type Open = { readonly session: Buffer; readonly keys: Map<string, Buffer> };

export class Device {
  readonly #settings: DeviceSettings;
  #library: Pkcs11 | null = null;
  #open: Open | null = null;

  constructor(settings: DeviceSettings) {
    this.#settings = settings;
  }

  /** @throws DeviceRefuses, or Error when the device fails. */
  check(): null {
    return this.#asking(({ session }) => {
      this.#pkcs11().C_GetSessionInfo(session);
      return null;
    });
  }

  async make(alg: SigningAlgorithm): Promise<{ readonly kid: string; readonly publicJwk: PublicJwk }> {
    const { generation, parameters, publicAttributes, jwkOf } = DEVICE_ALGORITHMS[alg];
    const [privateKey, jwk] = this.#asking(({ session }) => {
      const pkcs11 = this.#pkcs11();
      const pair = pkcs11.C_GenerateKeyPair(
        session,
        { mechanism: generation },
        // The public half is in the table: the token need not keep it.
        [{ type: CK.TOKEN, value: false }, { type: CK.VERIFY, value: true }, ...parameters],
        [
          { type: CK.TOKEN, value: true },
          { type: CK.PRIVATE, value: true },
          { type: CK.SENSITIVE, value: true },
          { type: CK.EXTRACTABLE, value: false },
          { type: CK.SIGN, value: true },
          { type: CK.ID, value: systemRandom.bytes(16) },
        ],
      );
      const wanted = publicAttributes.map((type) => ({ type }));
      const values = pkcs11.C_GetAttributeValue(session, pair.publicKey, wanted).map(({ value }) => value);
      return [pair.privateKey, jwkOf(...values)] as const;
    });
    const kid = await kidOf(jwk);
    return this.#asking(({ session, keys }) => {
      const label = { type: CK.LABEL, value: Buffer.from(kid) };
      this.#pkcs11().C_SetAttributeValue(session, privateKey, [label]);
      keys.set(kid, privateKey);
      return { kid, publicJwk: { ...jwk, kid, alg, use: 'sig' } };
    });
  }

  sign(kid: string, alg: SigningAlgorithm, input: Uint8Array): Uint8Array {
    const { signature, inputOf, signatureBytes } = DEVICE_ALGORITHMS[alg];
    return this.#asking((open) => {
      const key = this.#find(open, kid);
      if (!key) throw new Error(`the token "${this.#settings.token}" has no private key with the label ${kid}`);
      this.#pkcs11().C_SignInit(open.session, { mechanism: signature }, key);
      return this.#pkcs11().C_Sign(open.session, inputOf(input), Buffer.alloc(signatureBytes));
    });
  }

  /** Whether it is there or not. */
  destroy(kid: string): null {
    return this.#asking((open) => {
      const key = this.#find(open, kid);
      if (key) this.#pkcs11().C_DestroyObject(open.session, key);
      open.keys.delete(kid);
      return null;
    });
  }

  #find({ session, keys }: Open, kid: string): Buffer | null {
    const known = keys.get(kid);
    if (known) return known;
    const pkcs11 = this.#pkcs11();
    pkcs11.C_FindObjectsInit(session, [
      { type: CK.CLASS, value: CK.PRIVATE_KEY },
      { type: CK.LABEL, value: Buffer.from(kid) },
    ]);
    const [found] = pkcs11.C_FindObjects(session, 1);
    pkcs11.C_FindObjectsFinal(session);
    if (found) keys.set(kid, found);
    return found ?? null;
  }

  /** A failure may be that of the session: this opens it again, and repeats the call once. */
  #asking<T>(call: (open: Open) => T): T {
    if (this.#open) {
      try {
        return call(this.#open);
      } catch {
        this.#close();
      }
    }
    this.#open = this.#begin();
    return call(this.#open);
  }

  #begin(): Open {
    const { token, pin } = this.#settings;
    const pkcs11 = this.#pkcs11();
    try {
      pkcs11.C_Initialize();
    } catch (error) {
      if (codeOf(error) !== ALREADY_INITIALIZED) throw error;
    }
    const slot = pkcs11.C_GetSlotList(true).find((one) => pkcs11.C_GetTokenInfo(one).label.trim() === token);
    if (!slot) throw new Error(`no token with the label "${token}"`);
    const session = pkcs11.C_OpenSession(slot, CK.FLAGS_READ_WRITE_SESSION);
    try {
      pkcs11.C_Login(session, CK.USER, pin);
    } catch (error) {
      const code = codeOf(error);
      const wrong = WRONG_PINS.get(code ?? 0);
      if (wrong) throw new DeviceRefuses(`of the token "${token}" ${wrong}`);
      if (code !== ALREADY_LOGGED_IN) throw error;
    }
    return { session, keys: new Map() };
  }

  #close(): void {
    this.#open = null;
    try {
      this.#library?.C_Finalize();
    } catch {
      // It is gone already.
    }
  }

  #pkcs11(): Pkcs11 {
    if (this.#library) return this.#library;
    let made: Pkcs11;
    try {
      const { PKCS11 } = createRequire(import.meta.url)('pkcs11js') as { PKCS11: new () => Pkcs11 };
      made = new PKCS11();
    } catch {
      throw new DeviceRefuses(
        'the package pkcs11js is not installed, or was not built: npm install --no-save --omit=dev pkcs11js@2.1.7',
      );
    }
    try {
      made.load(this.#settings.module);
    } catch {
      throw new DeviceRefuses(`the library ${this.#settings.module} of STATEHOUSE_PKCS11_MODULE cannot be loaded`);
    }
    this.#library = made;
    return made;
  }
}
