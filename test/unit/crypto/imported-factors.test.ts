/** Public keys and recovery codes of other systems. */
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { describe, expect, it } from 'vitest';
import { derivedId } from '../../../src/crypto/derived-id.ts';
import { importedCodeText, readRecoveryCodes, sha512 } from '../../../src/crypto/recovery-code.ts';
import { algorithmOfKey } from '../../../src/crypto/webauthn.ts';
import { isSecondFactorOnly } from '../../../src/lifecycles/passkey/entity.ts';
import { importedPasskeyId, isOwnedUnder } from '../../../src/people/passkeys/imported.ts';

/** RFC 9053 §7. */
function coseOf(key: KeyObject, algorithm: number): Uint8Array {
  const { kty, crv, x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' });
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
  const curve = { 'P-256': 1, 'P-384': 2, 'P-521': 3, Ed25519: 6 }[crv ?? ''] ?? 0;
  const parts: Readonly<Record<string, readonly (readonly [number, number | Uint8Array])[]>> = {
    EC: [
      [1, 2],
      [-1, curve],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ],
    OKP: [
      [1, 1],
      [-1, curve],
      [-2, bytes(x)],
    ],
    RSA: [
      [1, 3],
      [-1, bytes(n)],
      [-2, bytes(e)],
    ],
  };
  return isoCBOR.encode(new Map<number, number | Uint8Array>([[3, algorithm], ...(parts[kty ?? ''] ?? [])]) as never);
}

const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey;
const ed25519 = generateKeyPairSync('ed25519').publicKey;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;

const largeRsa = createPublicKey({
  format: 'jwk',
  key: { kty: 'RSA', n: Buffer.alloc(513, 0xff).toString('base64url'), e: 'AQAB' },
});

describe('a COSE public key', () => {
  it.each([
    [ec('P-256'), -7],
    [ec('P-384'), -35],
    [ec('P-521'), -36],
    [ed25519, -8],
    [rsa, -257],
    [rsa, -37],
  ])('has its algorithm (%#)', (key, algorithm) => {
    expect(algorithmOfKey(coseOf(key, algorithm))).toBe(algorithm);
  });

  it.each([
    ['RSA with SHA-1', coseOf(rsa, -65535)],
    ['RSA with more than 4096 bits', coseOf(largeRsa, -257)],
    ['ES256K', coseOf(ec('secp256k1'), -47)],
    ['the curve of another algorithm than it names', coseOf(ec('secp256k1'), -7)],
    ['no CBOR', Buffer.from('hello')],
    ['nothing', Buffer.alloc(0)],
  ])('is refused: %s', (_, bytes) => {
    expect(algorithmOfKey(bytes)).toBeNull();
  });
});

describe('a recovery code of another system', () => {
  const texts = (typed: string) => readRecoveryCodes(typed);
  const of = (code: string) => importedCodeText(sha512(code));

  it.each([
    ['7KQ2M0WXC93K', '7kq2-m0wx-c93k'],
    ['k3wzm9qa', ' K3WZ M9QA '],
    ['ab-CD-12', 'ab-CD-12'],
    ['ab-CD-12', ' ab-CD-12\n'],
  ])('%s is read from %j', (code, typed) => {
    expect(texts(typed)).toContain(of(code));
  });

  it('has a digest alone where it is no code of this server', () => {
    expect(texts('ab-CD')).toEqual(['ab-CD', 'abCD', 'ABCD', 'abcd'].map(of));
  });

  it('is another text than a code of this server, and than any other code', () => {
    expect(texts('7KQ2-M0WX-C93K')[0]).toBe('7KQ2M0WXC93K');
    expect(texts('7KQ2-M0WX-C93K')).not.toContain(of('7KQ2M0WXC93L'));
    expect(of('a')).toBe(`sha512:${createHash('sha512').update('a').digest('base64url')}`);
  });
});

describe('the id of an imported passkey', () => {
  const [ours, theirs] = ['0f9f7d2e-6d0c-4b5a-9f43-5f1f0c1d2e3f', Buffer.from('f:realm:7')];
  const credential = { userId: ours, credentialId: Buffer.from('credential'), userHandle: theirs };
  const passkey = (isSecond: boolean) => ({
    ...credential,
    id: importedPasskeyId({ ...credential, isSecondFactorOnly: isSecond }),
  });

  it.each([true, false])('is a UUID of version 8, and says whether it is a second factor only: %s', (isSecond) => {
    const one = passkey(isSecond);
    expect(one.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(isSecondFactorOnly(one)).toBe(isSecond);
    expect(isOwnedUnder(one, theirs)).toBe(true);
    expect(isOwnedUnder(one, Buffer.from(ours))).toBe(true);
    for (const other of ['f:realm:8', '', `${ours}x`]) expect(isOwnedUnder(one, Buffer.from(other))).toBe(false);
  });

  it('of another end-user, credential or kind is another, and so is a random one', () => {
    const one = passkey(false);
    expect(isOwnedUnder({ ...one, userId: ours.replace('0', '1') }, theirs)).toBe(false);
    expect(isOwnedUnder({ ...one, credentialId: Buffer.from('another') }, theirs)).toBe(false);
    expect(isOwnedUnder({ ...one, id: ours }, theirs)).toBe(false);
    expect(isSecondFactorOnly({ id: 'ffffffff-ffff-42fa-82fa-82fa82fa82fa' })).toBe(false);
    expect(derivedId(['a'])).not.toBe(derivedId(['b']));
  });
});
