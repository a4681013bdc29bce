/** The keys that sign segments of the ledger: signatures, and the keys that come with seals. */
import { createPublicKey, verify } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { describe, expect, it } from 'vitest';
import { OCTETS_32, readSealJwk, sealKeys, sealVerifier } from '../../../src/crypto/ledger-seal.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';

const OLD = 'an older root secret for tests, also of 32 bytes';
const NEW = 'a newer root secret for tests, also of 32 bytes';
const STRANGE = 'the secret of another server, with 32 bytes';
const old = sealKeys(rootKeys([OLD]));
const keys = sealKeys(rootKeys([NEW, OLD]));
const strange = sealKeys(rootKeys([STRANGE]));
const STATEMENT = '{"segment":1}';
const signature = keys.sign(STATEMENT);

describe('the keys of seals', () => {
  it('are one per root secret in the order of the list, named by their thumbprints, and the first signs', async () => {
    expect(keys.published.map(({ kid }) => kid)).toEqual([keys.kid, old.kid]);
    for (const jwk of keys.published) {
      expect(jwk).toEqual({ kty: 'OKP', crv: 'Ed25519', x: expect.stringMatching(OCTETS_32), kid: jwk.kid });
      expect(await calculateJwkThumbprint(jwk)).toBe(jwk.kid);
    }
    expect(keys.published[0]?.x).toBe(keys.publicKey);
  });

  it('sign a statement after the words of their purpose, which every stored seal has', () => {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: keys.publicKey }, format: 'jwk' });
    const signs = (words: string) => verify(null, Buffer.from(words), key, Buffer.from(signature, 'base64url'));
    expect(signs(`statehouse ledger stretch\n${STATEMENT}`)).toBe(true);
    expect(signs(STATEMENT)).toBe(false);
  });
});

describe('a seal', () => {
  const named = { key: keys.kid };

  it('is right with the signature of its statement, under each listed root secret', () => {
    expect(keys.isRight(named, STATEMENT, signature)).toBe(true);
    expect(keys.isRight(named, `${STATEMENT} `, signature)).toBe(false);
    expect(keys.isRight({ key: old.kid }, STATEMENT, old.sign(STATEMENT))).toBe(true);
    expect(keys.isRight({ key: old.kid }, STATEMENT, signature)).toBe(false);
    expect(keys.isRight(named, STATEMENT, '')).toBe(false);
  });

  const ofOther = { key: strange.kid, public_key: strange.publicKey };
  const byOther = strange.sign(STATEMENT);

  it('of an unknown key is neither right nor wrong, until its thumbprint is trusted', () => {
    expect(keys.isRight({ key: strange.kid }, STATEMENT, byOther)).toBeNull();
    expect(keys.isRight(ofOther, STATEMENT, byOther)).toBeNull();
    const trusting = sealVerifier(keys.published, [strange.kid]);
    expect(trusting.isRight(ofOther, STATEMENT, byOther)).toBe(true);
    expect(trusting.isRight({ key: strange.kid }, STATEMENT, byOther)).toBeNull();
  });

  it('is wrong where the key that comes with it has another name, or did not sign it', () => {
    const trusting = sealVerifier([], [strange.kid, keys.kid]);
    expect(trusting.isRight({ ...ofOther, key: keys.kid }, STATEMENT, byOther)).toBe(false);
    expect(trusting.isRight(ofOther, STATEMENT, signature)).toBe(false);
    expect(trusting.isRight(ofOther, `${STATEMENT} `, byOther)).toBe(false);
  });

  it('of a listed key is judged by that key, whichever comes with it', () => {
    expect(keys.isRight({ key: keys.kid, public_key: strange.publicKey }, STATEMENT, signature)).toBe(true);
    expect(keys.isRight({ key: keys.kid, public_key: strange.publicKey }, STATEMENT, byOther)).toBe(false);
  });
});

describe('a public key from outside', () => {
  const { kid, x } = strange.published[0] ?? { kid: '', x: '' };

  it('gets its own name, whichever it has', () => {
    expect(readSealJwk({ kty: 'OKP', crv: 'Ed25519', x, kid: 'another', use: 'sig' })).toEqual({
      ...{ kty: 'OKP', crv: 'Ed25519', x, kid },
    });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'key'],
    ['another type', { kty: 'EC', crv: 'Ed25519', x }],
    ['another curve', { kty: 'OKP', crv: 'X25519', x }],
    ['no value', { kty: 'OKP', crv: 'Ed25519' }],
    ['a value that is a list', { kty: 'OKP', crv: 'Ed25519', x: [x] }],
    ['a shorter value', { kty: 'OKP', crv: 'Ed25519', x: x.slice(1) }],
    ['a longer value', { kty: 'OKP', crv: 'Ed25519', x: `${x}A` }],
    ['a value with padding', { kty: 'OKP', crv: 'Ed25519', x: `${x.slice(1)}=` }],
  ])('is none with %s', (_, value) => {
    expect(readSealJwk(value)).toBeNull();
  });
});
