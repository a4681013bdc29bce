/** RFC 9068 §4: the tokens that a guard accepts, and the reasons to reject the others. */
import { createHmac } from 'node:crypto';
import { exportSPKI } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/guard/index.ts';
import {
  bearer,
  FAKE_ISSUER,
  FAKE_RESOURCE,
  type FakeIssuer,
  fakeIssuer,
  fakeKey,
  sharedKey,
  signedBy,
} from '../../support/fake-issuer.ts';

const NEEDS = { scopes: ['read'] };
const verdict = (outcome: Outcome) => (outcome.kind === 'granted' ? 'granted' : outcome.reason);

describe('an access token', () => {
  let issuer: FakeIssuer;
  beforeEach(async () => {
    issuer = await fakeIssuer();
  });
  const check = async (token: string, options = {}) => issuer.guard(options).check(bearer(token), NEEDS);

  it('identifies the caller', async () => {
    const outcome = await check(await issuer.token({ claims: { scope: 'read  write read', roles: ['editor'] } }));
    expect(outcome).toEqual({
      kind: 'granted',
      access: {
        subject: 'ada',
        clientId: 'photo-book',
        scopes: ['read', 'write'],
        claims: expect.objectContaining({ iss: FAKE_ISSUER, sub: 'ada', jti: 'a-jti', roles: ['editor'] }),
      },
      headers: { 'cache-control': 'no-store', vary: 'Authorization' },
    });
  });

  it.each<[string, object, object]>([
    ['as the server writes it', {}, {}],
    ['typ in capitals', {}, { typ: 'AT+JWT' }],
    ['typ as a whole media type', {}, { typ: 'application/at+jwt' }],
    ['typ as a whole media type in capitals', {}, { typ: 'Application/At+Jwt' }],
    ['for several APIs', { aud: ['https://other.example', FAKE_RESOURCE] }, {}],
    ['of a client for itself', { sub: 'photo-book' }, {}],
    ['an unknown header', {}, { extra: 'more' }],
    ['keys of its own, which the guard ignores', {}, { jku: 'https://evil.example/keys', x5u: 'https://evil.example' }],
  ])('is accepted: %s', async (_name, claims, header) => {
    expect(verdict(await check(await issuer.token({ claims: { ...claims }, header: { ...header } })))).toBe('granted');
    expect(issuer.asked).toEqual(['oauth-authorization-server', 'keys']);
  });

  it.each(['RS256', 'EdDSA'])('is accepted with %s', async (alg) => {
    const signer = await sharedKey(alg, alg);
    issuer.published.push(signer.jwk);
    expect(verdict(await check(await issuer.token({ signer })))).toBe('granted');
    expect(verdict(await check(await issuer.token({ signer }), { algorithms: ['ES256'] }))).toBe('other_algorithm');
  });

  it.each<[string, string, object]>([
    ['another issuer', 'other_issuer', { iss: 'https://other.example' }],
    ['the issuer with a slash', 'other_issuer', { iss: `${FAKE_ISSUER}/` }],
    ['no issuer', 'claim_missing', { iss: undefined }],
    ['another audience', 'other_audience', { aud: 'https://other.example' }],
    ['other audiences', 'other_audience', { aud: ['https://other.example', `${FAKE_RESOURCE}/`] }],
    ['no audience', 'claim_missing', { aud: undefined }],
    ['an empty audience', 'other_audience', { aud: [] }],
    ['an audience with a number', 'claim_missing', { aud: [FAKE_RESOURCE, 7] }],
    ['an audience that is an object', 'other_audience', { aud: { [FAKE_RESOURCE]: true } }],
    ['no exp', 'claim_missing', { exp: undefined }],
    ['exp in words', 'claim_missing', { exp: '4102444800' }],
    ['no iat', 'claim_missing', { iat: undefined }],
    ['iat in words', 'claim_missing', { iat: 'yesterday' }],
    ['nbf in words', 'not_yet_valid', { nbf: 'tomorrow' }],
    ['no sub', 'claim_missing', { sub: undefined }],
    ['an empty sub', 'claim_missing', { sub: '' }],
    ['sub that is a number', 'claim_missing', { sub: 7 }],
    ['no client_id', 'claim_missing', { client_id: undefined }],
    ['no jti', 'claim_missing', { jti: undefined }],
    ['scope that is a list', 'claim_missing', { scope: ['read'] }],
    ['a key it is bound to', 'proof_missing', { cnf: { jkt: 'thumbprint' } }],
    ['a certificate it is bound to', 'proof_missing', { cnf: { 'x5t#S256': 'thumbprint' } }],
    ['cnf that is empty', 'proof_missing', { cnf: {} }],
    ['cnf that is null', 'proof_missing', { cnf: null }],
  ])('is rejected: %s', async (_name, reason, claims) => {
    const outcome = await check(await issuer.token({ claims: { ...claims } }));
    expect(outcome).toMatchObject({ kind: 'refused', status: 401, error: 'invalid_token', reason, missing: [] });
  });

  it.each<[string, string, object]>([
    ['an ID Token', 'other_typ', { typ: 'JWT' }],
    ['no typ', 'other_typ', { typ: undefined }],
    ['a typ that only begins so', 'other_typ', { typ: 'at+jwt+more' }],
    ['typ as a list', 'other_typ', { typ: ['at+jwt'] }],
    ['alg none', 'other_algorithm', { alg: 'none' }],
    ['alg HS256', 'other_algorithm', { alg: 'HS256' }],
    ['an alg that its key does not have', 'unknown_key', { alg: 'RS256' }],
    ['no alg', 'other_algorithm', { alg: undefined }],
    ['a critical extension', 'critical_header', { crit: ['x'], x: 1 }],
    ['the critical extension that jose knows', 'critical_header', { crit: ['b64'], b64: true }],
    ['crit that is empty', 'critical_header', { crit: [] }],
    ['no kid', 'unknown_key', { kid: undefined }],
    ['kid that is a number', 'unknown_key', { kid: 7 }],
    ['another kid', 'unknown_key', { kid: 'another' }],
  ])('is rejected by its header: %s', async (_name, reason, header) => {
    const outcome = await check(await issuer.token({ header: { ...header } }));
    expect(outcome).toMatchObject({ kind: 'refused', error: 'invalid_token', reason });
  });

  it('is rejected when an unknown key signed it, whatever key the header offers', async () => {
    const stranger = await fakeKey('first');
    const jwk = stranger.jwk;
    for (const header of [
      {},
      { jwk },
      { jku: 'https://evil.example/keys', x5u: 'https://evil.example', x5c: ['AAAA'] },
    ]) {
      expect(verdict(await check(await issuer.token({ signer: stranger, header })))).toBe('wrong_signature');
    }
    const own = await fakeKey('own');
    expect(verdict(await check(await issuer.token({ signer: own, header: { jwk: own.jwk } })))).toBe('unknown_key');
    expect(issuer.asked.filter((one) => one !== 'keys' && one !== 'oauth-authorization-server')).toEqual([]);
  });

  it('is rejected when it was signed with a public key as a secret', async () => {
    const good = await issuer.token();
    const [, payload = ''] = good.split('.');
    const header = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'at+jwt', kid: 'first' })).toString('base64url');
    for (const secret of [await exportSPKI(issuer.key.publicKey), JSON.stringify(issuer.key.jwk)]) {
      const mac = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url');
      expect(verdict(await check(`${header}.${payload}.${mac}`))).toBe('other_algorithm');
    }
  });

  it('is rejected after any change', async () => {
    const [header = '', payload = '', signature = ''] = (await issuer.token()).split('.');
    const more = Buffer.from(JSON.stringify({ ...JSON.parse(atob(payload)), scope: 'read write' })).toString(
      'base64url',
    );
    expect(verdict(await check(`${header}.${more}.${signature}`))).toBe('wrong_signature');
    for (const text of [
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}..${signature}`,
      'garbage',
      '...',
      'a.b.c.d.e',
    ])
      expect(await check(text), text).toMatchObject({ kind: 'refused', error: 'invalid_token' });
    expect(verdict(await check(signedBy(issuer.key, { alg: 'ES256', typ: 'at+jwt', kid: 'first' }, [1])))).toBe(
      'token_malformed',
    );
  });

  describe('at a time', () => {
    it.each([
      [900 + 4, 'granted'],
      [900 + 5, 'expired'],
      [-5, 'granted'],
      [-6, 'not_yet_valid'],
    ])('%i seconds after its issue: %s', async (seconds, expected) => {
      const token = await issuer.token();
      issuer.clock.advanceSeconds(seconds);
      expect(verdict(await check(token))).toBe(expected);
    });

    it('has the configured tolerance', async () => {
      const token = await issuer.token();
      issuer.clock.advanceSeconds(900);
      expect(verdict(await check(token, { clockToleranceSeconds: 0 }))).toBe('expired');
      expect(verdict(await check(token, { clockToleranceSeconds: 1 }))).toBe('granted');
    });

    it('is rejected before nbf', async () => {
      const nbf = Math.floor(issuer.clock.now().getTime() / 1000) + 6;
      const token = await issuer.token({ claims: { nbf } });
      expect(verdict(await check(token))).toBe('not_yet_valid');
      issuer.clock.advanceSeconds(1);
      expect(verdict(await check(token))).toBe('granted');
    });
  });

  it('is rejected unread when it is too long', async () => {
    const long = await issuer.token({ claims: { filler: 'x'.repeat(9000) } });
    expect(verdict(await check(long))).toBe('token_too_long');
    expect(issuer.asked).toEqual([]);
    expect(verdict(await check(long, { maxTokenLength: 20_000 }))).toBe('granted');
  });
});

describe('scopes', () => {
  it.each<[string | undefined, string[], string[]]>([
    ['read', ['write'], ['write']],
    ['read', ['read', 'write', 'admin'], ['write', 'admin']],
    [undefined, ['read'], ['read']],
    ['', ['read'], ['read']],
    ['readable', ['read'], ['read']],
    ['READ', ['read'], ['read']],
  ])('%j of %j lacks %j', async (scope, scopes, missing) => {
    const issuer = await fakeIssuer();
    const token = await issuer.token({ claims: { scope } });
    const outcome = await issuer.guard().check(bearer(token), { scopes });
    const required = scopes.join(' ');
    expect(outcome).toMatchObject({ kind: 'refused', status: 403, error: 'insufficient_scope', missing });
    expect(outcome.headers['www-authenticate']).toContain(`error="insufficient_scope"`);
    expect(outcome.headers['www-authenticate']).toContain(`scope="${required}"`);
    expect(outcome).toHaveProperty('body', expect.objectContaining({ scope: required, missing: missing.join(' ') }));
  });

  it('are empty where a request requires none', async () => {
    const issuer = await fakeIssuer();
    const token = await issuer.token({ claims: { scope: undefined } });
    expect(await issuer.guard().check(bearer(token), { scopes: [] })).toMatchObject({
      kind: 'granted',
      access: { scopes: [] },
    });
  });
});

describe('a sender-constrained token', () => {
  const jkt = { cnf: { jkt: 'thumbprint' } };
  const dpop = (token: string) => ({ headers: { authorization: `DPoP ${token}`, dpop: 'a proof' } });

  it('is accepted with the proof that the API checks', async () => {
    const issuer = await fakeIssuer();
    const token = await issuer.token({ claims: jkt });
    const seen: unknown[] = [];
    const proof = (presented: unknown) => seen.push(presented) > 0;
    const request = dpop(token);
    expect(await issuer.guard({ proof }).check(request, NEEDS)).toMatchObject({ kind: 'granted' });
    expect(seen).toEqual([
      { request, scheme: 'dpop', token, claims: expect.objectContaining(jkt), confirmation: jkt.cnf },
    ]);
  });

  it.each<[string, boolean, object, () => boolean, string]>([
    ['as Bearer, even with a proof', true, jkt, () => true, 'proof_missing'],
    ['with a proof that is wrong', false, jkt, () => false, 'proof_refused'],
    ['with an answer that is only truthy', false, jkt, () => 'yes' as never, 'proof_refused'],
    ['as DPoP, bound to no key', false, {}, () => true, 'proof_refused'],
    ['as DPoP, bound to a certificate', false, { cnf: { 'x5t#S256': 'a' } }, () => true, 'proof_refused'],
    ['bound to nothing that can be read', true, { cnf: 'thumbprint' }, () => true, 'proof_refused'],
  ])('is rejected %s', async (_name, asBearer, claims, proof, reason) => {
    const issuer = await fakeIssuer();
    const token = await issuer.token({ claims: { ...claims } });
    const outcome = await issuer.guard({ proof }).check(asBearer ? bearer(token) : dpop(token), NEEDS);
    expect(outcome).toMatchObject({ kind: 'refused', status: 401, error: 'invalid_token', reason });
  });

  it('is accepted as Bearer where it is bound to a certificate and the API checks that', async () => {
    const issuer = await fakeIssuer();
    const token = await issuer.token({ claims: { cnf: { 'x5t#S256': 'a' } } });
    expect(await issuer.guard({ proof: async () => true }).check(bearer(token), NEEDS)).toMatchObject({
      kind: 'granted',
    });
  });

  it('does not blame the caller when the check of the proof fails', async () => {
    const issuer = await fakeIssuer();
    const token = await issuer.token({ claims: jkt });
    const proof = () => {
      throw new RangeError(token);
    };
    const outcome = await issuer.guard({ proof }).check(dpop(token), NEEDS);
    expect(outcome).toMatchObject({ kind: 'unavailable', status: 503, reason: 'proof' });
    expect(JSON.stringify(outcome)).not.toContain(token);
  });

  it('is rejected where the API checks no proofs', async () => {
    const issuer = await fakeIssuer();
    const outcome = await issuer.guard().check(dpop(await issuer.token({ claims: jkt })), NEEDS);
    expect(outcome).toMatchObject({ kind: 'refused', error: null, reason: 'no_credentials' });
  });
});
