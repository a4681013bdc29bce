/** RFC 9449 §4.3: each check of a proof, in its words. */
import { beforeAll, describe, expect, it } from 'vitest';
import { normalisedUrl, PROOF_ALGORITHMS, type ProofExpected, readProof } from '../../../src/guard/dpop-proof.ts';
import { macProofOf, type ProofKey, type ProofSaid, proofKey, proofOf } from '../../support/dpop.ts';

const NOW = new Date('2030-01-01T12:00:00Z');
const SECONDS = NOW.getTime() / 1000;
const URL_ = 'https://as.example/oauth/token';
const EXPECTED: ProofExpected = { method: 'POST', url: URL_, accessToken: null, now: NOW.getTime() };

describe('a DPoP proof', () => {
  let key: ProofKey;
  let rsa: ProofKey;
  beforeAll(async () => {
    key = await proofKey();
    rsa = await proofKey('PS256');
  });
  const proof = (change: Partial<ProofSaid> = {}, by = key) => proofOf(by, { url: URL_, now: NOW, ...change });
  const problemOf = async (sent: string, expected: Partial<ProofExpected> = {}) => {
    const reading = await readProof(sent, { ...EXPECTED, ...expected });
    return reading.kind === 'valid' ? 'valid' : reading.problem;
  };

  it.each(PROOF_ALGORITHMS)('is valid, signed with %s, and names its key', async (alg) => {
    const signer = await proofKey(alg);
    const reading = await readProof(proof({ nonce: 'a-nonce' }, signer), EXPECTED);
    expect(reading).toEqual({
      kind: 'valid',
      jkt: signer.jkt,
      nonce: 'a-nonce',
      id: expect.stringMatching(/^[\w-]{43}$/),
      endsAt: (SECONDS + 71) * 1000,
    });
  });

  it('has an id of its own, which its key and its jti make', async () => {
    const idOf = async (sent: string) => {
      const reading = await readProof(sent, EXPECTED);
      return reading.kind === 'valid' ? reading.id : null;
    };
    const claims = { jti: 'the same' };
    const id = await idOf(proof({ claims }));
    expect(id).not.toBeNull();
    expect(await idOf(proof({ claims: { ...claims, more: true } }))).toBe(id);
    expect(await idOf(proof({ claims }, rsa))).not.toBe(id);
    expect(await idOf(proof())).not.toBe(id);
  });

  it.each<[string, string, string]>([
    ['its query and fragment', `${URL_}?a=b#c`, URL_],
    ['the query of the request', URL_, `${URL_}?a=b`],
    ['capitals of scheme and host', 'HTTPS://AS.example/oauth/token', URL_],
    ['the default port', 'https://as.example:443/oauth/token', URL_],
    ['dot segments', 'https://as.example/x/../oauth/./token', URL_],
    ['octets that need no encoding', 'https://as.example/o%61uth/%74oken', URL_],
    ['small hexadecimal digits', 'https://as.example/a%c3%a4', 'https://as.example/a%C3%A4'],
    ['an empty path', 'https://as.example', 'https://as.example/'],
  ])('is for the URL of the request, whatever %s', async (_name, htu, url) => {
    expect(await problemOf(proof({ url: htu }), { url })).toBe('valid');
  });

  it.each<[string, string]>([
    ['another path', 'https://as.example/oauth/par'],
    ['a path in capitals', 'https://as.example/OAUTH/token'],
    ['another host', 'https://other.example/oauth/token'],
    ['another port', 'https://as.example:8443/oauth/token'],
    ['http', 'http://as.example/oauth/token'],
    ['an encoded slash', 'https://as.example/oauth%2Ftoken'],
    ['a slash more', `${URL_}/`],
    ['a username', 'https://a@as.example/oauth/token'],
    ['a backslash', 'https://as.example\\oauth\\token'],
    ['a space', ` ${URL_}`],
    ['a path alone', '/oauth/token'],
    ['nothing', ''],
  ])('is for no other URL: %s', async (_name, url) => {
    expect(await problemOf(proof({ url }))).toMatch(/^proof_(for_other_url|claim_malformed)$/);
  });

  it('is for one method, in its letters', async () => {
    expect(await problemOf(proof({ method: 'GET' }))).toBe('proof_for_other_method');
    expect(await problemOf(proof({ method: 'post' }))).toBe('proof_for_other_method');
    expect(await problemOf(proof({ method: 'GET' }), { method: 'GET' })).toBe('valid');
  });

  it('is for one access token', async () => {
    const accessToken = 'a.b.c';
    expect(await problemOf(proof({ accessToken }), { accessToken })).toBe('valid');
    expect(await problemOf(proof({ accessToken: 'a.b.d' }), { accessToken })).toBe('proof_for_other_token');
    expect(await problemOf(proof(), { accessToken })).toBe('proof_for_other_token');
    expect(await problemOf(proof({ claims: { ath: [] } }), { accessToken })).toBe('proof_for_other_token');
  });

  it.each<[string, number, string]>([
    ['a minute old, by a clock that is ten seconds behind', -70, 'valid'],
    ['older', -71, 'proof_too_old'],
    ['by a clock that is ten seconds ahead', 10, 'valid'],
    ['from a later time', 11, 'proof_not_yet_valid'],
  ])('is of this time: %s', async (_name, difference, verdict) => {
    expect(await problemOf(proof({ claims: { iat: SECONDS + difference } }))).toBe(verdict);
  });

  it('ends when its reading says so', async () => {
    const sent = proof();
    const reading = await readProof(sent, EXPECTED);
    const endsAt = reading.kind === 'valid' ? reading.endsAt : 0;
    expect(await problemOf(sent, { now: endsAt - 1 })).toBe('valid');
    expect(await problemOf(sent, { now: endsAt })).toBe('proof_too_old');
  });

  it.each<[string, string, object]>([
    ['no typ', 'proof_other_typ', { typ: undefined }],
    ['typ of an access token', 'proof_other_typ', { typ: 'at+jwt' }],
    ['typ in capitals', 'proof_other_typ', { typ: 'DPOP+JWT' }],
    ['alg none', 'proof_other_algorithm', { alg: 'none' }],
    ['alg HS256', 'proof_other_algorithm', { alg: 'HS256' }],
    ['alg ES384', 'proof_other_algorithm', { alg: 'ES384' }],
    ['no alg', 'proof_other_algorithm', { alg: undefined }],
    ['alg of another kind of key', 'proof_key_malformed', { alg: 'EdDSA' }],
    ['alg as a list', 'proof_other_algorithm', { alg: ['ES256'] }],
    ['a critical extension', 'proof_critical_header', { crit: ['b64'], b64: false }],
    ['no key', 'proof_key_malformed', { jwk: undefined }],
    ['null for a key', 'proof_key_malformed', { jwk: null }],
    ['a list for a key', 'proof_key_malformed', { jwk: [] }],
    ['a symmetric key', 'proof_has_private_key', { jwk: { kty: 'oct', k: 'YQ' } }],
    ['a point on no curve', 'proof_key_malformed', { jwk: { kty: 'EC', crv: 'P-256', x: 'YQ', y: 'YQ' } }],
  ])('is refused with %s', async (_name, problem, header) => {
    expect(await problemOf(proof({ header: header as Record<string, unknown> }))).toBe(problem);
  });

  it('is refused with a MAC by the public key', async () => {
    expect(await problemOf(macProofOf(key, { url: URL_, now: NOW }))).toBe('proof_other_algorithm');
  });

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])('is refused with the private member %s', async (member) => {
    expect(await problemOf(proof({ header: { jwk: { ...key.jwk, [member]: 'YQ' } } }))).toBe('proof_has_private_key');
  });

  it('is refused with a key of another proof', async () => {
    const other = await proofKey();
    expect(await problemOf(proof({ header: { jwk: other.jwk } }))).toBe('proof_wrong_signature');
  });

  it('takes the members that make the key alone', async () => {
    const jwk = { ...key.jwk, kid: 'a', use: 'enc', key_ops: ['encrypt'], alg: 'HS256', ext: false };
    expect(await readProof(proof({ header: { jwk } }), EXPECTED)).toMatchObject({ kind: 'valid', jkt: key.jkt });
  });

  it('has a bounded size: a key of 4 KB, a long exponent and a long proof are refused', async () => {
    expect(await problemOf(proof({ header: { jwk: { ...key.jwk, note: 'x'.repeat(4096) } } }))).toBe('proof_too_long');
    const jwk = { ...rsa.jwk, e: rsa.jwk.n };
    expect(await problemOf(proof({ header: { jwk } }, rsa))).toBe('proof_key_malformed');
    expect(await problemOf(proof({ header: { jwk: { ...rsa.jwk, n: 'x'.repeat(684) } } }, rsa))).toBe(
      'proof_key_malformed',
    );
    expect(await problemOf(proof({ claims: { more: 'x'.repeat(8192) } }))).toBe('proof_too_long');
    expect(await problemOf(proof({ claims: { jti: 'x'.repeat(256) } }))).toBe('valid');
    expect(await problemOf(proof({ claims: { jti: 'x'.repeat(257) } }))).toBe('proof_claim_malformed');
  });

  it.each<[string, object]>([
    ['no jti', { jti: undefined }],
    ['an empty jti', { jti: '' }],
    ['a number for jti', { jti: 1 }],
    ['no htm', { htm: undefined }],
    ['no htu', { htu: undefined }],
    ['a list for htu', { htu: [URL_] }],
    ['no iat', { iat: undefined }],
    ['a text for iat', { iat: String(SECONDS) }],
    ['a number for nonce', { nonce: 1 }],
  ])('is refused with %s', async (_name, claims) => {
    expect(await problemOf(proof({ claims: claims as Record<string, unknown> }))).toBe('proof_claim_malformed');
  });

  it('is one header', async () => {
    expect(await problemOf(`${proof()}, ${proof()}`)).toBe('several_proofs');
    expect(await problemOf(`${proof()},`)).toBe('several_proofs');
  });

  it.each(['', 'a', 'a.b', 'a.b.c', 'a.b.c.d', '..', ` ${'e30'}.e30.e30`, 'e30.e30.e30', '"', 'W10.W10.W10'])(
    'is refused where it is no JWT: %j',
    async (sent) => {
      expect(await problemOf(sent)).toMatch(/^proof_(malformed|other_typ)$/);
    },
  );

  it('is refused with another signature, header or payload', async () => {
    const [header = '', payload = '', signature = ''] = proof().split('.');
    const [, otherPayload = ''] = proof().split('.');
    const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
    expect(await problemOf(`${header}.${payload}.${flipped}`)).toBe('proof_wrong_signature');
    expect(await problemOf(`${header}.${otherPayload}.${signature}`)).toBe('proof_wrong_signature');
    expect(await problemOf(`${header}.${payload}.${signature.slice(0, -4)}`)).toBe('proof_wrong_signature');
  });
});

it('a URL that no endpoint has is no URL of a proof', () => {
  expect(normalisedUrl('ftp://as.example/')).toBeNull();
  expect(normalisedUrl('https://as.example/%zz')).toBe('https://as.example/%zz');
  expect(normalisedUrl('https://')).toBeNull();
});
