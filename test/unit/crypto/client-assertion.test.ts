import { describe, expect, it } from 'vitest';
import { readClientAssertion } from '../../../src/crypto/client-assertion.ts';
import type { PublicJwk } from '../../../src/crypto/client-keys.ts';
import { candidates, isSignedBy } from '../../../src/crypto/client-signature.ts';
import { CLIENT_SIGNING_ALGORITHMS } from '../../../src/oauth/signing-algorithms.ts';
import { maskedAsMac, signedBy, testKey, unsigned } from '../../support/client-keys.ts';

const ISSUER = 'https://as.test';
const TOKEN_ENDPOINT = `${ISSUER}/oauth/token`;
const OWN = { issuer: ISSUER, tokenEndpoint: TOKEN_ENDPOINT };
const CLAIMS = { iss: 'billing', sub: 'billing', aud: ISSUER, jti: 'once', exp: 1_700_000_060, iat: 1_700_000_000 };
const key = testKey();
const publicOf = ({ jwk }: ReturnType<typeof testKey>) => jwk as unknown as PublicJwk;
const reading = (claims: object = {}, header: object = {}) =>
  readClientAssertion(signedBy(key, { ...CLAIMS, ...claims }, header), OWN);

describe('a client assertion (RFC 7523 §3)', () => {
  it.each(CLIENT_SIGNING_ALGORITHMS)('is read, and signed by the key of the client alone, with %s', (alg) => {
    const [own, other] = [testKey(alg), testKey(alg)];
    const read = readClientAssertion(signedBy(own, CLAIMS), OWN);
    if (read.kind !== 'read') throw new Error(read.kind);
    expect(read).toMatchObject({ clientId: 'billing', jti: 'once', exp: CLAIMS.exp, iat: CLAIMS.iat, nbf: null });
    expect(candidates(read, [publicOf(own)])).toEqual([own.jwk]);
    expect(isSignedBy(read, publicOf(own))).toBe(true);
    expect(isSignedBy(read, publicOf(other))).toBe(false);
  });

  it.each(CLIENT_SIGNING_ALGORITHMS)('is not signed any more once a claim has changed, with %s', (alg) => {
    const own = testKey(alg);
    const [header, , signature] = signedBy(own, CLAIMS).split('.');
    const claims = Buffer.from(JSON.stringify({ ...CLAIMS, iss: 'admin', sub: 'admin' })).toString('base64url');
    const read = readClientAssertion(`${header}.${claims}.${signature}`, OWN);
    expect(read).toMatchObject({ kind: 'read', clientId: 'admin' });
    expect(read.kind === 'read' && isSignedBy(read, publicOf(own))).toBe(false);
  });

  it.each([
    ['two parts', 'a.b'],
    ['no JSON', 'YQ.YQ.YQ'],
    ['a list', `${Buffer.from('[]').toString('base64url')}.e30.YQ`],
    ['claims that are a list', signedBy(key, [])],
    ['padding', `${signedBy(key, CLAIMS)}=`],
    ['an encrypted one', `${signedBy(key, CLAIMS)}.a.b`],
    ['the general serialization', JSON.stringify({ payload: 'e30', signatures: [] })],
    ['another typ: of a DPoP proof', signedBy(key, CLAIMS, { typ: 'dpop+jwt' })],
    ['another typ: of a request object', signedBy(key, CLAIMS, { typ: 'oauth-authz-req+jwt' })],
    ['a critical extension', signedBy(key, CLAIMS, { crit: ['b64'], b64: false })],
    ['a kid that is no text', signedBy(key, CLAIMS, { kid: 7 })],
    ['no algorithm', signedBy(key, CLAIMS, { alg: undefined })],
  ])('is malformed: %s', (_, text) => {
    expect(readClientAssertion(text, OWN)).toEqual({ kind: 'client_assertion_malformed' });
  });

  it.each(['JWT', 'client-authentication+jwt', undefined])('may have the typ %s', (typ) => {
    expect(reading({}, { typ })).toMatchObject({ kind: 'read' });
  });

  it('may have no kid, and a jti of up to 512 characters', () => {
    expect(reading({}, { kid: undefined })).toMatchObject({ kind: 'read', kid: null });
    expect(reading({ jti: 'x'.repeat(512) })).toMatchObject({ kind: 'read' });
  });

  it('is signed by no key that is none', () => {
    const read = reading();
    expect(read.kind === 'read' && isSignedBy(read, { ...publicOf(key), x: 'AAAA' })).toBe(false);
  });

  it('says which of the two audiences it has', () => {
    expect(reading()).toMatchObject({ kind: 'read', isForTokenEndpoint: false });
    expect(reading({ aud: TOKEN_ENDPOINT })).toMatchObject({ kind: 'read', isForTokenEndpoint: true });
  });

  it.each(['none', 'HS256', 'RS512', 'ES384', 'es256', 'ES256K', 'toString'])('has no algorithm %s', (alg) => {
    expect(reading({}, { alg })).toEqual({ kind: 'client_assertion_algorithm' });
  });

  it('has no algorithm of a MAC, also where the public key is its secret (RFC 8725 §2.1)', () => {
    const pem = testKey('PS256').privateKey.export({ format: 'pem', type: 'pkcs8' });
    expect(readClientAssertion(maskedAsMac(key, CLAIMS, pem), OWN)).toEqual({ kind: 'client_assertion_algorithm' });
    expect(readClientAssertion(unsigned(CLAIMS), OWN)).toEqual({ kind: 'client_assertion_malformed' });
  });

  it.each([
    [{ iss: undefined }, 'client_assertion_issuer'],
    [{ sub: undefined }, 'client_assertion_issuer'],
    [{ sub: 'another' }, 'client_assertion_issuer'],
    [{ iss: '', sub: '' }, 'client_assertion_issuer'],
    [{ iss: 7, sub: 7 }, 'client_assertion_issuer'],
    [{ iss: ['billing'], sub: ['billing'] }, 'client_assertion_issuer'],
    [{ iss: 'a\0b', sub: 'a\0b' }, 'client_assertion_issuer'],
    [{ aud: undefined }, 'client_assertion_audience'],
    [{ aud: [ISSUER] }, 'client_assertion_audience'],
    [{ aud: [ISSUER, 'https://other.test'] }, 'client_assertion_audience'],
    [{ aud: `${ISSUER}/` }, 'client_assertion_audience'],
    [{ aud: [TOKEN_ENDPOINT] }, 'client_assertion_audience'],
    [{ aud: `${TOKEN_ENDPOINT}/` }, 'client_assertion_audience'],
    [{ aud: 'https://other.test' }, 'client_assertion_audience'],
    [{ exp: undefined }, 'client_assertion_times'],
    [{ exp: null }, 'client_assertion_times'],
    [{ exp: '1700000060' }, 'client_assertion_times'],
    [{ exp: -1 }, 'client_assertion_times'],
    [{ exp: 1e300 }, 'client_assertion_times'],
    [{ nbf: 'now' }, 'client_assertion_times'],
    [{ iat: null }, 'client_assertion_times'],
    [{ jti: undefined }, 'client_assertion_without_jti'],
    [{ jti: '' }, 'client_assertion_without_jti'],
    [{ jti: 7 }, 'client_assertion_without_jti'],
    [{ jti: 'x'.repeat(513) }, 'client_assertion_without_jti'],
  ])('with %j is refused as %s', (claims, kind) => {
    expect(reading(claims)).toEqual({ kind });
  });
});

describe('the keys that may have signed it', () => {
  const [ec, rsa, ed] = [testKey('ES256', 'ec'), testKey('PS256', 'rsa'), testKey('EdDSA', 'ed')].map(publicOf);
  const keys = [ec, rsa, ed].flatMap((one) => one ?? []);

  it('are those of the algorithm, and the named one alone where it names one', () => {
    expect(candidates({ alg: 'ES256', kid: null }, keys)).toEqual([ec]);
    expect(candidates({ alg: 'RS256', kid: 'rsa' }, keys)).toEqual([rsa]);
    expect(candidates({ alg: 'Ed25519', kid: 'ed' }, keys)).toEqual([ed]);
    expect(candidates({ alg: 'ES256', kid: 'unknown' }, keys)).toEqual([]);
  });

  it('are never those of another algorithm (RFC 8725 §3.1)', () => {
    expect(candidates({ alg: 'PS256', kid: 'ec' }, keys)).toEqual([]);
    expect(candidates({ alg: 'RS256', kid: 'rsa' }, [{ ...(rsa as PublicJwk), alg: 'PS256' }])).toEqual([]);
    expect(candidates({ alg: 'EdDSA', kid: 'ed' }, [{ ...(ed as PublicJwk), alg: 'Ed25519' }])).toHaveLength(1);
  });
});
