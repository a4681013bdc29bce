/** The requests to revocation and introspection: RFC 7009 §2.1, RFC 7662 §2.1, and the errors of RFC 6749 §5.2. */
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeClient, type TestClient, token } from '../../support/actors.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { everything } from '../../support/stored.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe.each(['/oauth/revoke', '/oauth/introspect'])('%s', (url) => {
  let scene: Scene;
  let app: TestClient;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
    app = await makeClient(scene, { tokenEndpointAuthMethod: 'none' });
  });
  afterAll(() => scene.close());

  const basic = ({ clientId, secret }: Pick<TestClient, 'clientId' | 'secret'> = scene.client) => ({
    ...FORM,
    authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
  });
  async function send(
    payload: string | Buffer | undefined,
    headers: Readonly<Record<string, string>> = basic(),
    method: 'POST' | 'GET' | 'PUT' | 'HEAD' | 'DELETE' | 'OPTIONS' | 'PATCH' = 'POST',
    at = url,
  ) {
    const reply = await scene.app.inject({ method, url: at, headers, ...(payload !== undefined && { payload }) });
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(reply.headers).not.toHaveProperty('set-cookie');
    return reply;
  }
  const answer = async (payload: string | Buffer, headers?: Readonly<Record<string, string>>) => {
    const reply = await send(payload, headers);
    const challenge = reply.headers['www-authenticate'];
    expect(challenge).toBe(reply.statusCode === 401 ? 'Basic realm="token", charset="UTF-8"' : undefined);
    return `${reply.statusCode} ${reply.json().error ?? 'ok'}`;
  };

  it('accepts Basic, or the form', async () => {
    const { clientId, secret } = scene.client;
    expect(await answer('token=x')).toBe('200 ok');
    expect(await answer(`token=x&client_id=${clientId}&client_secret=${secret}`, FORM)).toBe('200 ok');
    expect(await answer(`token=x&client_id=${clientId}`)).toBe('200 ok');
  });

  it('rejects an unauthenticated client, and reveals nothing', async () => {
    const { clientId } = scene.client;
    const good = (await token(scene, scene.client, { grant_type: 'client_credentials' })).json.access_token ?? '';
    for (const [body, headers] of [
      ['', FORM],
      [`client_id=${clientId}`, FORM],
      [`client_id=${clientId}&client_secret=wrong`, FORM],
      ['client_id=unknown&client_secret=wrong', FORM],
      ['', basic({ clientId, secret: 'wrong' })],
      ['', basic({ clientId: 'unknown', secret: 'wrong' })],
      ['', { ...FORM, authorization: `Bearer ${good}` }],
      ['', basic({ clientId: app.clientId, secret: 'x' })],
    ] as const) {
      for (const sent of [good, 'x']) expect(await answer(`${body}&token=${sent}`, headers)).toBe('401 invalid_client');
    }
  });

  it('rejects two methods', async () => {
    const { clientId, secret } = scene.client;
    expect(await answer(`token=x&client_id=${clientId}&client_secret=${secret}`)).toBe('400 invalid_request');
    expect(await answer(`token=x&client_id=${scene.other.clientId}`)).toBe('400 invalid_request');
  });

  it('requires one token, whatever the hint', async () => {
    for (const body of [
      '',
      'token=',
      'token',
      'Token=x',
      'token=x&token=x',
      'token=x&token=y',
      'token=%00',
      'token=%ff',
    ]) {
      expect(await answer(body), body).toBe('400 invalid_request');
    }
    expect(await answer('client_id=x&client_id=x&token=x', FORM)).toBe('400 invalid_request');
    for (const hint of ['', 'access_token', 'refresh_token', 'pct', '%00', 'x'.repeat(5000), 'x&token_type_hint=y']) {
      expect(await answer(`token=x&token_type_hint=${hint}`), hint).toBe('200 ok');
    }
    expect(await answer('token=x&unknown=1&unknown=2')).toBe('200 ok');
  });

  it('treats a long token as invalid, and rejects one that is longer than any of ours', async () => {
    expect(await answer(`token=${'x.'.repeat(8000)}`)).toBe('200 ok');
    expect(await answer(`token=${'x'.repeat(17_000)}`)).toBe('400 invalid_request');
    expect(await answer(`token=${'x'.repeat(40_000)}`)).toBe('413 invalid_request');
  });

  it('reads no parameter from the query', async () => {
    const { clientId, secret } = scene.client;
    expect((await send('', basic(), 'POST', `${url}?token=x`)).statusCode).toBe(400);
    const all = `${url}?token=x&client_id=${clientId}&client_secret=${secret}`;
    expect((await send('', FORM, 'POST', all)).statusCode).toBe(401);
  });

  it.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'nonsense', ''])(
    'reads forms only, not %j',
    async (type) => {
      expect(await answer(JSON.stringify({ token: 'x' }), { ...basic(), 'content-type': type })).toBe(
        '400 invalid_request',
      );
    },
  );
  it('reads no body without a type', async () => {
    const { authorization } = basic();
    for (const payload of [undefined, Buffer.from('token=x')]) {
      const reply = await send(payload, { authorization });
      expect(reply.statusCode).toBe(400);
      expect(reply.json().error_description).toContain('application/x-www-form-urlencoded');
    }
  });

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'HEAD'] as const)('rejects %s', async (method) => {
    const reply = await send(undefined, basic(), method, `${url}?token=x`);
    expect(reply.statusCode).toBe(405);
    expect(reply.headers['allow']).toBe('POST');
  });

  it('answers any body as the standard says, and changes nothing for an invalid token', async () => {
    const before = await everything(scene.database.drizzle);
    const bodies = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }).map((text) => `token=${text}`),
      fc.string({ unit: 'grapheme' }).map((text) => `token=${encodeURIComponent(text)}`),
      fc.stringMatching(/^(sh_rt_|sh_ac_|eyJ)[\w-]{0,120}(\.[\w-]{1,40}){0,4}$/).map((text) => `token=${text}`),
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const reply = await send(body);
        expect([200, 400]).toContain(reply.statusCode);
        if (reply.statusCode === 400) expect(reply.json().error).toBe('invalid_request');
        else expect(reply.json()).toEqual(url === '/oauth/revoke' ? {} : { active: false });
      }),
      { numRuns: 300 },
    );
    expect(await everything(scene.database.drizzle)).toEqual(before);
  });

  it('answers 503 with Retry-After while the database is away: a retry is safe', async () => {
    const broken = await openScene(anyDatabase);
    const chain = await broken.chain();
    await broken.database.close();
    const { clientId, secret } = broken.client;
    const reply = await broken.app.inject({
      method: 'POST',
      url,
      headers: basic({ clientId, secret }),
      payload: `token=${chain}`,
    });
    expect(reply.statusCode).toBe(503);
    expect(reply.headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' });
    expect(reply.json()).toMatchObject({ error: 'temporarily_unavailable' });
    expect(broken.logs()).not.toContain(chain);
    await broken.app.close();
  });
});
