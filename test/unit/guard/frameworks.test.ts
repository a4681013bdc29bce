/** One contract for every framework: the same requests get the same responses, which are those of the guard's outcomes. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FAKE_ISSUER, FAKE_METADATA, FAKE_RESOURCE, type FakeIssuer, fakeIssuer } from '../../support/fake-issuer.ts';
import { type Asked, FRAMEWORKS, type GuardedApi } from '../../support/guarded-apis.ts';

const METADATA = new URL(FAKE_METADATA).pathname;
const GET = { method: 'GET', path: '/photos' } as const;
const POST = { method: 'POST', path: '/photos' } as const;

type Row = {
  readonly asked: (issuer: FakeIssuer) => Promise<Asked>;
  readonly status: number;
  /** Begins the challenge. */
  readonly challenge?: string;
  readonly body: object;
  readonly meanwhile?: (issuer: FakeIssuer) => void;
};

const withToken =
  (asked: Asked, change: Parameters<FakeIssuer['token']>[0] = {}) =>
  async (issuer: FakeIssuer) => ({ ...asked, authorization: [`Bearer ${await issuer.token(change)}`] });
const INVALID = { status: 401, challenge: 'Bearer error="invalid_token", ', body: { error: 'invalid_token' } };
const MALFORMED = { status: 400, challenge: 'Bearer error="invalid_request", ', body: { error: 'invalid_request' } };
const UNAVAILABLE = { status: 503, body: { error: 'temporarily_unavailable' } };

const ROWS: Readonly<Record<string, Row>> = {
  'a valid token': { asked: withToken(GET), status: 200, body: { subject: 'ada', scopes: ['read'] } },
  'a valid token with both scopes': {
    asked: withToken(POST, { claims: { scope: 'read write' } }),
    status: 200,
    body: { subject: 'ada', scopes: ['read', 'write'] },
  },
  'no token': { asked: async () => GET, status: 401, challenge: 'Bearer scope="read", resource_metadata=', body: {} },
  'another scheme': {
    asked: async () => ({ ...GET, authorization: ['Basic YTpi'] }),
    status: 401,
    challenge: 'Bearer scope="read", resource_metadata=',
    body: {},
  },
  'a malformed header': { asked: async () => ({ ...GET, authorization: ['Bearer a b'] }), ...MALFORMED },
  'two headers': { asked: async () => ({ ...GET, authorization: ['Bearer a', 'Bearer b'] }), ...MALFORMED },
  'a token in the URL too': { asked: withToken({ ...GET, path: '/photos?access_token=a' }), ...MALFORMED },
  'a token in the URL alone': {
    asked: async (issuer) => ({ ...GET, path: `/photos?access_token=${await issuer.token()}` }),
    status: 401,
    challenge: 'Bearer scope="read", resource_metadata=',
    body: {},
  },
  'a garbled token': { asked: async () => ({ ...GET, authorization: ['Bearer a.b.c'] }), ...INVALID },
  'a token for another API': { asked: withToken(GET, { claims: { aud: 'https://other.example' } }), ...INVALID },
  'an expired token': { asked: withToken(GET, { claims: { exp: 1_000_000_000 } }), ...INVALID },
  'claims that the schema rejects': { asked: withToken(GET, { claims: { roles: 'admin' } }), ...INVALID },
  'insufficient scope': {
    asked: withToken(POST),
    status: 403,
    challenge: 'Bearer error="insufficient_scope", ',
    body: { error: 'insufficient_scope', scope: 'read write', missing: 'write' },
  },
  'a revoked token': {
    asked: withToken(GET),
    meanwhile: ({ answers }) => {
      answers.introspection = () => Response.json({ active: false });
    },
    ...INVALID,
  },
  'unavailable introspection': {
    asked: withToken(GET),
    meanwhile: ({ answers }) => {
      answers.introspection = () => new Response('', { status: 500 });
    },
    ...UNAVAILABLE,
  },
  'unavailable keys': {
    asked: withToken(GET),
    meanwhile: ({ answers }) => {
      answers.keys = () => Promise.reject(new Error('down'));
    },
    ...UNAVAILABLE,
  },
};

describe.each(FRAMEWORKS)('%s', (name, open) => {
  let issuer: FakeIssuer;
  let api: GuardedApi;
  const reported: string[] = [];
  beforeEach(async () => {
    issuer = await fakeIssuer();
    reported.length = 0;
    api = await open({
      issuer: FAKE_ISSUER,
      resource: FAKE_RESOURCE,
      scopes: ['read', 'write'],
      fetch: issuer.fetch,
      now: () => issuer.clock.now(),
      introspection: { clientId: 'photos-api', clientSecret: 'b' },
      claims: z.object({ roles: z.array(z.string()).optional() }),
      onRefusal: ({ reason }) => reported.push(reason),
    });
  });
  afterEach(() => api.close());

  it.each(Object.keys(ROWS))('answers to %s', async (row) => {
    const { asked, status, challenge, body, meanwhile } = ROWS[row] as Row;
    meanwhile?.(issuer);
    const answered = await api.ask(await asked(issuer));
    expect(answered.status).toBe(status);
    expect(JSON.parse(answered.body)).toMatchObject(body);
    const isGranted = status === 200;
    expect(reported).toHaveLength(isGranted ? 0 : 1);
    // The upgrade itself is no cacheable response.
    if (isGranted && name === 'a WebSocket') return;
    expect(answered.headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Authorization' });
    expect(answered.headers['retry-after']).toEqual(status === 503 ? expect.stringMatching(/^\d+$/) : undefined);
    const found = String(answered.headers['www-authenticate'] ?? '');
    expect(found.slice(0, challenge?.length ?? 0)).toBe(challenge ?? '');
    if (challenge === undefined) expect(found).toBe('');
    else expect(found).toContain(`resource_metadata="${FAKE_METADATA}"`);
    if (!isGranted) expect(answered.headers['content-type']).toMatch(/^application\/json/);
  });

  it.skipIf(name === 'a WebSocket')('keeps the caching headers of the API, and adds to its Vary header', async () => {
    const { headers } = await api.ask(await withToken({ method: 'GET', path: '/own' })(issuer));
    expect(headers['cache-control']).toBe('private');
    expect(String(headers['vary']).split(/, */).toSorted()).toEqual(['Accept', 'Authorization']);
  });

  it.skipIf(name === 'a WebSocket')('serves the metadata of the API without a token', async () => {
    const { status, headers, body } = await api.ask({ method: 'GET', path: METADATA });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' });
    expect(JSON.parse(body)).toEqual({
      resource: FAKE_RESOURCE,
      authorization_servers: [FAKE_ISSUER],
      bearer_methods_supported: ['header'],
      scopes_supported: ['read', 'write'],
    });
    expect(issuer.asked).toEqual([]);
  });
});
