/** Who a client is at the token endpoint: RFC 6749 §2.3, §3.2.1, §5.2; OAuth 2.1 §2.4. */
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedSecretMac } from '../../../src/crypto/client-secret.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import { deleteClient } from '../../../src/storage/clients.ts';
import { makeClient, type TestClient, token } from '../../support/actors.ts';
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

  it('Basic or in the body, for any confidential client', async () => {
    const { clientId, secret } = scene.client;
    expect(await send({}, basic(clientId, secret ?? ''))).toMatchObject({ status: 200 });
    expect(await send({}, basic(clientId, secret ?? '').replace('Basic', 'bASIC'))).toMatchObject({ status: 200 });
    expect(await send({ client_id: clientId, client_secret: secret ?? '' })).toMatchObject({ status: 200 });
    // Naming oneself again is not a second way.
    expect(await send({ client_id: clientId }, basic(clientId, secret ?? ''))).toMatchObject({ status: 200 });
  });

  it('never two ways, or as two clients', async () => {
    const { clientId, secret } = scene.client;
    expect(await send({ client_id: clientId, client_secret: secret ?? '' }, basic(clientId, secret ?? ''))).toEqual(
      TWO_WAYS,
    );
    expect(await send({ client_secret: secret ?? '' }, basic(clientId, secret ?? ''))).toEqual(TWO_WAYS);
    expect(await send({ client_secret: 'wrong' }, basic(clientId, secret ?? ''))).toEqual(TWO_WAYS);
    expect(await send({ client_id: scene.other.clientId }, basic(clientId, secret ?? ''))).toEqual(TWO_WAYS);
    expect(await send({ client_secret: secret ?? '' })).toMatchObject({ status: 400, error: 'invalid_request' });
  });

  it('is refused in the same words, whatever is wrong, with 401 and WWW-Authenticate', async () => {
    const { clientId, secret } = scene.client;
    const gone = await makeClient(scene);
    await deleteClient(scene.database.drizzle, gone.clientId);
    expect(await send({})).toEqual(REFUSED);
    expect(await send({ client_id: clientId })).toEqual(REFUSED);
    expect(await send({ client_id: 'nobody' })).toEqual(REFUSED);
    expect(await send({ client_id: 'nobody', client_secret: secret ?? '' })).toEqual(REFUSED);
    for (const [id, wrong] of [
      ['nobody', secret ?? ''],
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
      ['x'.repeat(5000), 'y'.repeat(5000)],
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
  ])('an Authorization header that is none of Basic: %j', async (header) => {
    expect(await send({}, header)).toEqual(REFUSED);
    expect(await send({ client_id: app.clientId }, header)).toEqual(REFUSED);
  });

  it('a public client names itself, and has no secret to show', async () => {
    const code = await scene.code({ client: app });
    const fields = { grant_type: 'authorization_code', code: code.code, code_verifier: code.verifier };
    expect(await send({ ...fields, client_id: app.clientId, client_secret: 'x' })).toEqual(REFUSED);
    expect(await send(fields, basic(app.clientId, 'x'))).toEqual(REFUSED);
    expect(await send(fields, basic(app.clientId, ''))).toEqual(REFUSED);
    expect(await send(fields)).toEqual(REFUSED);
    expect(await send({ ...fields, client_id: app.clientId })).toMatchObject({ status: 200 });
  });

  it('a confidential client cannot pass for a public one', async () => {
    const code = await scene.code();
    const fields = { grant_type: 'authorization_code', code: code.code, code_verifier: code.verifier };
    expect(await send({ ...fields, client_id: scene.client.clientId })).toEqual(REFUSED);
    expect(await send(fields, basic(scene.client.clientId, scene.client.secret ?? ''))).toMatchObject({ status: 200 });
  });

  it('any id and secret of %x20-7E: form-url-encoded, percent-encoded, and in the body', async () => {
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
        // Many clients forget to encode; only a colon in the id makes that ambiguous.
        if (!id.includes(':')) expect(await send({}, basic(id, secret))).toMatchObject({ status: 200 });
        expect(await send({}, basic(formEncoded(id), formEncoded(`${secret}x`)))).toEqual(REFUSED);
      }),
      { numRuns: 60 },
    );
  });

  it('a second secret that is live works beside the first', async () => {
    const secrets = ['the old secret', 'the new secret'];
    const client = await makeClient(scene, {
      secretMacs: secrets.map((one) => storedSecretMac(scene.keys, rawSecret(one))),
    });
    for (const secret of secrets)
      expect(await send({}, basic(client.clientId, formEncoded(secret)))).toMatchObject({ status: 200 });
    expect(await send({}, basic(client.clientId, 'another'))).toEqual(REFUSED);
  });

  it('a correct secret is never throttled, however many wrong ones came before', async () => {
    for (let n = 0; n < 200; n++) await send({}, basic(scene.client.clientId, `guess-${n}`));
    expect((await token(scene, scene.client, { grant_type: 'client_credentials' })).status).toBe(200);
  });
});
