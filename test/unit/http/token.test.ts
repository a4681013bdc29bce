/** POST /oauth/token: the accepted requests, the errors, and their texts (RFC 6749 §3.2, §5.1, §5.2). */
import { fc } from '@fast-check/vitest';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { exchange, makeClient, refresh, type TestClient, token } from '../../support/actors.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
/** RFC 6749 §5.2. */
const ERROR_CHARACTERS = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/;

describe('the token endpoint', () => {
  let scene: Scene;
  const replies: LightMyRequestResponse[] = [];
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  afterEach(() => {
    for (const reply of replies.splice(0)) {
      expect(reply.headers['cache-control']).toBe('no-store');
      expect(reply.headers['pragma']).toBe('no-cache');
      expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(reply.headers).not.toHaveProperty('set-cookie');
      if (reply.statusCode === 200 || reply.body === '') continue;
      const { error, error_description, ...rest } = reply.json();
      expect(rest).toEqual({});
      expect(error).toMatch(/^[a-z_]+$/);
      expect(error_description).toMatch(ERROR_CHARACTERS);
    }
  });

  async function send(
    payload: string | Buffer | undefined,
    headers: Readonly<Record<string, string>> = FORM,
    method: 'POST' | 'GET' | 'PUT' | 'HEAD' | 'DELETE' | 'OPTIONS' | 'PATCH' = 'POST',
  ) {
    const reply = await scene.app.inject({
      method,
      url: '/oauth/token',
      headers,
      ...(payload !== undefined && { payload }),
    });
    replies.push(reply);
    return reply;
  }
  const basic = ({ clientId, secret }: Pick<TestClient, 'clientId' | 'secret'> = scene.client) => ({
    ...FORM,
    authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
  });
  const answer = async (payload: string | Buffer, headers?: Readonly<Record<string, string>>) => {
    const reply = await send(payload, headers ?? basic());
    return `${reply.statusCode} ${reply.json().error ?? 'ok'}`;
  };

  it('answers with exactly what RFC 6749 §5.1 lists, as no-store JSON', async () => {
    const { code, verifier } = await scene.code();
    const reply = await send(`grant_type=authorization_code&code=${code}&code_verifier=${verifier}`, basic());
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 900,
      refresh_token: expect.stringMatching(/^sh_rt_[A-Za-z0-9_-]{103}$/),
      scope: 'read write',
    });
  });

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'HEAD'] as const)('rejects %s', async (method) => {
    const reply = await send(undefined, {}, method);
    expect(reply.statusCode).toBe(405);
    expect(reply.headers['allow']).toBe('POST');
    if (method !== 'HEAD') expect(reply.json().error).toBe('invalid_request');
  });

  it('reads no parameter from the query', async () => {
    const reply = await scene.app.inject({
      method: 'POST',
      url: '/oauth/token?grant_type=client_credentials',
      headers: basic(),
      payload: '',
    });
    expect(reply.json()).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining('grant_type'),
    });
  });

  describe('reads form bodies only', () => {
    const json = JSON.stringify({ grant_type: 'client_credentials' });
    it.each([
      ['application/json', json],
      ['application/json; charset=utf-8', json],
      ['text/plain', 'grant_type=client_credentials'],
      [
        'multipart/form-data; boundary=x',
        '--x\r\ncontent-disposition: form-data; name="grant_type"\r\n\r\nclient_credentials\r\n--x--',
      ],
      ['application/x-www-form-urlencoded-not', 'grant_type=client_credentials'],
      ['nonsense', 'grant_type=client_credentials'],
      ['', 'grant_type=client_credentials'],
    ])('not %s', async (type, payload) => {
      expect(await answer(payload, { ...basic(), 'content-type': type })).toBe('400 invalid_request');
    });

    it('without a content type: rejected even then', async () => {
      const { 'content-type': _, ...headers } = basic();
      expect(await answer(Buffer.from('grant_type=client_credentials'), headers)).toBe('400 invalid_request');
    });

    it.each([
      'application/x-www-form-urlencoded; charset=UTF-8',
      'application/x-www-form-urlencoded;charset=utf-8',
      'Application/X-WWW-Form-URLEncoded',
    ])('%s, as clients send it', async (type) => {
      expect(await answer('grant_type=client_credentials', { ...basic(), 'content-type': type })).toBe('200 ok');
    });
  });

  it('rejects a body over its limit, and accepts a long one under it', async () => {
    const padded = (size: number) => 'grant_type=client_credentials&unknown='.padEnd(size, 'x');
    expect(await answer(padded(32_768))).toBe('200 ok');
    expect(await answer(padded(32_769))).toBe('413 invalid_request');
    expect(await answer(padded(1_000_000))).toBe('413 invalid_request');
  });

  it('rejects a body with a wrong length', async () => {
    expect(await answer('grant_type=client_credentials', { ...basic(), 'content-length': '3' })).toBe(
      '400 invalid_request',
    );
  });

  describe('parameters', () => {
    const known = [
      'grant_type',
      'client_id',
      'client_secret',
      'code',
      'code_verifier',
      'redirect_uri',
      'refresh_token',
      'scope',
    ];

    it.each(known)('%s twice', async (name) => {
      expect(await answer(`grant_type=client_credentials&${name}=client_credentials&${name}=client_credentials`)).toBe(
        '400 invalid_request',
      );
      // The same name, spelt with an escape: still twice.
      const escaped = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
      expect(await answer(`grant_type=client_credentials&${name}=x&${escaped}=x`)).toBe('400 invalid_request');
      expect(await answer(`grant_type=client_credentials&${name}=x&${name}=`)).toBe('400 invalid_request');
    });

    it('unknown ones are ignored, even repeated, empty or garbled', async () => {
      expect(await answer('grant_type=client_credentials&a=1&a=2&audience=x&=&&b&c=%zz&%zz=1&%00=2')).toBe('200 ok');
    });

    it.each(['grant_type', 'code', 'refresh_token', 'scope', 'resource', 'redirect_uri', 'code_verifier'])(
      '%s with invalid characters',
      async (name) => {
        const rest = name === 'grant_type' ? '' : 'grant_type=client_credentials&';
        for (const value of ['a%00b', '%', '%e', '%zz', '%ff', '%c3', '%ed%a0%80', 'x'.repeat(4097), '%C0%80']) {
          expect(await answer(`${rest}${name}=${value}`), value.slice(0, 12)).toBe('400 invalid_request');
        }
      },
    );

    it('raw bytes beyond ASCII are rejected: their characters are unknown', async () => {
      for (const bytes of [[0xff, 0xfe], [0xc3, 0xa9], [0x00], [0x80]]) {
        const body = Buffer.concat([Buffer.from('grant_type=client_credentials&scope='), Buffer.from(bytes)]);
        expect(await answer(body)).toBe('400 invalid_request');
      }
    });

    it('empty ones count as missing', async () => {
      expect(await answer('grant_type=client_credentials&scope=&resource=&client_id=&client_secret=')).toBe('200 ok');
      expect(await answer('grant_type=')).toBe('400 invalid_request');
      expect(await answer('')).toBe('400 invalid_request');
      expect(await answer('&&&')).toBe('400 invalid_request');
      expect(await answer('grant_type=authorization_code&code=')).toBe('400 invalid_request');
      expect(await answer('grant_type=refresh_token&refresh_token=')).toBe('400 invalid_request');
    });

    it('each missing one is named', async () => {
      const described = async (body: string) => (await send(body, basic())).json().error_description;
      expect(await described('')).toContain('grant_type');
      expect(await described('grant_type=authorization_code')).toContain('code');
      expect(await described('grant_type=authorization_code&code=x')).toContain('code_verifier');
      expect(await described('grant_type=refresh_token')).toContain('refresh_token');
    });

    it('any body gets an answer of the standard, never a 500', async () => {
      const names = fc.constantFrom(...known, 'resource', 'x');
      const values = fc.oneof(
        fc.string({ unit: 'binary', maxLength: 30 }).map((text) => encodeURIComponent(text.toWellFormed())),
        fc.string({ unit: 'binary-ascii', maxLength: 30 }),
        fc.constantFrom(
          'client_credentials',
          'authorization_code',
          'refresh_token',
          'read',
          '%00',
          '%',
          'https://api.example.com',
        ),
      );
      const bodies = fc.array(fc.tuple(names, values), { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(bodies, fc.boolean(), async (pairs, isAuthenticated) => {
          const reply = await send(pairs.map((pair) => pair.join('=')).join('&'), isAuthenticated ? basic() : FORM);
          expect([200, 400, 401]).toContain(reply.statusCode);
        }),
        { numRuns: 150 },
      );
    });
  });

  describe('grant types', () => {
    it.each([
      'password',
      'implicit',
      'urn:ietf:params:oauth:grant-type:device_code',
      'Authorization_Code',
      'constructor',
      '__proto__',
      'token',
    ])('%s is unsupported', async (name) => {
      expect(await answer(`grant_type=${encodeURIComponent(name)}&username=u&password=p`)).toBe(
        '400 unsupported_grant_type',
      );
    });

    it('only those that the client is registered for', async () => {
      const bodies = {
        authorization_code: 'grant_type=authorization_code&code=x&code_verifier=x',
        refresh_token: 'grant_type=refresh_token&refresh_token=x',
        client_credentials: 'grant_type=client_credentials',
      } as const;
      for (const registered of Object.keys(bodies)) {
        const client = await makeClient(scene, { grantTypes: [registered] });
        for (const [name, body] of Object.entries(bodies)) {
          const { error } = (await send(body, basic(client))).json();
          if (name === registered) expect(error).not.toBe('unauthorized_client');
          else expect(error).toBe('unauthorized_client');
        }
      }
    });

    it('public clients cannot use client credentials, registered for them or not', async () => {
      const client = await makeClient(scene, { tokenEndpointAuthMethod: 'none' });
      const { status, json } = await token(scene, client, { grant_type: 'client_credentials' });
      expect({ status, error: json.error }).toEqual({ status: 400, error: 'unauthorized_client' });
    });

    it('a client without the refresh grant gets no refresh token, and its code works once', async () => {
      const client = await makeClient(scene, { grantTypes: ['authorization_code'] });
      const code = await scene.code({ client });
      const first = await exchange(scene, client, code);
      expect(first.status).toBe(200);
      expect(first.json).not.toHaveProperty('refresh_token');
      expect((await exchange(scene, client, code)).json.error).toBe('invalid_grant');
    });
  });

  describe('redirect_uri, which is optional here, is compared when sent (OAuth 2.1 §10.2)', () => {
    it('the correct one, or none', async () => {
      expect(
        (await exchange(scene, scene.client, await scene.code(), { redirect_uri: 'https://client.test/callback' }))
          .status,
      ).toBe(200);
      expect((await exchange(scene, scene.client, await scene.code())).status).toBe(200);
    });
    it('another one changes nothing', async () => {
      const code = await scene.code();
      for (const uri of ['https://client.test/callback/', 'https://client.test/Callback', 'https://client.test', 'x']) {
        expect((await exchange(scene, scene.client, code, { redirect_uri: uri })).json.error).toBe('invalid_grant');
      }
      expect((await exchange(scene, scene.client, code)).status).toBe(200);
    });
  });

  describe('scope and resource', () => {
    const credentials = async (client: TestClient, fields: Record<string, string> = {}) => {
      const { status, json } = await token(scene, client, { grant_type: 'client_credentials', ...fields });
      return status === 200 ? json.scope : json.error;
    };
    it('without a request: the client’s default, else its ceiling, else all of its resource', async () => {
      expect(await credentials(scene.client)).toBe('read write');
      expect(await credentials(await makeClient(scene, { scope: ['write'] }))).toBe('write');
      expect(await credentials(await makeClient(scene, { scope: ['read', 'write'], defaultScope: ['read'] }))).toBe(
        'read',
      );
      // A default above the ceiling does not lift it.
      expect(await credentials(await makeClient(scene, { scope: ['read'], defaultScope: ['read', 'write'] }))).toBe(
        'read',
      );
    });
    it('with a request: granted, or rejected', async () => {
      expect(await credentials(scene.client, { scope: 'write' })).toBe('write');
      expect(await credentials(scene.client, { scope: 'write read' })).toBe('write read');
      expect(await credentials(scene.client, { scope: 'read  read' })).toBe('read');
      const limited = await makeClient(scene, { scope: ['read'] });
      for (const scope of ['write', 'read write', 'unknown', 'READ', 'openid', ' ', '"', '\\', 'é', 'read\nwrite']) {
        expect(await credentials(limited, { scope }), scope).toBe('invalid_scope');
      }
      for (const resource of [
        'https://elsewhere.test',
        'https://api.example.com/a',
        'HTTPS://api.example.com:1',
        'x',
      ]) {
        expect(await credentials(scene.client, { resource }), resource).toBe('invalid_target');
      }
      expect(await credentials(scene.client, { resource: 'https://api.example.com' })).toBe('read write');
    });
    it('a malformed scope at a refresh leaves the token valid', async () => {
      const head = await scene.chain();
      expect((await refresh(scene, scene.client, head, { scope: '"' })).json.error).toBe('invalid_scope');
      expect((await refresh(scene, scene.client, head)).status).toBe(200);
    });
  });

  it('leaves the token valid after a rotation that requests too much, or a broken request', async () => {
    const head = await scene.chain();
    expect(await answer(`grant_type=refresh_token&refresh_token=${head}&refresh_token=${head}`)).toBe(
      '400 invalid_request',
    );
    expect(await answer(`grant_type=refresh_token&refresh_token=${head}&scope=%00`)).toBe('400 invalid_request');
    expect(
      await answer(`grant_type=refresh_token&refresh_token=${head}`, { ...basic(), 'content-type': 'text/plain' }),
    ).toBe('400 invalid_request');
    expect(
      await answer(`grant_type=refresh_token&refresh_token=${head}`, basic({ ...scene.client, secret: 'wrong' })),
    ).toBe('401 invalid_client');
    expect(await answer(`grant_type=refresh_token&refresh_token=${head}`)).toBe('200 ok');
  });
});
