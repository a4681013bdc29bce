/** RFC 9449 §7: an API accepts a token that is bound to a key with a proof of that key, and in no other way. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GuardOptions } from '../../../src/guard/index.ts';
import { macProofOf, type ProofKey, type ProofSaid, proofKey, proofOf } from '../../support/dpop.ts';
import {
  bearer,
  FAKE_ISSUER,
  FAKE_METADATA,
  FAKE_RESOURCE,
  type FakeIssuer,
  fakeIssuer,
} from '../../support/fake-issuer.ts';
import { FRAMEWORKS } from '../../support/guarded-apis.ts';

const NEEDS = { scopes: ['read'] };
const PHOTOS = 'https://api.example/photos';
const ALGS = 'algs="ES256 EdDSA PS256"';

describe('a guard that takes DPoP proofs', () => {
  let issuer: FakeIssuer;
  let key: ProofKey;
  let other: ProofKey;
  let token: string;
  beforeAll(async () => {
    key = await proofKey();
    other = await proofKey('EdDSA');
  });
  beforeEach(async () => {
    issuer = await fakeIssuer();
    token = await issuer.token({ claims: { cnf: { jkt: key.jkt } } });
  });
  const said = (change: Partial<ProofSaid> = {}): ProofSaid => ({
    ...{ method: 'GET', url: PHOTOS, now: issuer.clock.now(), accessToken: token },
    ...change,
  });
  const request = (dpop: string | readonly string[] | undefined, authorization = `DPoP ${token}`) => ({
    ...{ method: 'GET', url: '/photos?a=b' },
    headers: { authorization, dpop },
  });
  const guard = (dpop: GuardOptions['dpop'] = {}, more: Partial<GuardOptions> = {}) => issuer.guard({ dpop, ...more });

  it('accepts a bound token with a new proof of its key', async () => {
    const outcome = await guard().check(request(proofOf(key, said())), NEEDS);
    expect(outcome).toMatchObject({ kind: 'granted', access: { subject: 'ada', claims: { cnf: { jkt: key.jkt } } } });
  });

  it('accepts a bearer token beside it', async () => {
    expect(await guard().check(bearer(await issuer.token()), NEEDS)).toMatchObject({ kind: 'granted' });
  });

  it.each<[string, string, string, () => Parameters<typeof request>]>([
    ['without a proof', 'dpop_proof_missing', 'invalid_dpop_proof', () => [undefined]],
    ['with two headers', 'dpop_proof_invalid', 'invalid_dpop_proof', () => [[good(), good()]]],
    ['with two proofs in a header', 'dpop_proof_invalid', 'invalid_dpop_proof', () => [`${good()}, ${good()}`]],
    ['with a proof for another method', 'dpop_proof_invalid', 'invalid_dpop_proof', () => [by({ method: 'POST' })]],
    ['with a proof for another URL', 'dpop_proof_invalid', 'invalid_dpop_proof', () => [by({ url: `${PHOTOS}/1` })]],
    [
      'with a proof for another token',
      'dpop_proof_invalid',
      'invalid_dpop_proof',
      () => [by({ accessToken: 'a.b.c' })],
    ],
    [
      'with a proof for no token',
      'dpop_proof_invalid',
      'invalid_dpop_proof',
      () => [by({ claims: { ath: undefined } })],
    ],
    ['with an old proof', 'dpop_proof_invalid', 'invalid_dpop_proof', () => [by({ now: minutesAgo() })]],
    ['with a MAC', 'dpop_proof_invalid', 'invalid_dpop_proof', () => [macProofOf(key, said())]],
    ['with a proof of another key', 'dpop_key_mismatch', 'invalid_token', () => [proofOf(other, said())]],
  ])('rejects a bound token %s', async (_name, reason, error, asked) => {
    const outcome = await guard().check(request(...asked()), NEEDS);
    expect(outcome).toMatchObject({ kind: 'refused', status: 401, reason, error });
    const challenge = outcome.headers['www-authenticate'];
    expect(challenge).toMatch(new RegExp(`^DPoP error="${error}", error_description="[^"]+", `));
    expect(challenge).toContain(`, ${ALGS}`);
    expect(challenge).not.toContain('Bearer');
  });
  const by = (change: Partial<ProofSaid>) => proofOf(key, said(change));
  const good = () => by({});
  const minutesAgo = () => new Date(issuer.clock.now().getTime() - 120_000);

  it('rejects a bound token as Bearer, even with its proof', async () => {
    expect(await guard().check(request(good(), `Bearer ${token}`), NEEDS)).toMatchObject({
      kind: 'refused',
      reason: 'proof_missing',
      error: 'invalid_token',
    });
  });

  it('rejects an unbound token under the scheme, even with a proof', async () => {
    token = await issuer.token();
    expect(await guard().check(request(good()), NEEDS)).toMatchObject({ kind: 'refused', reason: 'proof_refused' });
  });

  it('rejects a token that is also bound to a certificate, unless the API checks that too', async () => {
    token = await issuer.token({ claims: { cnf: { jkt: key.jkt, 'x5t#S256': 'a' } } });
    const checked = async (proof?: GuardOptions['proof']) =>
      (await guard({}, proof && { proof }).check(request(good()), NEEDS)).kind;
    expect(await checked()).toBe('refused');
    expect(await checked(() => false)).toBe('refused');
    expect(await checked(() => true)).toBe('granted');
  });

  it('accepts a proof once, and forgets it only when it has ended', async () => {
    const guarding = guard({ maxProofs: 2 });
    const first = request(good());
    const answer = async (asked: ReturnType<typeof request>) => {
      const outcome = await guarding.check(asked, NEEDS);
      return outcome.kind === 'granted' ? 'granted' : outcome.reason;
    };
    expect(await answer(first)).toBe('granted');
    expect(await answer(first)).toBe('dpop_proof_replayed');
    expect(await answer(request(good()))).toBe('granted');
    // A third could come again unrecognized, so no proof gets in. The bound holds.
    expect(await answer(request(good()))).toBe('proof');
    issuer.clock.advanceSeconds(70);
    expect(await answer(first)).toBe('dpop_proof_replayed');
    issuer.clock.advanceSeconds(1);
    expect(await answer(first)).toBe('dpop_proof_invalid');
    expect(await answer(request(good()))).toBe('granted');
  });

  it('asks a shared store, where several processes serve the API', async () => {
    const stored = new Set<string>();
    const isFirstUse = async ({ id, endsAt }: { id: string; endsAt: Date }) => {
      expect(endsAt.getTime() - issuer.clock.now().getTime()).toBe(71_000);
      return !stored.has(id) && stored.add(id).size > 0;
    };
    const proof = request(good());
    expect(await guard({ isFirstUse }).check(proof, NEEDS)).toMatchObject({ kind: 'granted' });
    expect(await guard({ isFirstUse }).check(proof, NEEDS)).toMatchObject({ reason: 'dpop_proof_replayed' });
  });

  it('admits no request while the store fails, and does not blame the caller', async () => {
    const isFirstUse = () => Promise.reject(new RangeError(token));
    const outcome = await guard({ isFirstUse }).check(request(good()), NEEDS);
    expect(outcome).toMatchObject({ kind: 'unavailable', status: 503, reason: 'proof' });
    expect(JSON.stringify(outcome)).not.toContain(token);
  });

  it('spends no proof on a request that it refuses for another key', async () => {
    const guarding = guard();
    const proof = good();
    const stolen = await issuer.token({ claims: { cnf: { jkt: other.jkt } } });
    await guarding.check(request(proof, `DPoP ${stolen}`), NEEDS);
    expect(await guarding.check(request(proof), NEEDS)).toMatchObject({ kind: 'granted' });
  });

  it('tells of both schemes where a request has no token, and of the algorithms in the metadata', async () => {
    const guarding = guard();
    const outcome = await guarding.check({ headers: {} }, NEEDS);
    const about = `scope="read", resource_metadata="${FAKE_METADATA}"`;
    expect(outcome.headers['www-authenticate']).toBe(`Bearer ${about}, DPoP ${ALGS}`);
    expect(guarding.metadata.document.dpop_signing_alg_values_supported).toEqual(['ES256', 'EdDSA', 'PS256']);
    expect(issuer.guard().metadata.document).not.toHaveProperty('dpop_signing_alg_values_supported');
  });

  it('expects the URL that clients request, whatever host its machine has', async () => {
    const url = 'https://public.example/photos';
    const fetched = new Request('http://10.0.0.1:8080/photos?a=b', {
      headers: { authorization: `DPoP ${token}`, dpop: by({ url }) },
    });
    expect(await guard({ origin: 'https://public.example' }).check(fetched, NEEDS)).toMatchObject({ kind: 'granted' });
  });

  it('needs an origin where the identifier of the API is no URL', () => {
    const resource = 'urn:photos';
    expect(() => guard({}, { resource })).toThrow(/^The guard needs dpop\.origin: /);
    expect(() => guard({ origin: 'https://api.example/photos' })).toThrow(/^The guard needs dpop\.origin: /);
    expect(() => guard({ isFirstUse: 'redis' as never })).toThrow(/^The guard needs dpop\.isFirstUse: /);
    expect(() => guard({ maxProofs: 0 })).toThrow(/^The guard needs dpop\.maxProofs: /);
    expect(() => guard({ origin: 'https://api.example' }, { resource })).not.toThrow();
  });
});

describe.each(FRAMEWORKS)('%s', (_name, open) => {
  it('accepts a bound token with its proof, and answers without it by the challenge', async () => {
    const issuer = await fakeIssuer();
    const key = await proofKey();
    const { fetch, clock } = issuer;
    const options = { issuer: FAKE_ISSUER, resource: FAKE_RESOURCE, scopes: ['read', 'write'], fetch, dpop: {} };
    const api = await open({ ...options, now: () => clock.now() });
    try {
      const accessToken = await issuer.token({ claims: { scope: 'read write', cnf: { jkt: key.jkt } } });
      const authorization = [`DPoP ${accessToken}`];
      const proof = (method: string, url = PHOTOS) => proofOf(key, { method, url, now: clock.now(), accessToken });
      const statusOf = async (method: 'GET' | 'POST', dpop: readonly string[]) =>
        (await api.ask({ method, path: '/photos', authorization, dpop })).status;
      // The upgrade of a WebSocket is always a GET, at a path of its own.
      const [method, url] = _name === 'a WebSocket' ? ['GET', 'https://api.example/write'] : ['POST', PHOTOS];
      expect(await statusOf('GET', [proof('GET')])).toBe(200);
      expect(await statusOf('POST', [proof(method ?? '', url)])).toBe(200);
      expect(await statusOf('GET', [proof('POST')])).toBe(401);
      expect(await statusOf('GET', [proof('GET'), proof('GET')])).toBe(401);
      const { status, headers } = await api.ask({ method: 'GET', path: '/photos', authorization });
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toMatch(/^DPoP error="invalid_dpop_proof", /);
    } finally {
      await api.close();
    }
  });
});
