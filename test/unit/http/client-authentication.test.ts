/** Client authentication at the token endpoint: RFC 6749 §2.3, §3.2.1, §5.2; OAuth 2.1 §2.4. */

import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedSecretMac } from '../../../src/crypto/client-secret.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import { makeClient, type TestClient } from '../../support/actors.ts';
import { deleteClient } from '../../support/administration.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const PRINTABLE = Array.from({ length: 95 }, (_, n) => String.fromCharCode(0x20 + n)).join('');
/** As a form would encode it: a space becomes "+". */
const formEncoded = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);
const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');

describe('client authentication', () => {
  let scene: Scene;
  let app: TestClient;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
    app = await makeClient(scene, { tokenEndpointAuthMethod: 'none' });
  });
  afterAll(() => scene.close());

  async function send(fields: Readonly<Record<string, string>>, authorization?: string) {
    const reply = await scene.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(authorization !== undefined && { authorization }),
      },
      payload: new URLSearchParams({ grant_type: 'client_credentials', ...fields }).toString(),
    });
    return { status: reply.statusCode, error: reply.json().error, challenge: reply.headers['www-authenticate'] };
  }
  const basic = (id: string, secret: string) => `Basic ${base64(`${id}:${secret}`)}`;
  const registered = (clientId: string, secret: string) =>
    makeClient(scene, { clientId, secretMacs: [storedSecretMac(scene.keys, rawSecret(secret))] });

  const REFUSED = { status: 401, error: 'invalid_client', challenge: 'Basic realm="token", charset="UTF-8"' };
  const TWO_WAYS = { status: 400, error: 'invalid_request', challenge: undefined };

  it('accepts Basic or a form for any confidential client', async () => {
    const { clientId, secret } = scene.client;
    expect(await send({}, basic(clientId, secret ?? ''))).toMatchObject({ status: 200 });
    expect(await send({}, basic(clientId, secret ?? '').replace('Basic', 'bASIC'))).toMatchObject({ status: 200 });
    expect(await send({ client_id: clientId, client_secret: secret ?? '' })).toMatchObject({ status: 200 });
    // Naming oneself again is not a second way.
    expect(await send({ client_id: clientId }, basic(clientId, secret ?? ''))).toMatchObject({ status: 200 });
  });

  it('rejects two methods in one request, or two clients', async () => {
    const { clientId, secret } = scene.client;
    expect(await send({ client_id: clientId, client_secret: secret ?? '' }, basic(clientId, secret ?? ''))).toEqual(
      TWO_WAYS,
    );
    expect(await send({ client_secret: secret ?? '' }, basic(clientId, secret ?? ''))).toEqual(TWO_WAYS);
    expect(await send({ client_secret: 'wrong' }, basic(clientId, secret ?? ''))).toEqual(TWO_WAYS);
    expect(await send({ client_id: scene.other.clientId }, basic(clientId, secret ?? ''))).toEqual(TWO_WAYS);
    expect(await send({ client_secret: secret ?? '' })).toMatchObject({ status: 400, error: 'invalid_request' });
  });

  it('rejects every error with the same text, with 401 and WWW-Authenticate', async () => {
    const { clientId, secret } = scene.client;
    const gone = await makeClient(scene);
    await deleteClient(scene.database.drizzle, gone.clientId);
    expect(await send({})).toEqual(REFUSED);
    expect(await send({ client_id: clientId })).toEqual(REFUSED);
    expect(await send({ client_id: 'unknown' })).toEqual(REFUSED);
    expect(await send({ client_id: 'unknown', client_secret: secret ?? '' })).toEqual(REFUSED);
    for (const [id, wrong] of [
      ['unknown', secret ?? ''],
      [clientId, 'wrong'],
      [clientId, ''],
      ['', secret ?? ''],
      ['', ''],
      [clientId, `${secret} `],
      [clientId, ` ${secret}`],
      [clientId, (secret ?? '').toUpperCase()],
      [clientId.toUpperCase(), secret ?? ''],
      [` ${clientId}`, secret ?? ''],
      [clientId, scene.other.secret ?? ''],
      [gone.clientId, gone.secret ?? ''],
      ['a%00b', secret ?? ''],
      [clientId, '%00'],
      ['%', '%'],
      [`${clientId}%00`, secret ?? ''],
      ['x'.repeat(3000), 'y'.repeat(3000)],
      ["' or 1=1 --", "' or 1=1 --"],
      ['__proto__', 'constructor'],
    ] as const) {
      expect(await send({}, basic(id, wrong)), `${id.slice(0, 20)}:${wrong.slice(0, 20)}`).toEqual(REFUSED);
    }
  });

  it.each([
    '',
    'Basic',
    'Basic ',
    'Basic !',
    'Basic ====',
    'Bearer token',
    'Digest username="x"',
    'Basic a b',
    `Basic ${base64('no colon')}`,
    `Basic ${base64(new Uint8Array([0xff, 0x3a, 0xfe]))}`,
    `Basic ${base64('a\0:b')}`,
  ])('rejects an Authorization header that is not Basic: %j', async (header) => {
    expect(await send({}, header)).toEqual(REFUSED);
    expect(await send({ client_id: app.clientId }, header)).toEqual(REFUSED);
  });

  it('accepts a public client by its id, without a secret', async () => {
    const code = await scene.code({ client: app });
    const fields = { grant_type: 'authorization_code', code: code.code, code_verifier: code.verifier };
    expect(await send({ ...fields, client_id: app.clientId, client_secret: 'x' })).toEqual(REFUSED);
    expect(await send(fields, basic(app.clientId, 'x'))).toEqual(REFUSED);
    expect(await send(fields, basic(app.clientId, ''))).toEqual(REFUSED);
    expect(await send(fields)).toEqual(REFUSED);
    expect(await send({ ...fields, client_id: app.clientId })).toMatchObject({ status: 200 });
  });

  it('rejects a confidential client as a public one', async () => {
    const code = await scene.code();
    const fields = { grant_type: 'authorization_code', code: code.code, code_verifier: code.verifier };
    expect(await send({ ...fields, client_id: scene.client.clientId })).toEqual(REFUSED);
    expect(await send(fields, basic(scene.client.clientId, scene.client.secret ?? ''))).toMatchObject({ status: 200 });
  });

  it('accepts any id and secret of %x20-7E: form-url-encoded, percent-encoded, and in the form', async () => {
    const texts = fc.oneof(
      fc.string({ unit: fc.constantFrom(...PRINTABLE), minLength: 1, maxLength: 40 }),
      fc.constantFrom(PRINTABLE, '%', '%41', '+', ' ', ':', 'a:b', '%3A', '%zz', '%%', 'a+b c%20d', '"\\'),
    );
    await fc.assert(
      fc.asyncProperty(texts, texts, async (id, secret) => {
        await registered(id, secret);
        expect(await send({}, basic(formEncoded(id), formEncoded(secret)))).toMatchObject({ status: 200 });
        expect(await send({}, basic(encodeURIComponent(id), encodeURIComponent(secret)))).toMatchObject({
          status: 200,
        });
        expect(await send({ client_id: id, client_secret: secret })).toMatchObject({ status: 200 });
        // Many clients do not encode; only a colon in the id makes that ambiguous.
        if (!id.includes(':')) expect(await send({}, basic(id, secret))).toMatchObject({ status: 200 });
        expect(await send({}, basic(formEncoded(id), formEncoded(`${secret}x`)))).toEqual(REFUSED);
      }),
      { numRuns: 60 },
    );
  });

  it('accepts a second active secret beside the first', async () => {
    const secrets = ['the old secret', 'the new secret'];
    const client = await makeClient(scene, {
      secretMacs: secrets.map((one) => storedSecretMac(scene.keys, rawSecret(one))),
    });
    for (const secret of secrets)
      expect(await send({}, basic(client.clientId, formEncoded(secret)))).toMatchObject({ status: 200 });
    expect(await send({}, basic(client.clientId, 'another'))).toEqual(REFUSED);
  });

  describe('guessing a secret', () => {
    const GUESSES = 20;
    const WINDOW_SECONDS = 300;
    let serial = 0;
    async function from(remoteAddress: string, authorization: string, url = '/oauth/token') {
      const reply = await scene.app.inject({
        method: 'POST',
        url,
        remoteAddress,
        headers: { 'content-type': 'application/x-www-form-urlencoded', authorization },
        payload: 'grant_type=client_credentials&token=x',
      });
      return { status: reply.statusCode, error: reply.json().error, retryAfter: reply.headers['retry-after'] };
    }
    const THIEF = '203.0.113.66';
    const guess = async (clientId: string, times: number, address = THIEF) => {
      for (let n = 0; n < times; n++)
        expect((await from(address, basic(clientId, `guess-${++serial}`))).status).toBe(401);
    };
    const right = ({ clientId, secret }: TestClient) => basic(clientId, secret ?? '');
    const THROTTLED = { status: 429, error: 'temporarily_unavailable', retryAfter: String(WINDOW_SECONDS) };

    it('is throttled: after so many different ones every attempt is rejected until the window ends', async () => {
      const client = await makeClient(scene);
      await guess(client.clientId, GUESSES);
      expect(await from(THIEF, basic(client.clientId, 'wrong'))).toEqual(THROTTLED);
      expect(await from(THIEF, right(client))).toEqual(THROTTLED);
      scene.clock.advanceSeconds(WINDOW_SECONDS - 1);
      expect(await from(THIEF, right(client))).toEqual({ ...THROTTLED, retryAfter: '1' });
      scene.clock.advanceSeconds(1);
      expect((await from(THIEF, right(client))).status).toBe(200);
    });

    it('is throttled when all guesses arrive concurrently', async () => {
      const client = await makeClient(scene);
      const guesses = Array.from({ length: 3 * GUESSES }, (_, n) =>
        from(THIEF, basic(client.clientId, `concurrent ${n}`)),
      );
      const statuses = (await Promise.all(guesses)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 401)).toHaveLength(GUESSES);
      expect(statuses.filter((status) => status === 429)).toHaveLength(2 * GUESSES);
    });

    it('is throttled across all endpoints', async () => {
      const client = await makeClient(scene);
      for (let n = 0; n < GUESSES; n++) {
        const url = ['/oauth/token', '/oauth/introspect', '/oauth/revoke'][n % 3] ?? '';
        expect((await from(THIEF, basic(client.clientId, `guess-${n}`), url)).status).toBe(401);
      }
      for (const url of ['/oauth/token', '/oauth/introspect', '/oauth/revoke']) {
        expect(await from(THIEF, right(client), url), url).toEqual(THROTTLED);
      }
    });

    it('does not lock the client out at its own address, nor other clients at the same one', async () => {
      const [client, other] = [await makeClient(scene), await makeClient(scene)];
      await guess(client.clientId, GUESSES);
      expect((await from(THIEF, right(client))).status).toBe(429);
      expect((await from('198.51.100.1', right(client))).status).toBe(200);
      expect((await from(THIEF, right(other))).status).toBe(200);
    });

    it('counts one wrong secret once, however often an outdated service sends it', async () => {
      const client = await makeClient(scene);
      for (let n = 0; n < 5 * GUESSES; n++) {
        expect((await from(THIEF, basic(client.clientId, 'the secret of yesterday'))).status).toBe(401);
      }
      expect((await from(THIEF, right(client))).status).toBe(200);
      await guess(client.clientId, GUESSES - 1);
      expect((await from(THIEF, right(client))).status).toBe(429);
    });

    it('counts no correct secret, which does not reset the count either', async () => {
      const client = await makeClient(scene);
      await guess(client.clientId, GUESSES - 1);
      for (let n = 0; n < 2 * GUESSES; n++) expect((await from(THIEF, right(client))).status).toBe(200);
      await guess(client.clientId, 1);
      expect((await from(THIEF, right(client))).status).toBe(429);
    });

    it('reveals nothing about ids: unknown ones get the same answer', async () => {
      const unknown = `unknown-${++serial}`;
      await guess(unknown, GUESSES);
      expect(await from(THIEF, basic(unknown, 'x'))).toEqual(THROTTLED);
    });

    it('is in the log with the address, and without the secret', async () => {
      const client = await makeClient(scene);
      await guess(client.clientId, GUESSES);
      await from('203.0.113.66', basic(client.clientId, 'the-last-guess'));
      const line = scene
        .logs()
        .split('\n')
        .findLast((text) => text.includes('client_throttled'));
      expect(line).toContain(`"address":"${THIEF}"`);
      expect(scene.logs()).not.toContain('the-last-guess');
    });
  });
});
