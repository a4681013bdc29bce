/** Signed authorization requests (RFC 9101) by value: from a browser at /oauth/authorize, and pushed at /oauth/par. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pushedRequests } from '../../../src/storage/schema.ts';
import { goThrough, makeClient, makePkce, REDIRECT_URI, type TestClient } from '../../support/actors.ts';
import { ISSUER } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { maskedAsMac, signedBy, testKey, unsigned } from '../../support/client-keys.ts';
import { anyDatabase } from '../../support/database.ts';
import { push } from '../../support/pushing.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const key = testKey();
let scene: Scene;
let client: TestClient;
const published = new Map<string, string>();

const keysOf = (...keys: readonly ReturnType<typeof testKey>[]) => ({ keys: keys.map(({ jwk }) => jwk as never) });
const withKey = (change: Parameters<typeof makeClient>[1] = {}) => makeClient(scene, { jwks: keysOf(key), ...change });

beforeAll(async () => {
  scene = await openScene(anyDatabase, {
    fetchKeySet: async (uri) => {
      const text = published.get(uri);
      if (text === undefined) throw new Error('away');
      return text;
    },
  });
  client = await withKey();
});
afterAll(() => scene.close());

const seconds = () => Math.floor(scene.clock.now().getTime() / 1000);
const claimsOf = ({ clientId }: Pick<TestClient, 'clientId'>, change: object = {}) => ({
  ...{ iss: clientId, aud: ISSUER, client_id: clientId, nbf: seconds(), exp: seconds() + 300 },
  ...{ response_type: 'code', redirect_uri: REDIRECT_URI, scope: 'read', state: 'from the object' },
  ...{ code_challenge: makePkce().challenge, code_challenge_method: 'S256' },
  ...change,
});
const objectOf = (by: Pick<TestClient, 'clientId'>, change: object = {}, header: object = {}) =>
  signedBy(key, claimsOf(by, change), { typ: 'oauth-authz-req+jwt', ...header });

const link = (by: Pick<TestClient, 'clientId'>, request: string, beside: Readonly<Record<string, string>> = {}) =>
  `/oauth/authorize?${new URLSearchParams({ client_id: by.clientId, request, ...beside })}`;
const pushed = (by: TestClient, request: string, beside: Readonly<Record<string, string>> = {}) =>
  push(scene, by, {}, { body: new URLSearchParams({ client_id: by.clientId, request, ...beside }).toString() });
const stored = async () => (await scene.database.drizzle.select().from(pushedRequests)).length;

/** Both endpoints refuse the object: a page without a redirect, and `invalid_request_object`. */
async function refusal(by: TestClient, request: string, beside: Readonly<Record<string, string>> = {}) {
  const before = await stored();
  const page = await new Browser(scene.app).send('GET', link(by, request, beside), null);
  expect(page.status).toBe(400);
  expect(page.headers['location']).toBeUndefined();
  expect(page.body).toContain('invalid_request_object');
  const answer = await pushed(by, request, beside);
  expect(answer).toMatchObject({ status: 400, json: { error: 'invalid_request_object' } });
  expect(await stored()).toBe(before);
  expect(page.body.replaceAll('&#39;', "'")).toContain(answer.json.error_description);
  return answer.json.error_description;
}

describe('a request object', () => {
  it('is the request: only the client_id counts beside it (RFC 9101 §6.3)', async () => {
    const beside = { state: 'beside', scope: 'write', redirect_uri: 'https://thief.test/', nonce: 'x' };
    const { url } = await goThrough(new Browser(scene.app), link(client, objectOf(client), beside), scene.user);
    expect(url.startsWith(`${REDIRECT_URI}?`)).toBe(true);
    expect(new URL(url).searchParams.get('state')).toBe('from the object');
    expect(new URL(url).searchParams.get('code')).not.toBeNull();
  });

  it('is pushed, and the link opens what it says', async () => {
    const answer = await pushed(client, objectOf(client), { state: 'beside', response_type: 'token' });
    expect(answer.status).toBe(201);
    const { url } = await goThrough(new Browser(scene.app), answer.link, scene.user);
    expect(new URL(url).searchParams.get('state')).toBe('from the object');
    expect(new URL(url).searchParams.get('code')).not.toBeNull();
  });

  it('is pushed by a client that names itself in the header and in the object alone', async () => {
    const body = new URLSearchParams({ request: objectOf(client) }).toString();
    expect((await push(scene, client, {}, { body })).status).toBe(201);
  });

  it('arrives by POST, and the browser repeats it by GET', async () => {
    const request = objectOf(client);
    const reply = await scene.app.inject({
      method: 'POST',
      url: '/oauth/authorize',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ client_id: client.clientId, request }).toString(),
    });
    expect(reply.statusCode).toBe(303);
    const again = new URL(String(reply.headers['location']), ISSUER).searchParams;
    expect([again.get('request'), again.get('client_id')]).toEqual([request, client.clientId]);
  });

  it.each(['ES256', 'PS256', 'EdDSA', 'Ed25519'])(
    'is signed with %s, at keys that the client publishes',
    async (alg) => {
      const own = testKey(alg);
      const jwksUri = `https://keys.test/${alg}`;
      published.set(jwksUri, JSON.stringify(keysOf(own)));
      const other = await withKey({ jwks: null, jwksUri });
      expect((await pushed(other, signedBy(own, claimsOf(other)))).status).toBe(201);
    },
  );

  it.each([['oauth-authz-req+jwt'], ['JWT'], [undefined]])('may have the typ %s', async (typ) => {
    expect((await pushed(client, objectOf(client, {}, { typ }))).status).toBe(201);
  });

  it('may name several audiences, numbers, extensions and several resources', async () => {
    const change = { aud: ['https://other.test', ISSUER], max_age: 3600, claims: { userinfo: {} }, jti: 'one' };
    expect((await pushed(client, objectOf(client, change))).status).toBe(201);
    const resource = ['https://api.example.com', 'https://unknown.test'];
    expect((await pushed(client, objectOf(client, { resource }))).json.error).toBe('invalid_target');
  });

  it('has its parameters checked as those of any request', async () => {
    const plain = objectOf(client, { code_challenge_method: 'plain' });
    expect((await pushed(client, plain)).json.error).toBe('invalid_request');
    const page = await new Browser(scene.app).send('GET', link(client, plain), null);
    expect(new URL(String(page.headers['location'])).searchParams.get('state')).toBe('from the object');
    const elsewhere = objectOf(client, { redirect_uri: 'https://thief.test/' });
    const unverified = await new Browser(scene.app).send('GET', link(client, elsewhere), null);
    expect([unverified.status, unverified.headers['location']]).toEqual([400, undefined]);
  });

  it.each<[string, object, RegExp]>([
    ['another issuer', { iss: 'someone' }, /iss/],
    ['no issuer', { iss: undefined }, /iss/],
    ['another audience', { aud: 'https://other.test' }, /aud/],
    ['no audience', { aud: undefined }, /aud/],
    ['the token endpoint as audience', { aud: `${ISSUER}/oauth/token` }, /aud/],
    ['another client inside', { client_id: 'someone' }, /client_id/],
    ['no client inside', { client_id: undefined }, /client_id/],
    ['an object inside', { request: 'x' }, /neither request nor request_uri/],
    ['a link inside', { request_uri: 'urn:x' }, /neither request nor request_uri/],
    ['no end', { exp: undefined }, /exp is required/],
    ['an end in words', { exp: 'soon' }, /exp/],
    ['a beginning in words', { nbf: 'now' }, /nbf/],
    ['a list as state', { state: { a: 1 } }, /neither a text nor a number/],
    ['nothing as scope', { scope: null }, /neither a text nor a number/],
  ])('is refused with %s', async (_, change, words) => {
    expect(await refusal(client, objectOf(client, change))).toMatch(words);
  });

  it('is refused as a client assertion, which has a sub (RFC 9101 §10.8)', async () => {
    expect(await refusal(client, objectOf(client, { sub: client.clientId }))).toContain('sub');
    expect((await pushed(client, objectOf(client, { sub: 'an end-user' }))).status).toBe(201);
  });

  it.each<[string, () => object, RegExp | null]>([
    ['ended a second ago', () => ({ nbf: seconds() - 60, exp: seconds() - 1 }), /expired/],
    ['ends now', () => ({ exp: seconds() }), /expired/],
    ['begins in ten seconds', () => ({ nbf: seconds() + 10 }), null],
    ['begins in 61 seconds', () => ({ nbf: seconds() + 61 }), /only later/],
    ['was made in 61 seconds', () => ({ iat: seconds() + 61 }), /only later/],
    ['lives for an hour', () => ({ nbf: seconds(), exp: seconds() + 3600 }), null],
    ['lives for longer', () => ({ nbf: seconds(), exp: seconds() + 3601 }), /60 minutes/],
    ['lives for longer, without nbf', () => ({ nbf: undefined, exp: seconds() + 3601 }), /60 minutes/],
    ['began more than an hour ago', () => ({ nbf: seconds() - 3601, exp: seconds() + 10 }), /60 minutes/],
  ])('is judged by its times: it %s', async (_, change, words) => {
    const request = objectOf(client, change());
    if (words === null) expect((await pushed(client, request)).status).toBe(201);
    else expect(await refusal(client, request)).toMatch(words);
  });

  it('is refused unsigned, with a MAC of the public key, by another key, and changed afterwards', async () => {
    const claims = claimsOf(client);
    expect(await refusal(client, unsigned(claims))).toContain('not a signed JWT');
    const { kid: _, ...jwk } = key.jwk;
    for (const secret of [JSON.stringify(key.jwk), JSON.stringify(jwk), Buffer.from(String(key.jwk['x']), 'base64url')])
      expect(await refusal(client, maskedAsMac(key, claims, secret))).toContain('algorithm');
    const stranger = testKey('ES256', key.jwk.kid);
    expect(await refusal(client, signedBy(stranger, claims))).toContain('signature');
    expect(await refusal(client, signedBy(testKey('EdDSA'), claims))).toContain('no key of the client');
    const [header, , signature] = objectOf(client).split('.');
    const forged = Buffer.from(JSON.stringify({ ...claims, scope: 'write' })).toString('base64url');
    expect(await refusal(client, `${header}.${forged}.${signature}`)).toContain('signature');
    expect(await refusal(client, objectOf(client, {}, { crit: ['b64'], b64: false }))).toContain('not a signed JWT');
    expect(await refusal(client, objectOf(client, {}, { alg: 'none' }))).toContain('algorithm');
  });

  it.each(['dpop+jwt', 'client-authentication+jwt', 'at+jwt'])('is refused with the typ %s', async (typ) => {
    expect(await refusal(client, objectOf(client, {}, { typ }))).toContain('typ');
  });

  it.each(['', 'x', 'a.b.c', 'e30.e30', `${'e'.repeat(20)}.e30.x`])('is refused as the text "%s"', async (text) => {
    if (text === '') expect((await pushed(client, text)).json.error).toBe('invalid_request');
    else expect(await refusal(client, text)).toContain('not a signed JWT');
  });

  it('of another client is refused, whatever the client_id beside it', async () => {
    const other = await withKey({ jwks: keysOf(testKey('ES256', key.jwk.kid)) });
    expect(await refusal(other, objectOf(client))).toContain('client_id');
    expect(await refusal(other, objectOf(other))).toContain('signature');
  });

  it('is refused beside a request_uri', async () => {
    const page = await new Browser(scene.app).send(
      'GET',
      link(client, objectOf(client), { request_uri: 'https://x.test' }),
      null,
    );
    expect([page.status, page.headers['location']]).toEqual([400, undefined]);
    const both = await pushed(client, objectOf(client), { request_uri: 'https://x.test' });
    expect(both.json.error).toBe('invalid_request');
  });

  it('is too long beyond 12,288 characters', async () => {
    const long = objectOf(client, { extension: 'x'.repeat(12_288) });
    expect((await pushed(client, long)).json).toMatchObject({ error: 'invalid_request' });
  });

  it('is not supported for a client without keys', async () => {
    const plain = await makeClient(scene);
    const beside = { response_type: 'code', redirect_uri: REDIRECT_URI, code_challenge: makePkce().challenge };
    const answer = await pushed(plain, objectOf(plain), { ...beside, code_challenge_method: 'S256' });
    expect(answer.json.error).toBe('request_not_supported');
  });

  it('cannot be checked while the keys of the client are away', async () => {
    const other = await withKey({ jwks: null, jwksUri: 'https://away.test/keys' });
    expect(await refusal(other, objectOf(other))).toContain('could not be fetched');
  });

  it('is signed with the registered algorithm alone, and with RS256 only where it is registered', async () => {
    const rsa = testKey('RS256');
    const free = await withKey({ jwks: keysOf(rsa) });
    expect(await refusal(free, signedBy(rsa, claimsOf(free)))).toContain('may not sign');
    const bound = await withKey({ jwks: keysOf(rsa), requestObjectSigningAlg: 'RS256' });
    expect((await pushed(bound, signedBy(rsa, claimsOf(bound)))).status).toBe(201);
    expect(await refusal(bound, signedBy({ ...rsa, alg: 'PS256' }, claimsOf(bound)))).toContain('may not sign');
  });

  it('appears in no log line', async () => {
    const request = objectOf(client, { state: 'a-secret-state' });
    await pushed(client, request);
    await new Browser(scene.app).send('GET', link(client, `${request}x`), null);
    expect(scene.logs()).not.toContain(request.slice(-40));
  });
});

describe('a client with require_signed_request_object', () => {
  it('is refused an unsigned request, from a browser and pushed (RFC 9101 §10.5)', async () => {
    const strict = await withKey({ requireSignedRequestObject: true });
    const body = new URLSearchParams({ ...claimsOf(strict), nbf: '', exp: '' } as never).toString();
    expect((await push(scene, strict, {}, { body })).json).toMatchObject({ error: 'invalid_request' });
    const page = await new Browser(scene.app).send('GET', `/oauth/authorize?${body}`, null);
    expect(new URL(String(page.headers['location'])).searchParams.get('error')).toBe('invalid_request');
    expect((await pushed(strict, objectOf(strict))).status).toBe(201);
    const { url } = await goThrough(new Browser(scene.app), link(strict, objectOf(strict)), scene.user);
    expect(new URL(url).searchParams.get('code')).not.toBeNull();
  });
});

describe('a client with require_pushed_authorization_requests', () => {
  it('is refused a request that comes with the browser, signed or not (RFC 9126 §6)', async () => {
    const strict = await withKey({ requirePushedAuthorizationRequests: true });
    const page = await new Browser(scene.app).send('GET', link(strict, objectOf(strict)), null);
    expect([page.status, page.headers['location']]).toEqual([400, undefined]);
    expect(page.body).toContain('pushed_request_required');
    const { link: opened } = await pushed(strict, objectOf(strict));
    const { url } = await goThrough(new Browser(scene.app), opened, scene.user);
    expect(new URL(url).searchParams.get('code')).not.toBeNull();
  });
});
