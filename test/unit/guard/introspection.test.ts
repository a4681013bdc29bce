/** RFC 7662: a revoked token is rejected immediately, and a missing answer accepts no token. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { GuardOptions, Outcome } from '../../../src/guard/index.ts';
import { bearer, FAKE_ISSUER, type FakeIssuer, fakeIssuer } from '../../support/fake-issuer.ts';

const NEEDS = { scopes: ['read'] };
const SECRET = 'a secret: with & and ü';
const verdict = (outcome: Outcome) => (outcome.kind === 'granted' ? 'granted' : outcome.reason);

describe('introspection', () => {
  let issuer: FakeIssuer;
  beforeEach(async () => {
    issuer = await fakeIssuer();
  });
  type Introspection = NonNullable<GuardOptions['introspection']>;
  const guardOf = (more: Partial<Introspection> = {}) =>
    issuer.guard({ introspection: { clientId: 'photos:api', clientSecret: SECRET, ...more } });
  const questions = () => issuer.asked.filter((one) => one === 'introspect').length;
  const answer = (value: unknown) => {
    issuer.answers.introspection = () => Response.json(value);
  };

  it('authenticates with the credentials of the API, as they were registered', async () => {
    const sent: { body: string; authorization: string | null }[] = [];
    issuer.answers.introspection = (body, init) => {
      sent.push({ body, authorization: new Headers(init.headers).get('authorization') });
      return Response.json({ active: true, scope: 'read' });
    };
    const token = await issuer.token();
    for (const authentication of ['client_secret_basic', 'client_secret_post'] as const) {
      expect(verdict(await guardOf({ authentication }).check(bearer(token), NEEDS))).toBe('granted');
    }
    const [basic, post] = sent;
    const pair = atob(String(basic?.authorization).replace('Basic ', '')).split(':');
    expect(pair.map((one) => decodeURIComponent(one.replaceAll('+', ' ')))).toEqual(['photos:api', SECRET]);
    expect(Object.fromEntries(new URLSearchParams(basic?.body))).toEqual({ token, token_type_hint: 'access_token' });
    expect(post?.authorization).toBeNull();
    expect(Object.fromEntries(new URLSearchParams(post?.body))).toMatchObject({
      client_id: 'photos:api',
      client_secret: SECRET,
    });
  });

  it('rejects a token that is no longer active', async () => {
    answer({ active: false });
    const outcome = await guardOf().check(bearer(await issuer.token()), NEEDS);
    expect(outcome).toMatchObject({ kind: 'refused', status: 401, error: 'invalid_token', reason: 'token_inactive' });
  });

  it('is not used for a token that is rejected anyway', async () => {
    const guard = guardOf();
    await guard.check(bearer(await issuer.token({ claims: { aud: 'https://other.example' } })), NEEDS);
    await guard.check(bearer(await issuer.token()), { scopes: ['write'] });
    await guard.check({ headers: {} }, NEEDS);
    expect(questions()).toBe(0);
  });

  it('is used at every request, unless the request opts out', async () => {
    const guard = guardOf();
    const request = bearer(await issuer.token());
    for (const introspect of [undefined, true, false]) await guard.check(request, { ...NEEDS, introspect });
    expect(questions()).toBe(2);
  });

  it.each<[string, string, string[] | null]>([
    ['read write', 'read', ['read']],
    ['read', 'read write', ['read']],
    ['read write', 'write', null],
    ['read', '', null],
  ])('confirms for a token with %j and an answer with %j: %j', async (scope, confirmed, scopes) => {
    answer({ active: true, scope: confirmed });
    const outcome = await guardOf().check(bearer(await issuer.token({ claims: { scope } })), NEEDS);
    if (scopes === null)
      expect(outcome).toMatchObject({ kind: 'refused', error: 'insufficient_scope', missing: ['read'] });
    else expect(outcome).toMatchObject({ kind: 'granted', access: { scopes } });
  });

  it('assumes no scope when the answer has none', async () => {
    answer({ active: true });
    const guard = guardOf();
    expect(verdict(await guard.check(bearer(await issuer.token()), NEEDS))).toBe('scope_missing');
    expect(await guard.check(bearer(await issuer.token()), { scopes: [] })).toMatchObject({ access: { scopes: [] } });
  });

  it.each<[string, () => Response | Promise<Response>, string]>([
    ['401', () => new Response('{"error":"invalid_client"}', { status: 401 }), 'answered 401'],
    ['503', () => new Response('', { status: 503 }), 'answered 503'],
    ['no JSON', () => new Response('yes'), 'the answer is not JSON'],
    ['no active', () => new Response('{}'), 'answered no introspection'],
    ['active in words', () => new Response('{"active":"true"}'), 'answered no introspection'],
    ['a list', () => new Response('[{"active":true}]'), 'answered no introspection'],
    ['nothing', () => new Promise(() => undefined), 'no answer within 1 ms'],
  ])('accepts no token when the server answers %s', async (_name, reply, detail) => {
    issuer.answers.introspection = reply;
    const timeoutMilliseconds = detail.includes('1 ms') ? 1 : 60_000;
    const outcome = await guardOf({ timeoutMilliseconds }).check(bearer(await issuer.token()), NEEDS);
    expect(outcome).toMatchObject({
      kind: 'unavailable',
      status: 503,
      reason: 'introspection',
      detail: `POST ${FAKE_ISSUER}/introspect: ${detail}`,
      headers: { 'retry-after': '1' },
    });
    expect(JSON.stringify(outcome)).not.toMatch(/secret/);
  });

  it('finds its endpoint in the metadata also where the address of the keys is configured', async () => {
    const introspection = { clientId: 'a', clientSecret: 'b' };
    const guard = issuer.guard({ jwksUri: `${FAKE_ISSUER}/keys`, introspection });
    expect(verdict(await guard.check(bearer(await issuer.token()), NEEDS))).toBe('granted');
    issuer.answers.metadata = () => new Response('', { status: 500 });
    expect(verdict(await guard.check(bearer(await issuer.token()), NEEDS))).toBe('granted');
    expect(issuer.asked).toEqual(['keys', 'oauth-authorization-server', 'introspect', 'introspect']);
    const fixed = issuer.guard({
      introspection: { ...introspection, endpoint: `${FAKE_ISSUER}/introspect` },
      jwksUri: `${FAKE_ISSUER}/keys`,
    });
    expect(verdict(await fixed.check(bearer(await issuer.token()), NEEDS))).toBe('granted');
  });

  describe('with a cache', () => {
    it('reuses an answer for the configured time, and for the same token alone', async () => {
      const guard = guardOf({ cacheSeconds: 10 });
      const [token, other] = [await issuer.token(), await issuer.token({ claims: { jti: 'other' } })];
      expect(verdict(await guard.check(bearer(token), NEEDS))).toBe('granted');
      answer({ active: false });
      issuer.clock.advanceSeconds(9);
      expect(verdict(await guard.check(bearer(token), NEEDS))).toBe('granted');
      expect(verdict(await guard.check(bearer(other), NEEDS))).toBe('token_inactive');
      issuer.clock.advanceSeconds(1);
      expect(verdict(await guard.check(bearer(token), NEEDS))).toBe('token_inactive');
      expect(questions()).toBe(3);
    });

    it('caches no failure', async () => {
      const guard = guardOf({ cacheSeconds: 10 });
      const token = await issuer.token();
      const { introspection } = issuer.answers;
      issuer.answers.introspection = () => new Response('', { status: 503 });
      expect(verdict(await guard.check(bearer(token), NEEDS))).toBe('introspection');
      issuer.answers.introspection = introspection;
      expect(verdict(await guard.check(bearer(token), NEEDS))).toBe('granted');
    });

    it('rejects a token that has expired meanwhile', async () => {
      const guard = guardOf({ cacheSeconds: 60 });
      const exp = Math.floor(issuer.clock.now().getTime() / 1000) + 1;
      const token = await issuer.token({ claims: { exp } });
      expect(verdict(await guard.check(bearer(token), NEEDS))).toBe('granted');
      issuer.clock.advanceSeconds(10);
      expect(verdict(await guard.check(bearer(token), NEEDS))).toBe('expired');
    });
  });
});
