/** The very files that docs/protecting-an-api.md shows, with tokens of the server on its port. */
import type { Server } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeClient, obtainTokens, type TestClient, token } from '../support/actors.ts';
import { judged } from '../support/interop.ts';
import { freePort } from '../support/listening.ts';
import { loadedByNode } from '../support/plain-node.ts';

const { protectedApi } = loadedByNode<typeof import('../../docs/examples/protected-api.ts')>(
  'docs/examples/protected-api.ts',
);
const { protectedFastifyApi } = loadedByNode<typeof import('../../docs/examples/protected-fastify-api.ts')>(
  'docs/examples/protected-fastify-api.ts',
);

const { expressApi: otherApi } = loadedByNode<typeof import('../../docs/examples/express-oauth2-jwt-bearer.ts')>(
  'docs/examples/express-oauth2-jwt-bearer.ts',
);

const AUDIENCE = 'https://api.example.com';
const METADATA = '/.well-known/oauth-protected-resource';
const WHERE = `resource_metadata="${AUDIENCE}${METADATA}"`;

const INVALID = expect.stringMatching(/^Bearer error="invalid_token", error_description="[^"]+", scope="read", /);

type Opened = { readonly base: string; readonly close: () => Promise<unknown> };

async function expressApi(issuer: string): Promise<Opened> {
  const port = await freePort();
  const server: Server = await new Promise((resolve) => {
    const opening: Server = protectedApi(issuer, AUDIENCE).listen(port, 'localhost', () => resolve(opening));
  });
  return { base: `http://localhost:${port}`, close: () => new Promise((resolve) => server.close(resolve)) };
}

async function fastifyApi(issuer: string): Promise<Opened> {
  const app = await protectedFastifyApi(issuer, AUDIENCE);
  return { base: await app.listen({ host: 'localhost', port: 0 }), close: () => app.close() };
}

describe.each([
  ['protected-api.ts', expressApi],
  ['protected-fastify-api.ts', fastifyApi],
])('docs/examples/%s', (name, open) => {
  const judging = judged();
  let api: Opened;

  beforeAll(async () => {
    api = await open(judging.current.test.issuer);
  });
  afterAll(() => api.close());
  // The API uses its own clock.
  beforeEach(() => judging.current.test.clock.set(new Date()));

  const call = async (method: string, authorization: string | null, base = api.base) => {
    const headers = authorization === null ? {} : { authorization };
    const response = await fetch(`${base}/photos`, { method, headers });
    const challenge = response.headers.get('www-authenticate');
    expect(response.headers.get('vary')).toBe('Authorization');
    expect(response.headers.get('cache-control')).toBe('no-store');
    return { status: response.status, challenge, body: await response.text() };
  };

  const ofPerson = async (scope: string): Promise<string> => {
    const { test, confidential, user } = judging.current;
    return (await obtainTokens(test, confidential, user, { scope })).accessToken;
  };

  /** Signed by any key; for tokens that must be rejected. */
  const signed = async (claims: object, typ = 'at+jwt') => {
    const { keyRing } = judging.current.test.deps;
    const { kid, alg, privateKey } = keyRing.signerOf('ES256');
    return new SignJWT({
      iss: judging.current.test.issuer,
      aud: AUDIENCE,
      sub: 'a',
      client_id: 'b',
      jti: 'c',
      scope: 'read',
      ...claims,
    })
      .setProtectedHeader({ alg, typ, kid })
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .sign(privateKey);
  };

  it('accepts a token with the scope, and identifies the user', async () => {
    const { status, body } = await call('GET', `Bearer ${await ofPerson('read')}`);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      subject: judging.current.user.id,
      clientId: judging.current.confidential.clientId,
    });
    expect((await call('POST', `Bearer ${await ofPerson('read write')}`)).status).toBe(201);
  });

  if (name.includes('fastify'))
    it('requires a stronger sign-in than a password for sensitive requests', async () => {
      const { status, challenge } = await call('DELETE', `Bearer ${await ofPerson('read write')}`);
      expect(status).toBe(401);
      expect(challenge).toMatch(/^Bearer error="insufficient_user_authentication", /);
      expect(challenge).toContain('acr_values="urn:statehouse:acr:multi-factor urn:statehouse:acr:phishing-resistant"');
      const strong = { sub: judging.current.user.id, scope: 'write', acr: 'urn:statehouse:acr:phishing-resistant' };
      const authTime = Math.floor(Date.now() / 1000);
      expect((await call('DELETE', `Bearer ${await signed({ ...strong, auth_time: authTime })}`)).status).toBe(204);
      expect((await call('DELETE', `Bearer ${await signed({ ...strong, auth_time: authTime - 600 })}`)).status).toBe(
        401,
      );
    });

  it('accepts a service', async () => {
    const client: TestClient = await makeClient(judging.current.test);
    const { json } = await token(judging.current.test, client, { grant_type: 'client_credentials', scope: 'read' });
    const { body } = await call('GET', `Bearer ${json.access_token}`);
    expect(JSON.parse(body)).toMatchObject({ subject: client.clientId, clientId: client.clientId });
  });

  it('rejects a token without the scope', async () => {
    const { status, challenge } = await call('POST', `Bearer ${await ofPerson('read')}`);
    expect(status).toBe(403);
    expect(challenge).toMatch(/^Bearer error="insufficient_scope", error_description="[^"]+", scope="write", /);
  });

  it.each([
    ['no header', null],
    ['another scheme', 'Basic YTpi'],
  ])('challenges a request with %s', async (_name, authorization) => {
    expect(await call('GET', authorization)).toMatchObject({
      status: 401,
      challenge: `Bearer scope="read", ${WHERE}`,
    });
  });

  it('rejects an expired token', async () => {
    judging.current.test.clock.set(new Date(Date.now() - 960_000));
    const old = await ofPerson('read');
    expect(await call('GET', `Bearer ${old}`)).toMatchObject({
      status: 401,
      challenge: INVALID,
    });
  });

  it('accepts an access token after its chain has ended, until it expires', async () => {
    const { test, confidential, user } = judging.current;
    const { accessToken, refreshToken } = await obtainTokens(test, confidential, user, { scope: 'read' });
    const present = () => token(test, confidential, { grant_type: 'refresh_token', refresh_token: refreshToken });
    await present();
    expect((await present()).json.error).toBe('invalid_grant');
    expect((await call('GET', `Bearer ${accessToken}`)).status).toBe(200);
  });

  it('accepts tokens that the server signed for it, and no others', async () => {
    expect((await call('GET', `Bearer ${await signed({})}`)).status).toBe(200);
    const stranger = await generateKeyPair('ES256');
    const { kid } = judging.current.test.deps.keyRing.signerOf('ES256');
    const wrong = [
      'garbage',
      await signed({ aud: 'https://another.example.com' }),
      await signed({ iss: 'https://another.example.com' }),
      await signed({}, 'JWT'),
      await signed({ scope: ['read'] }),
      await new SignJWT({ iss: judging.current.test.issuer, aud: AUDIENCE, sub: 'a', client_id: 'b', scope: 'read' })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
        .setExpirationTime('5 minutes')
        .sign(stranger.privateKey),
      // The public key, taken for a shared secret.
      await new SignJWT({ iss: judging.current.test.issuer, aud: AUDIENCE, sub: 'a', client_id: 'b', scope: 'read' })
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid })
        .setExpirationTime('5 minutes')
        .sign(Buffer.from(JSON.stringify(await exportJWK(stranger.publicKey)))),
    ];
    for (const one of wrong) {
      expect(await call('GET', `Bearer ${one}`)).toMatchObject({
        status: 401,
        challenge: INVALID,
      });
    }
  });

  it('does not blame the caller when the keys cannot be fetched', async () => {
    const alone = await open(`http://localhost:${await freePort()}`);
    const { status } = await call('GET', `Bearer ${await ofPerson('read')}`, alone.base);
    await alone.close();
    expect(status).toBe(503);
  });

  it('names its authorization server', async () => {
    const response = await fetch(`${api.base}${METADATA}`);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toEqual({
      resource: AUDIENCE,
      authorization_servers: [judging.current.test.issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['read', 'write'],
      resource_name: 'Photos',
    });
  });
});

describe('docs/examples/express-oauth2-jwt-bearer.ts', () => {
  const judging = judged();

  it('accepts a token for it with the scope', async () => {
    const { test, confidential, user } = judging.current;
    const app = otherApi(test.issuer, AUDIENCE);
    // Express prints errors; this test reads the responses.
    app.set('env', 'test');
    const port = await freePort();
    const server: Server = await new Promise((resolve) => {
      const opening: Server = app.listen(port, 'localhost', () => resolve(opening));
    });
    onTestFinished(() => void server.close());
    const call = async (method: string, accessToken: string | null) => {
      const headers = accessToken === null ? {} : { authorization: `Bearer ${accessToken}` };
      const response = await fetch(`http://localhost:${port}/photos`, { method, headers });
      return { status: response.status, vary: response.headers.get('vary'), body: await response.text() };
    };
    const { accessToken } = await obtainTokens(test, confidential, user, { scope: 'read' });
    const elsewhere = await obtainTokens(test, confidential, user, { scope: 'openid' });
    const inside = await call('GET', accessToken);
    expect(inside).toMatchObject({ status: 200, vary: 'Authorization' });
    expect(JSON.parse(inside.body)).toEqual({ subject: user.id, photos: [] });
    expect((await call('GET', null)).status).toBe(401);
    expect((await call('GET', elsewhere.accessToken)).status).toBe(401);
    expect((await call('GET', `${accessToken.slice(0, -8)}AAAAAAAA`)).status).toBe(401);
    expect((await call('POST', accessToken)).status).toBe(403);
  });
});
