/** A passkey in software (WebAuthn Level 3 §6): it makes a key pair, counts its signatures, and signs what a page asks for. */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** The options of a page, as far as they are used. */
type Asked = {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id: string };
  readonly user?: { readonly id: string };
};

export type SoftwarePasskey = {
  readonly id: string;
  readonly rpId: string;
  readonly userHandle: string;
  readonly privateKey: KeyObject;
};

/** The values that a forged or broken authenticator, or a page of another site, puts in place of the right ones. */
export type Forged = {
  /** WebAuthn §6.1. */
  readonly flags?: number;
  readonly rpId?: string;
  readonly type?: string;
  readonly origin?: string;
  readonly challenge?: string;
  /** Further members of the client data. */
  readonly clientData?: Readonly<Record<string, unknown>>;
  /** It signs in place of the passkey's own key. */
  readonly signedWith?: KeyObject;
  /** The `id` and `rawId` that the page sends, in base64url. Of a registration: the id that the authenticator made, too. */
  readonly id?: string;
  readonly userHandle?: string;
};

export const USER_PRESENT = 0x01;
export const USER_VERIFIED = 0x04;
export const HAS_CREDENTIAL = 0x40;

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();

/** CBOR (RFC 8949 §3), as far as a registration needs it. */
const head = (major: number, value: number): Buffer => {
  if (value < 24) return Buffer.of((major << 5) | value);
  if (value < 256) return Buffer.of((major << 5) | 24, value);
  return Buffer.of((major << 5) | 25, value >> 8, value & 0xff);
};
const integer = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value));
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value]);
const text = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const map = (entries: readonly (readonly [Buffer, Buffer])[]) =>
  Buffer.concat([head(5, entries.length), ...entries.flat()]);

/** COSE (RFC 9053 §7.1): EC2, ES256, P-256. */
export function coseKeyOf(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return map([
    [integer(1), integer(2)],
    [integer(3), integer(-7)],
    [integer(-1), integer(1)],
    [integer(-2), bytes(Buffer.from(x, 'base64url'))],
    [integer(-3), bytes(Buffer.from(y, 'base64url'))],
  ]);
}

const authenticatorData = (rpId: string, flags: number, counter: number): Buffer => {
  const rest = Buffer.alloc(5);
  rest.writeUInt8(flags, 0);
  rest.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(rpId), rest]);
};

const clientDataOf = (
  right: { readonly type: string; readonly challenge: string; readonly origin: string },
  { type = right.type, challenge = right.challenge, origin = right.origin, clientData }: Forged,
) => Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...clientData }));

const sent = (id: string, response: Readonly<Record<string, unknown>>) =>
  JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });

/** JSON of the page for `navigator.credentials`. */
export const optionsOn = (body: string): string =>
  /data-passkey="([^"]*)"/
    .exec(body)?.[1]
    ?.replaceAll(/&quot;|&#34;/g, '"')
    .replaceAll('&#61;', '=')
    .replaceAll('&#38;', '&') ?? '{}';

/** @param options JSON of the page. @returns the passkey, and the response of the page. */
export function makePasskey(
  options: string,
  origin: string,
  counter: number,
  forged: Forged = {},
): { readonly passkey: SoftwarePasskey; readonly credential: string } {
  const { challenge, rp, user } = JSON.parse(options) as Asked;
  if (!rp || !user) throw new Error('The page asks for no passkey.');
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = forged.id === undefined ? randomBytes(16) : Buffer.from(forged.id, 'base64url');
  const id = credentialId.toString('base64url');
  const size = Buffer.alloc(2);
  size.writeUInt16BE(credentialId.length);
  const data = Buffer.concat([
    authenticatorData(forged.rpId ?? rp.id, forged.flags ?? USER_PRESENT | USER_VERIFIED | HAS_CREDENTIAL, counter),
    Buffer.alloc(16),
    size,
    credentialId,
    coseKeyOf(publicKey),
  ]);
  const attestation = map([
    [text('fmt'), text('none')],
    [text('attStmt'), map([])],
    [text('authData'), bytes(data)],
  ]);
  return {
    passkey: { id, rpId: rp.id, userHandle: user.id, privateKey },
    credential: sent(id, {
      clientDataJSON: clientDataOf({ type: 'webauthn.create', challenge, origin }, forged).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    }),
  };
}

/** @param options JSON of the page. @returns the response of the page. */
export function signWithPasskey(
  { id, rpId, userHandle, privateKey }: SoftwarePasskey,
  options: string,
  origin: string,
  counter: number,
  forged: Forged = {},
): string {
  const { challenge } = JSON.parse(options) as Asked;
  const data = authenticatorData(forged.rpId ?? rpId, forged.flags ?? USER_PRESENT | USER_VERIFIED, counter);
  const client = clientDataOf({ type: 'webauthn.get', challenge, origin }, forged);
  const signature = createSign('sha256')
    .update(Buffer.concat([data, sha256(client)]))
    .sign(forged.signedWith ?? privateKey);
  return sent(forged.id ?? id, {
    clientDataJSON: client.toString('base64url'),
    authenticatorData: data.toString('base64url'),
    signature: signature.toString('base64url'),
    userHandle: forged.userHandle ?? userHandle,
  });
}
