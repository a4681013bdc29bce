/** The very file that docs/protecting-an-api.md shows, with tokens of the server on its port. */
import type { Server } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeClient, obtainTokens, type TestClient, token } from '../support/actors.ts';
import { judged } from '../support/interop.ts';
import { freePort } from '../support/listening.ts';
import { loadedByNode } from '../support/plain-node.ts';

const { protectedApi } = loadedByNode<typeof import('../../docs/examples/protected-api.ts')>(
  'docs/examples/protected-api.ts',
);

const AUDIENCE = 'https://api.example.com';

describe('the example of docs/protecting-an-api.md', () => {
  const judging = judged();
  let api: Server;
  let base: string;

  beforeAll(async () => {
    const port = await freePort();
    base = `http://localhost:${port}`;
    const app = protectedApi(judging.current.test.issuer, AUDIENCE);
    api = await new Promise((resolve) => {
      const opening: Server = app.listen(port, 'localhost', () => resolve(opening));
    });
  });
  afterAll(() => new Promise((resolve) => api.close(resolve)));
  // The API tells the time by its own clock.
  beforeEach(() => judging.current.test.clock.set(new Date()));

  const call = async (method: string, authorization: string | null) => {
    const headers = authorization === null ? {} : { authorization };
    const response = await fetch(`${base}/photos`, { method, headers });
    const challenge = response.headers.get('www-authenticate');
    return { status: response.status, challenge, body: await response.text() };
  };

  const ofPerson = async (scope: string): Promise<string> => {
    const { test, confidential, user } = judging.current;
    return (await obtainTokens(test, confidential, user, { scope })).accessToken;
  };

  /** Signed by whoever may sign; for what must not get in. */
  const signed = async (claims: object, typ = 'at+jwt') => {
    const { keyRing } = judging.current.test.deps;
    const { kid, alg, privateKey } = keyRing.signerOf('ES256');
    return new SignJWT({
      iss: judging.current.test.issuer,
      aud: AUDIENCE,
      sub: 'a',
      client_id: 'b',
      scope: 'read',
      ...claims,
    })
      .setProtectedHeader({ alg, typ, kid })
      .setExpirationTime('5 minutes')
      .sign(privateKey);
  };

  it('lets in a token with the scope, and knows who it is', async () => {
    const { status, body } = await call('GET', `Bearer ${await ofPerson('read')}`);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      sub: judging.current.user.id,
      clientId: judging.current.confidential.clientId,
    });
    expect((await call('POST', `Bearer ${await ofPerson('read write')}`)).status).toBe(201);
  });

  it('lets in a service', async () => {
    const client: TestClient = await makeClient(judging.current.test);
    const { json } = await token(judging.current.test, client, { grant_type: 'client_credentials', scope: 'read' });
    const { body } = await call('GET', `Bearer ${json.access_token}`);
    expect(JSON.parse(body)).toMatchObject({ sub: client.clientId, clientId: client.clientId });
  });

  it('refuses a token without the scope', async () => {
    const { status, challenge } = await call('POST', `Bearer ${await ofPerson('read')}`);
    expect(status).toBe(403);
    expect(challenge).toBe('Bearer error="insufficient_scope", scope="write"');
  });

  it.each([
    ['no header', null],
    ['another scheme', 'Basic YTpi'],
  ])('asks for a token where there is %s', async (_name, authorization) => {
    expect(await call('GET', authorization)).toMatchObject({ status: 401, challenge: 'Bearer' });
  });

  it('refuses what has expired', async () => {
    judging.current.test.clock.set(new Date(Date.now() - 901_000));
    const old = await ofPerson('read');
    expect(await call('GET', `Bearer ${old}`)).toMatchObject({
      status: 401,
      challenge: 'Bearer error="invalid_token"',
    });
  });

  it('goes on letting in an access token whose chain was ended, until it expires', async () => {
    const { test, confidential, user } = judging.current;
    const { accessToken, refreshToken } = await obtainTokens(test, confidential, user, { scope: 'read' });
    const present = () => token(test, confidential, { grant_type: 'refresh_token', refresh_token: refreshToken });
    await present();
    expect((await present()).json.error).toBe('invalid_grant');
    expect((await call('GET', `Bearer ${accessToken}`)).status).toBe(200);
  });

  it('lets in what the server signs for it, and nothing else', async () => {
    expect((await call('GET', `Bearer ${await signed({})}`)).status).toBe(200);
    const stranger = await generateKeyPair('ES256');
    const { kid } = judging.current.test.deps.keyRing.signerOf('ES256');
    const wrong = [
      'garbage',
      await signed({ aud: 'https://another.example.com' }),
      await signed({ iss: 'https://another.example.com' }),
      await signed({}, 'JWT'),
      await signed({ scope: undefined }),
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
        challenge: 'Bearer error="invalid_token"',
      });
    }
  });

  it('does not blame the caller when the keys cannot be fetched', async () => {
    const port = await freePort();
    const app = protectedApi(`http://localhost:${await freePort()}`, AUDIENCE);
    // Express prints what it does not know how to answer.
    app.set('env', 'test');
    const alone: Server = await new Promise((resolve) => {
      const opening: Server = app.listen(port, 'localhost', () => resolve(opening));
    });
    const headers = { authorization: `Bearer ${await ofPerson('read')}` };
    const { status } = await fetch(`http://localhost:${port}/photos`, { headers });
    alone.close();
    expect(status).toBe(500);
  });
});
