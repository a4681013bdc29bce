/** `id_token_hint`: accepts this server's ID Tokens alone, whatever their age. */
import { createHmac, sign } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { readIdTokenHint } from '../../../src/crypto/id-token-hint.ts';
import { signJwt } from '../../../src/crypto/jws.ts';
import {
  type KeyRing,
  makeSigningKey,
  openSigningKey,
  publicKeyOf,
  type SigningKeyHere,
} from '../../../src/crypto/signing-keys.ts';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../../src/oauth/signing-algorithms.ts';
import { testKeys } from '../../support/app.ts';

const ISSUER = 'https://as.test';
const CLAIMS = { iss: ISSUER, sub: 'a-person', aud: 'a-client', sid: 'a-session', iat: 1_000_000, exp: 1_000_300 };
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('an ID Token hint', () => {
  const signers = new Map<SigningAlgorithm, SigningKeyHere>();
  let ring: KeyRing;
  let stranger: SigningKeyHere;
  const signer = (alg: SigningAlgorithm): SigningKeyHere => {
    const key = signers.get(alg);
    if (!key) throw new Error(alg);
    return key;
  };
  beforeAll(async () => {
    const stored = await Promise.all(SIGNING_ALGORITHMS.map((alg) => makeSigningKey(testKeys, alg)));
    for (const one of stored) signers.set(one.alg, await openSigningKey(testKeys, one));
    stranger = await openSigningKey(testKeys, await makeSigningKey(testKeys, 'ES256'));
    const verifiers = new Map(
      stored.map((one) => [one.kid, { alg: one.alg, publicKey: publicKeyOf(one.publicJwk) }] as const),
    );
    ring = {
      signerOf: signer,
      published: () => [],
      verifierOf: (kid) => verifiers.get(kid) ?? null,
      lookAgain: async () => {},
    };
  });
  const read = (token: string, issuer = ISSUER) => readIdTokenHint(ring, issuer, token);
  const made = (change: object = {}, alg: SigningAlgorithm = 'RS256') =>
    signJwt(signer(alg), 'JWT', { ...CLAIMS, ...change });
  /** Signed by our ES256 key, whatever its header says. */
  const withHeader = (header: object, claims: object = CLAIMS) => {
    const input = `${encoded(header)}.${encoded(claims)}`;
    const key = { key: signer('ES256').privateKey, dsaEncoding: 'ieee-p1363' } as const;
    return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
  };

  it.each(SIGNING_ALGORITHMS)('signed with %s identifies the user, the client and the session', async (alg) => {
    expect(await read(made({}, alg))).toEqual({ sub: 'a-person', aud: 'a-client', sid: 'a-session' });
  });
  it('stays valid long after its expiry, and has null for a missing session', async () => {
    expect(await read(made({ exp: 1, sid: undefined }))).toEqual({ sub: 'a-person', aud: 'a-client', sid: null });
  });

  it('of another issuer is rejected', async () => {
    expect(await read(made({ iss: 'https://other.test' }))).toBeNull();
    expect(await read(made({ iss: `${ISSUER}/` }))).toBeNull();
    expect(await read(made(), `${ISSUER}/`)).toBeNull();
  });
  it('that is an access token is rejected', async () => {
    expect(await read(signJwt(signer('RS256'), 'at+jwt', CLAIMS))).toBeNull();
  });
  it('signed by an unknown key is rejected, under its own kid or under ours', async () => {
    expect(await read(signJwt(stranger, 'JWT', CLAIMS))).toBeNull();
    expect(await read(signJwt({ ...stranger, kid: signer('ES256').kid }, 'JWT', CLAIMS))).toBeNull();
  });
  it('signed with a retired key is rejected', async () => {
    expect(await readIdTokenHint({ ...ring, verifierOf: () => null }, ISSUER, made())).toBeNull();
  });
  it.each(SIGNING_ALGORITHMS)('signed with %s and changed afterwards is rejected', async (alg) => {
    const [header, , signature] = made({}, alg).split('.');
    expect(await read(`${header}.${encoded({ ...CLAIMS, sub: 'another' })}.${signature}`)).toBeNull();
  });
  it('with another algorithm than its key is rejected', async () => {
    const { kid } = signer('ES256');
    expect(await read(withHeader({ alg: 'ES256', typ: 'JWT', kid }))).not.toBeNull();
    for (const alg of ['RS256', 'EdDSA', 'none', 'HS256', 'es256', undefined]) {
      expect(await read(withHeader({ alg, typ: 'JWT', kid })), alg).toBeNull();
    }
    // The key could; the algorithm is not its own.
    const rsa = signer('RS256');
    const input512 = `${encoded({ alg: 'RS512', typ: 'JWT', kid: rsa.kid })}.${encoded(CLAIMS)}`;
    const signature512 = sign('sha512', Buffer.from(input512), rsa.privateKey).toString('base64url');
    expect(await read(`${input512}.${signature512}`)).toBeNull();
    // The public key as the secret of a MAC: the oldest trick.
    const pem = ring.verifierOf(kid)?.publicKey.export({ type: 'spki', format: 'pem' }) ?? '';
    const input = `${encoded({ alg: 'HS256', typ: 'JWT', kid })}.${encoded(CLAIMS)}`;
    expect(await read(`${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`)).toBeNull();
    expect(await read(`${encoded({ alg: 'none', typ: 'JWT', kid })}.${encoded(CLAIMS)}.`)).toBeNull();
  });
  it('without typ or kid, or with a critical extension, is rejected', async () => {
    const { kid } = signer('ES256');
    for (const header of [
      { alg: 'ES256', kid },
      { alg: 'ES256', typ: 'jwt', kid },
      { alg: 'ES256', typ: 'JWT' },
      { alg: 'ES256', typ: 'JWT', kid: 7 },
      { alg: 'ES256', typ: 'JWT', kid, crit: ['x'], x: 1 },
    ]) {
      expect(await read(withHeader(header)), JSON.stringify(header)).toBeNull();
    }
  });
  it('with claims that this server does not issue is rejected', async () => {
    const { kid } = signer('ES256');
    const header = { alg: 'ES256', typ: 'JWT', kid };
    for (const claims of [
      { ...CLAIMS, sub: undefined },
      { ...CLAIMS, sub: 7 },
      { ...CLAIMS, aud: ['a-client'] },
      { ...CLAIMS, aud: undefined },
      { ...CLAIMS, sid: 7 },
      [],
      null,
      'text',
    ] as object[]) {
      expect(await read(withHeader(header, claims)), JSON.stringify(claims)).toBeNull();
    }
  });
  it('that is no JWT at all is rejected', async () => {
    for (const token of ['', '.', '../..', 'a.b', 'a.b.c', 'a.b.c.d.e', '\u0000', 'x'.repeat(9000)]) {
      expect(await read(token)).toBeNull();
    }
  });
});
