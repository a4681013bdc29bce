/** Client authentication by key at every endpoint where clients authenticate: RFC 7523 §3, OpenID Connect Core §9, FAPI 2.0 §5.3.2.1. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Configuration } from '../../../src/config/configuration.ts';
import { usedJtis } from '../../../src/storage/schema.ts';
import { makeClient, type TestClient } from '../../support/actors.ts';
import { deleteClient } from '../../support/administration.ts';
import { ISSUER, withEveryPolicy } from '../../support/app.ts';
import { maskedAsMac, signedBy, type TestKey, testKey, unsigned } from '../../support/client-keys.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const TOKEN_ENDPOINT = `${ISSUER}/oauth/token`;
const ENDPOINTS = ['/oauth/token', '/oauth/revoke', '/oauth/introspect'] as const;
const NOT_AUTHENTICATED = 'Client authentication failed.';

describe('a client with a key', () => {
  let scene: Scene;
  let client: TestClient;
  const key = testKey();
  const published = new Map<string, string>();
  const fetchedFrom: string[] = [];
  let reloaded: Partial<Configuration> = {};

  const withKeys = (keys: readonly TestKey[], change: Parameters<typeof makeClient>[1] = {}) =>
    makeClient(scene, {
      tokenEndpointAuthMethod: 'private_key_jwt',
      secretMacs: [],
      jwks: { keys: keys.map(({ jwk }) => jwk as never) },
      ...change,
    });

  beforeAll(async () => {
    scene = await openScene(anyDatabase, {
      reloaded: () => reloaded,
      fetchKeySet: async (uri) => {
        fetchedFrom.push(uri);
        const text = published.get(uri);
        if (text === undefined) throw new Error('away');
        return text;
      },
    });
    client = await withKeys([key]);
  });
  afterAll(() => scene.close());

  const seconds = () => scene.clock.now().getTime() / 1000;
  const claims = (change: object = {}, { clientId } = client) => ({
    iss: clientId,
    sub: clientId,
    aud: ISSUER,
    jti: randomUUID(),
    iat: seconds(),
    exp: seconds() + 60,
    ...change,
  });
  const assertion = (change: object = {}, by = key) => signedBy(by, claims(change));

  async function send(
    text: string | undefined,
    more: Readonly<Record<string, string>> = {},
    url: string = '/oauth/token',
    headers: Readonly<Record<string, string>> = {},
  ) {
    const reply = await scene.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams({
        grant_type: 'client_credentials',
        token: 'unknown',
        client_assertion_type: JWT_BEARER,
        ...(text !== undefined && { client_assertion: text }),
        ...more,
      }).toString(),
    });
    const { error, error_description: description } = reply.body === '' ? {} : reply.json();
    return { status: reply.statusCode, error, description };
  }
  const refused = (description: unknown = NOT_AUTHENTICATED) => ({ status: 401, error: 'invalid_client', description });
  const saying = (words: string) => refused(expect.stringContaining(words));

  describe.each(ENDPOINTS)('at %s', (url) => {
    it('is accepted with an assertion, with its client_id or without', async () => {
      expect(await send(assertion(), {}, url)).toMatchObject({ status: 200 });
      expect(await send(assertion(), { client_id: client.clientId }, url)).toMatchObject({ status: 200 });
    });

    it('is refused without one, with a wrong one, and the second time', async () => {
      expect(await send(undefined, { client_assertion_type: '', client_id: client.clientId }, url)).toEqual(refused());
      expect(await send(assertion({}, testKey()), {}, url)).toEqual(refused());
      const once = assertion();
      expect(await send(once, {}, url)).toMatchObject({ status: 200 });
      expect(await send(once, {}, url)).toEqual(saying('was used before'));
    });
  });

  it.each(['ES256', 'PS256', 'EdDSA', 'Ed25519'])('signs with %s', async (alg) => {
    const own = testKey(alg);
    const { clientId } = await withKeys([own]);
    expect(await send(signedBy(own, claims({ iss: clientId, sub: clientId })))).toMatchObject({ status: 200 });
  });

  it('signs with RS256 only where it registered that, and then with nothing else', async () => {
    const own = testKey('RS256');
    const other = await withKeys([own]);
    expect(await send(signedBy(own, claims({}, other)))).toEqual(refused());
    const asking = await withKeys([own], { tokenEndpointAuthSigningAlg: 'RS256' });
    expect(await send(signedBy(own, claims({}, asking)))).toMatchObject({ status: 200 });
    expect(await send(signedBy({ ...own, alg: 'PS256' }, claims({}, asking)))).toEqual(refused());
  });

  it('names one of several keys, and is refused with an unknown name', async () => {
    const [first, second] = [testKey('ES256', 'first'), testKey('ES256', 'second')];
    const many = await withKeys([first, second]);
    const by = (one: TestKey, header: object = {}) => send(signedBy(one, claims({}, many), header));
    expect(await by(first)).toMatchObject({ status: 200 });
    expect(await by(second)).toMatchObject({ status: 200 });
    expect(await by(second, { kid: undefined })).toEqual(refused());
    expect(await by(second, { kid: 'first' })).toEqual(refused());
    expect(await by(second, { kid: 'third' })).toEqual(refused());
    expect(await send(assertion().replace(/^[^.]+/, btoa('{"alg":"ES256"}').replaceAll('=', '')))).toEqual(refused());
  });

  it('uses one method (RFC 6749 §2.3), and the registered one alone', async () => {
    const two = { status: 400, error: 'invalid_request', description: expect.stringContaining('more than one way') };
    expect(await send(assertion(), { client_secret: 'x' })).toEqual(two);
    const authorization = `Basic ${btoa(`${client.clientId}:x`)}`;
    expect(await send(assertion(), {}, '/oauth/token', { authorization })).toEqual(two);
    expect(await send(assertion(), { client_id: scene.client.clientId })).toEqual(two);
    const bySecret = { client_assertion_type: '', client_id: client.clientId, client_secret: 'a secret' };
    expect(await send(undefined, bySecret)).toEqual(refused());
    // A client with a secret has no key.
    expect(await send(signedBy(key, claims({}, scene.client)))).toEqual(refused());
    const open = await makeClient(scene, { tokenEndpointAuthMethod: 'none' });
    expect(await send(signedBy(key, claims({}, open)))).toEqual(refused());
  });

  it.each([
    ['another type', { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }],
    ['no type', { client_assertion_type: '' }],
  ])('is refused with %s of assertion (RFC 7523 §2.2)', async (_, more) => {
    expect(await send(assertion(), more)).toEqual(saying('client_assertion_type must be'));
  });

  it('is refused with the type alone, with two assertions, and with one that is too long', async () => {
    expect(await send(undefined)).toMatchObject({ status: 400, error: 'invalid_request' });
    expect(await send('x'.repeat(8193))).toMatchObject({ status: 400, error: 'invalid_request' });
    expect(await send('no JWT')).toEqual(saying('not a well-formed signed JWT'));
  });

  it.each([
    [{ iss: undefined }, 'iss and sub'],
    [{ sub: undefined }, 'iss and sub'],
    [{ iss: 'https://other.test' }, 'iss and sub'],
    [{ aud: undefined }, 'aud'],
    [{ aud: [ISSUER] }, 'aud'],
    [{ aud: TOKEN_ENDPOINT }, 'aud'],
    [{ aud: [TOKEN_ENDPOINT] }, 'aud'],
    [{ aud: 'https://other.test' }, 'aud'],
    [{ exp: undefined }, 'needs exp'],
    [{ exp: 'soon' }, 'needs exp'],
    [{ jti: undefined }, 'needs a jti'],
  ])('is refused with %j (RFC 7523 §3)', async (change, words) => {
    expect(await send(assertion(change))).toEqual(saying(words));
  });

  it('learns of its policy about the token endpoint as audience after the signature alone', async () => {
    expect(await send(assertion({ aud: TOKEN_ENDPOINT }, testKey()))).toEqual(refused());
    expect(await send(assertion({ aud: TOKEN_ENDPOINT }))).toEqual(saying('does not accept the token endpoint'));
  });

  describe('with a policy that accepts the token endpoint as audience', () => {
    beforeAll(() => {
      reloaded = withEveryPolicy({ tokenEndpointAudienceAccepted: true });
    });
    afterAll(() => {
      reloaded = {};
    });

    it.each(ENDPOINTS)('names it, or the issuer, at %s', async (url) => {
      for (const aud of [TOKEN_ENDPOINT, ISSUER])
        expect(await send(assertion({ aud }), {}, url)).toMatchObject({ status: 200 });
    });

    it.each([
      [`${ISSUER}/oauth/revoke`],
      ['https://other.test/oauth/token'],
      [[TOKEN_ENDPOINT]],
      [[ISSUER, TOKEN_ENDPOINT]],
    ])('is refused with %j', async (aud) => {
      expect(await send(assertion({ aud }))).toEqual(saying('aud'));
    });

    it('uses up a jti with either', async () => {
      const jti = randomUUID();
      expect(await send(assertion({ jti, aud: TOKEN_ENDPOINT }))).toMatchObject({ status: 200 });
      expect(await send(assertion({ jti }))).toEqual(saying('was used before'));
    });
  });

  it.each([
    ['at its end', { exp: 0 }, 'has expired'],
    ['a second before its end', { exp: 1 }, null],
    ['five minutes before its end', { exp: 300 }, null],
    ['a second more', { exp: 301 }, 'more than five minutes'],
    ['10 seconds ahead (iat)', { iat: 10 }, null],
    ['10 seconds ahead (nbf)', { nbf: 10 }, null],
    ['61 seconds ahead (iat)', { iat: 61, exp: 120 }, 'in the future'],
    ['61 seconds ahead (nbf)', { nbf: 61, exp: 120 }, 'in the future'],
    ['without iat', { iat: null }, null],
  ])('is judged by its times: %s', async (_, times, words) => {
    const change = Object.entries(times).map(([name, after]) => [name, after === null ? undefined : seconds() + after]);
    expect(await send(assertion(Object.fromEntries(change)))).toEqual(
      words === null ? expect.objectContaining({ status: 200 }) : saying(words),
    );
  });

  it('is never another client: by its own key, without a signature, or by a MAC with the public key (RFC 8725 §2.1)', async () => {
    const other = testKey('PS256');
    const victim = await withKeys([other]);
    expect(await send(signedBy(key, claims({}, victim)))).toEqual(refused());
    expect(await send(signedBy(key, claims({}, victim), { kid: other.jwk.kid }))).toEqual(refused());
    expect(await send(signedBy({ ...key, jwk: other.jwk }, claims({}, victim), { jwk: key.jwk }))).toEqual(refused());
    expect(await send(unsigned(claims({}, victim)))).toMatchObject({ status: 401 });
    const pem = JSON.stringify(other.jwk);
    expect(await send(maskedAsMac(other, claims({}, victim), pem))).toEqual(saying('not signed with an algorithm'));
  });

  it('is refused in the same words whether or not it exists, once deleted too', async () => {
    const gone = await withKeys([key]);
    await deleteClient(scene.database.drizzle, gone.clientId);
    expect(await send(signedBy(key, claims({}, gone)))).toEqual(refused());
    expect(await send(signedBy(key, claims({ iss: 'unknown', sub: 'unknown' })))).toEqual(refused());
    expect(await send(assertion({}, testKey()))).toEqual(refused());
  });

  it('uses up a jti by itself alone, and only with a right signature', async () => {
    const jti = randomUUID();
    expect(await send(assertion({ jti }, testKey()))).toEqual(refused());
    expect(await send(assertion({ jti, exp: seconds() + 301 }))).toMatchObject({ status: 401 });
    const another = testKey();
    const same = await withKeys([another]);
    expect(await send(signedBy(another, claims({ jti }, same)))).toMatchObject({ status: 200 });
    expect(await send(assertion({ jti }))).toMatchObject({ status: 200 });
    expect(await send(assertion({ jti }))).toEqual(saying('was used before'));
  });

  it('leaves neither an assertion nor a jti in the log or the database', async () => {
    const jti = 'a-jti-to-look-for';
    const text = assertion({ jti });
    expect(await send(text)).toMatchObject({ status: 200 });
    expect(await send(text)).toMatchObject({ status: 401 });
    expect(scene.logs()).not.toContain(text);
    expect(scene.logs()).not.toContain(text.split('.')[2]);
    expect(scene.logs()).not.toContain(jti);
    expect(scene.logs()).toContain('client_assertion_reused');
    const rows = await scene.database.drizzle.select().from(usedJtis);
    expect(JSON.stringify(rows)).not.toContain(jti);
    expect(rows.every(({ endsAt, usedAt }) => endsAt.getTime() - usedAt.getTime() <= 300_000)).toBe(true);
  });

  it('exchanges codes and refreshes with an assertion for each request', async () => {
    const code = await scene.code({ client });
    const redeemed = await scene.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({
        grant_type: 'authorization_code',
        code: code.code,
        code_verifier: code.verifier,
        redirect_uri: client.redirectUris[0] ?? '',
        client_assertion_type: JWT_BEARER,
        client_assertion: assertion(),
      }).toString(),
    });
    expect(redeemed.statusCode).toBe(200);
    const { refresh_token } = redeemed.json();
    expect(await send(assertion(), { grant_type: 'refresh_token', refresh_token })).toMatchObject({ status: 200 });
  });

  describe('that publishes it', () => {
    const setOf = (...keys: readonly TestKey[]) => JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
    const publishing = (jwksUri: string) => withKeys([], { jwks: null, jwksUri });

    it('is accepted with each key that it publishes, with a new key after 30 seconds, and while the origin is away', async () => {
      const uri = 'https://client.test/rolled-over';
      const [old, fresh] = [testKey('ES256', 'old'), testKey('ES256', 'fresh')];
      const own = await publishing(uri);
      const by = (one: TestKey) => send(signedBy(one, claims({}, own)));
      published.set(uri, setOf(old));
      expect(await by(old)).toMatchObject({ status: 200 });
      published.set(uri, setOf(old, fresh));
      expect(await by(fresh)).toEqual(refused());
      scene.clock.advanceSeconds(30);
      expect(await by(fresh)).toMatchObject({ status: 200 });
      published.delete(uri);
      scene.clock.advanceSeconds(3600);
      expect(await by(old)).toMatchObject({ status: 200 });
      scene.clock.advanceSeconds(86_400);
      expect(await by(old)).toEqual(refused());
      expect(scene.logs()).toContain('client_keys_unavailable');
    });

    it.each(['P-384', 'P-521'])(
      'is refused with a signature by a key on %s, which is for certificates',
      async (namedCurve) => {
        const uri = `https://client.test/${namedCurve}`;
        const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
        const large = {
          ...{ alg: 'ES256', privateKey },
          jwk: { ...publicKey.export({ format: 'jwk' }), kid: 'large' },
        };
        published.set(uri, setOf(large));
        expect(await send(signedBy(large, claims({}, await publishing(uri))))).toEqual(refused());
      },
    );

    it('is refused where a private key stands among them', async () => {
      const uri = 'https://client.test/private';
      const own = await publishing(uri);
      published.set(uri, JSON.stringify({ keys: [{ ...key.jwk, ...key.privateKey.export({ format: 'jwk' }) }] }));
      expect(await send(signedBy(key, claims({}, own)))).toEqual(refused());
    });

    it('is asked for them alone, and by no client with a secret', async () => {
      const uri = 'https://client.test/not-asked';
      const { clientId, secret } = await makeClient(scene, { jwksUri: uri });
      await send(undefined, { client_assertion_type: '', client_id: clientId, client_secret: secret ?? '' });
      await send(signedBy(key, claims({ iss: clientId, sub: clientId })));
      expect(fetchedFrom).not.toContain(uri);
    });
  });

  it('is in the metadata (RFC 8414 §2)', async () => {
    const metadata = (await scene.app.inject('/.well-known/oauth-authorization-server')).json();
    for (const endpoint of ['token', 'revocation', 'introspection']) {
      expect(metadata[`${endpoint}_endpoint_auth_methods_supported`]).toContain('private_key_jwt');
      expect(metadata[`${endpoint}_endpoint_auth_signing_alg_values_supported`]).toEqual([
        'ES256',
        'PS256',
        'EdDSA',
        'Ed25519',
        'RS256',
      ]);
    }
  });
});
