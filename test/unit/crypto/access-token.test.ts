/** Reading our own access tokens: every claim has its shape, and `jti` leads to what may have ended the token. */
import { describe, expect, it } from 'vitest';
import { accessTokenId, readAccessToken, signAccessToken } from '../../../src/crypto/access-token.ts';
import { signIdToken } from '../../../src/crypto/id-token.ts';
import { signJwt } from '../../../src/crypto/jws.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { type KeyRing, makeSigningKey, openSigningKey, publicKeyOf } from '../../../src/crypto/signing-keys.ts';

const keys = rootKeys(['the first root secret, of at least 32 bytes']);
const stored = await makeSigningKey(keys, 'ES256');
const key = await openSigningKey(keys, stored);
const ring: KeyRing = {
  signerOf: () => key,
  published: () => [stored.publicJwk],
  verifierOf: (kid) => (kid === stored.kid ? { alg: 'ES256', publicKey: publicKeyOf(stored.publicJwk) } : null),
  lookAgain: async () => {},
};

const ISSUER = 'https://as.test';
const GRANT_ID = '01234567-89ab-4cde-8f01-23456789abcd';
const RANDOM = Buffer.alloc(16, 7);
const claims = {
  iss: ISSUER,
  sub: 'a-person',
  aud: 'https://api.test' as string | string[],
  client_id: 'a-client',
  scope: 'read',
  jti: accessTokenId({ grantId: GRANT_ID }, RANDOM),
  iat: 1_000_000,
  exp: 1_000_300,
};
const read = (token: string) => readAccessToken(ring, ISSUER, token);
const withClaims = (change: object) => read(signJwt(key, 'at+jwt', { ...claims, ...change }));

describe('an access token', () => {
  it('identifies its grant, even long after its expiry', async () => {
    expect(await read(signAccessToken(key, claims))).toEqual({
      kind: 'authentic',
      claims,
      origin: { grantId: GRANT_ID },
    });
  });

  it.each([0n, 1n, 2n ** 63n - 1n])("identifies its client's epoch %d", async (clientEpoch) => {
    const reading = await withClaims({ jti: accessTokenId({ clientEpoch }, RANDOM) });
    expect(reading).toMatchObject({ kind: 'authentic', origin: { clientEpoch } });
  });

  it('may have several resources', async () => {
    expect(await withClaims({ aud: ['https://api.test', 'https://other.test'] })).toMatchObject({ kind: 'authentic' });
  });

  it('of another issuer with the same keys is rejected', async () => {
    expect(await withClaims({ iss: 'https://other.test' })).toEqual({ kind: 'other_issuer' });
    expect(await withClaims({ iss: `${ISSUER}/` })).toEqual({ kind: 'other_issuer' });
  });

  it('is not accepted as an ID Token, nor the reverse', async () => {
    const idToken = { ...claims, aud: 'a-client', auth_time: 1, at_hash: 'x', acr: '0', amr: ['pwd'], sid: 's' };
    expect(await read(signIdToken(key, idToken))).toEqual({ kind: 'other_typ' });
    // The same key signed an ID Token before, and the header of that is not used again.
    expect(await read(signAccessToken(key, claims))).toMatchObject({ kind: 'authentic' });
  });

  it('is malformed when it is no token at all', async () => {
    const token = signAccessToken(key, claims);
    for (const text of ['', 'a.b.c', `x.${token}`, `${token}.x`, ` ${token}`, `${token}\n`, token.slice(1)]) {
      expect(await read(text), JSON.stringify(text)).toEqual({ kind: 'malformed' });
    }
  });

  describe.each(Object.keys(claims))('%s', (name) => {
    it.each([undefined, null, true, {}, [7], ['text', 7], 1.5, '1000000', 7])('as %j', async (value) => {
      const mayBe = { iat: [7], exp: [7] }[name] ?? ['1000000'];
      const isOfItsType = mayBe.includes(value as never);
      const { kind } = await withClaims({ [name]: value });
      const expected = { iss: 'other_issuer', jti: 'malformed' }[name] ?? 'authentic';
      expect(kind).toBe(isOfItsType ? expected : 'malformed');
    });
  });

  it.each([
    ['no confirmation', undefined],
    ['the thumbprint of a key', { jkt: 'a key' }],
    ['the thumbprint of a certificate', { 'x5t#S256': 'a certificate' }],
    ['both thumbprints', { jkt: 'a key', 'x5t#S256': 'a certificate' }],
  ])('may have %s', async (_, cnf) => {
    expect(await withClaims({ cnf })).toMatchObject({ kind: 'authentic' });
  });

  it.each([
    ['cnf', null],
    ['cnf', 'a key'],
    ['cnf', {}],
    ['cnf', []],
    ['cnf', { jwk: {} }],
    ['cnf', { kid: 'a key' }],
    ['cnf', { jkt: 7 }],
    ['cnf', { jkt: 'a key', kid: 'a key' }],
    ['cnf', { jkt: 'a key', 'x5t#S256': null }],
    ['acr', 1],
    ['acr', null],
    ['auth_time', '1'],
    ['auth_time', 1.5],
    ['auth_time', null],
    ['aud', ['https://api.test', 7]],
  ])('with the claim %s as %j is malformed', async (name, value) => {
    expect(await withClaims({ [name]: value })).toEqual({ kind: 'malformed' });
  });

  it.each([
    ['too short', Buffer.alloc(23)],
    ['between an epoch and a grant', Buffer.alloc(25)],
    ['a grant and nothing more', Buffer.alloc(16)],
    ['too long', Buffer.alloc(33)],
    ['empty', Buffer.alloc(0)],
  ])('with an id that is %s is malformed', async (_, bytes) => {
    expect(await withClaims({ jti: bytes.toString('base64url') })).toEqual({ kind: 'malformed' });
  });

  it.each(['', '!', 'AAA=', 'no id of ours'])('with the id %j is malformed', async (jti) => {
    expect(await withClaims({ jti })).toEqual({ kind: 'malformed' });
  });

  it('has an id of the form that resource servers may already have in a list', () => {
    expect(Buffer.from(claims.jti, 'base64url').toString('hex')).toBe(
      `${GRANT_ID.replaceAll('-', '')}${'07'.repeat(16)}`,
    );
    expect(Buffer.from(accessTokenId({ clientEpoch: 258n }, RANDOM), 'base64url').toString('hex')).toBe(
      `0000000000000102${'07'.repeat(16)}`,
    );
  });
});
