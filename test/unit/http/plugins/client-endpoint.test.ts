/** The shared behaviour of the endpoints for clients: the requests that they read, their errors, and their log lines. */
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Unavailable } from '../../../../src/engine/errors.ts';
import { type ClientEndpointOutcome, clientEndpoint } from '../../../../src/http/client-endpoint.ts';
import { errorHandler } from '../../../../src/http/error-handler.ts';
import { formBodies } from '../../../../src/http/form-body.ts';
import type { ClientSender } from '../../../../src/protocol/client-authentication.ts';
import type { Refused } from '../../../../src/protocol/grant-type.ts';
import { type BareApp, bareApp } from '../../../support/bare-app.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const CHALLENGE = 'Basic realm="token", charset="UTF-8"';

describe('an endpoint for clients', () => {
  let app: FastifyInstance;
  let lines: BareApp['lines'];
  let outcome: () => ClientEndpointOutcome;
  let asked: { readonly sender: ClientSender; readonly form: string }[];
  beforeEach(async () => {
    ({ app, lines } = await bareApp(['2001:db8:0:2::/64']));
    await app.register(errorHandler);
    await app.register(formBodies);
    asked = [];
    for (const [url, mayBeRepeated] of [
      ['/once', false],
      ['/repeated', true],
    ] as const)
      clientEndpoint(app, { url, mayBeRepeated }, async (sender, form) => {
        asked.push({ sender, form });
        return outcome();
      });
    outcome = () => ({ kind: 'done', body: { it: 'is done' }, message: 'done', facts: { grantId: 'g' } });
  });
  afterEach(() => app.close());

  async function send(payload: string | undefined, headers: Readonly<Record<string, string>> = FORM, url = '/once') {
    const reply = await app.inject({
      method: 'POST',
      url,
      headers,
      remoteAddress: '2001:db8:0:1::9',
      ...(payload !== undefined && { payload }),
    });
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(reply.headers['cache-control']).toBe('no-store');
    return reply;
  }
  const refuse = async (refused: Omit<Refused, 'kind'>, facts = {}) => {
    outcome = () => ({ kind: 'refused', refused: { kind: 'refused', ...refused }, facts });
    const { statusCode: status, headers, body } = await send('a=b');
    return { status, headers, json: JSON.parse(body), line: lines().at(-1) };
  };

  it('passes on the client and the parameters, byte for byte, and returns the outcome', async () => {
    const { statusCode, headers, body } = await send('a=%20&a=b&&=', { ...FORM, authorization: 'Basic x' });
    expect(statusCode).toBe(200);
    expect(headers['pragma']).toBe('no-cache');
    expect(JSON.parse(body)).toEqual({ it: 'is done' });
    expect(asked.map(({ sender, form }) => [sender.authorization, sender.address(), form])).toEqual([
      ['Basic x', '2001:db8:0:1::/64', 'a=%20&a=b&&='],
    ]);
    expect(lines().at(-1)).toMatchObject({ level: 30, msg: 'done', grantId: 'g', status: 200 });
    await send('');
    expect(asked[1]).toMatchObject({ sender: { authorization: undefined }, form: '' });
  });

  it.each([
    {
      what: 'JSON',
      payload: '{}',
      headers: { 'content-type': 'application/json' },
      status: 400,
      reason: 'content_type',
    },
    { what: 'a body of no type', payload: 'a=b', headers: {}, status: 400, reason: 'content_type' },
    {
      what: 'a type without a name',
      payload: 'a=b',
      headers: { 'content-type': '' },
      status: 400,
      reason: 'content_type',
    },
    { what: 'no body', payload: undefined, headers: {}, status: 400, reason: 'content_type' },
    { what: 'a long body', payload: 'x'.repeat(32_769), headers: FORM, status: 413, reason: 'body_too_large' },
    {
      what: 'a body of another length than it says',
      payload: 'a=b',
      headers: { ...FORM, 'content-length': '2' },
      status: 400,
      reason: 'malformed_body',
    },
  ])('rejects $what, and calls no use case', async ({ payload, headers, status, reason }) => {
    const reply = await send(payload, headers);
    expect(reply.statusCode).toBe(status);
    expect(reply.json()).toEqual({ error: 'invalid_request', error_description: expect.stringMatching(/\w/) });
    expect(lines().at(-1)).toMatchObject({ level: 30, msg: 'refused', reason, status });
    expect(asked).toEqual([]);
  });
  it('reads bodies up to its limit', async () => {
    expect((await send('x'.repeat(32_768))).statusCode).toBe(200);
  });

  it('rejects other methods', async () => {
    const reply = await app.inject({ method: 'GET', url: '/once' });
    expect(reply.statusCode).toBe(405);
    expect(reply.headers).toMatchObject({ allow: 'POST', 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(reply.json()).toEqual({ error: 'invalid_request', error_description: 'Use POST.' });
  });

  it.each([
    ['code_verifier_mismatch', 30, undefined],
    ['authorization_code_reused', 40, true],
    ['refresh_token_reused', 40, true],
    ['chain_behind_token', 50, true],
  ] as const)('%s: the operator’s line has level %i', async (reason, level, alarm) => {
    const { status, headers, json, line } = await refuse({ reason }, { clientId: 'c', grantId: 'g' });
    expect(status).toBe(400);
    expect(headers['www-authenticate']).toBeUndefined();
    expect(headers['retry-after']).toBeUndefined();
    expect(json.error).toBe('invalid_grant');
    expect(line).toMatchObject({ level, msg: 'refused', reason, clientId: 'c', grantId: 'g' });
    expect(line?.['alarm']).toBe(alarm);
    // The presenter of a credential that was used before: only then.
    expect('address' in (line ?? {}) && 'userAgent' in (line ?? {})).toBe(alarm === true);
  });

  it('accepts the address of a proxy if it is an address', async () => {
    const remoteAddress = '2001:db8:0:2::1';
    for (const forwarded of ['192.0.2.7', 'garbage'])
      await app.inject({
        method: 'POST',
        url: '/once',
        headers: { ...FORM, 'x-forwarded-for': forwarded },
        payload: '',
        remoteAddress,
      });
    expect(asked.map(({ sender }) => sender.address())).toEqual(['192.0.2.7', '2001:db8:0:2::/64']);
  });

  it('names the authentication scheme in a 401, and logs the claimed client and the source', async () => {
    const { status, headers, json, line } = await refuse({
      reason: 'client_secret_mismatch',
      claimedClientId: 'photo-book',
    });
    expect(status).toBe(401);
    expect(line).toMatchObject({ claimedClientId: 'photo-book', address: '2001:db8:0:1::9' });
    expect(JSON.stringify(json)).not.toContain('photo-book');
    expect(headers['www-authenticate']).toBe(CHALLENGE);
    expect(json.error).toBe('invalid_client');
  });

  it('throttles a client that guesses secrets, and logs the source', async () => {
    const { status, headers, line } = await refuse({ reason: 'client_throttled', retryAfterSeconds: 30 });
    expect(status).toBe(429);
    expect(headers['retry-after']).toBe('30');
    expect(line).toMatchObject({ reason: 'client_throttled', address: '2001:db8:0:1::9' });
  });

  it.each([
    [{ reason: 'malformed_parameter', parameter: 'code' }, 'code: A parameter has'],
    [{ reason: 'scope_not_allowed', scope: 'admin' }, 'admin: '],
    [{ reason: 'scope_malformed', parameter: 'scope', scope: 'x' }, 'scope x: '],
    [{ reason: 'missing_parameter' }, 'A required parameter is missing.'],
  ] as const)('%j: the description begins with %j', async (refused, begins) => {
    const { json, line } = await refuse(refused);
    expect(json.error_description.startsWith(begins)).toBe(true);
    expect(line).toMatchObject(refused);
  });
  it('logs which grant was revoked', async () => {
    const { json, line } = await refuse({ reason: 'refresh_token_reused', revoked: true });
    expect(line).toMatchObject({ revoked: true });
    expect(Object.keys(json)).toEqual(['error', 'error_description']);
  });

  it('restricts a description to the characters of RFC 6749, whatever was sent', async () => {
    const { json } = await refuse({ reason: 'scope_not_allowed', scope: 'a"b\\c\u2028é' });
    expect(json.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  it.each([
    ['/once', 'store_unavailable', '1', 'Nothing was changed'],
    ['/once', 'commit_unknown', undefined, 'Do not repeat this request'],
    ['/repeated', 'store_unavailable', '1', 'Repeating this request is safe'],
    ['/repeated', 'commit_unknown', '1', 'Repeating this request is safe'],
  ] as const)('%s, %s: Retry-After %s', async (url, reason, retryAfter, words) => {
    outcome = () => {
      throw new Unavailable(reason);
    };
    const reply = await send('a=b', FORM, url);
    expect(reply.statusCode).toBe(503);
    expect(reply.headers['retry-after']).toBe(retryAfter);
    expect(reply.json()).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.stringContaining(words),
    });
    expect(lines().at(-1)).toMatchObject({ level: 50, msg: 'unavailable', reason });
  });

  it('answers 500 for a defect, and logs it', async () => {
    const defect = Object.assign(new RangeError('a value'), { code: 'x' });
    outcome = () => {
      throw defect;
    };
    const reply = await send('a=b');
    expect(reply.statusCode).toBe(500);
    expect(reply.json()).toEqual({ error: 'server_error' });
    expect(lines().at(-1)).toMatchObject({ level: 50, msg: 'failed', reason: 'x', err: { type: 'RangeError' } });
  });

  it('answers scripts through the hook that the endpoint names', async () => {
    const hooked: string[] = [];
    const endpoint = { url: '/hooked', mayBeRepeated: false };
    clientEndpoint(
      app,
      {
        ...endpoint,
        crossOrigin: (request, _, done) => {
          hooked.push(request.method);
          done();
        },
      },
      async () => outcome(),
    );
    await send('a=b', FORM, '/hooked');
    await app.inject({ method: 'OPTIONS', url: '/hooked' });
    expect(hooked).toEqual(['POST', 'OPTIONS']);
  });
});
