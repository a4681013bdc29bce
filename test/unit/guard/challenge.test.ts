/** RFC 6750 §2 and §3: the presentation of a token, and the challenge for a request without one, or with a malformed one. */
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { GuardedRequest, Outcome } from '../../../src/guard/index.ts';
import { bearer, FAKE_METADATA, type FakeIssuer, fakeIssuer } from '../../support/fake-issuer.ts';

describe('the credentials of a request', () => {
  let issuer: FakeIssuer;
  let token: string;
  beforeEach(async () => {
    issuer = await fakeIssuer();
    token = await issuer.token();
  });
  const check = (request: unknown, scopes = ['read']) => issuer.guard().check(request as GuardedRequest, { scopes });
  const heading = (authorization: unknown, more: object = {}) => check({ headers: { authorization }, ...more });

  it.each([
    ['Bearer', (text: string) => heading(`Bearer ${text}`)],
    ['bearer, with more spaces', (text: string) => heading(`bearer   ${text}`)],
    ['a header in capitals', (text: string) => check({ headers: { AUTHORIZATION: `BEARER ${text}` } })],
    ['a header as a list', (text: string) => heading([`Bearer ${text}`])],
    ['the Request of Fetch', (text: string) => check(new Request('https://api.example/', bearer(text)))],
    ['a query that has something else', (text: string) => heading(`Bearer ${text}`, { url: '/?token=x&access=y' })],
  ])('are read: %s', async (_name, ask) => {
    expect(await ask(token)).toMatchObject({ kind: 'granted' });
  });

  it.each<[string, object]>([
    ['no header', { headers: {} }],
    ['a header that is undefined', { headers: { authorization: undefined } }],
    ['an empty list', { headers: { authorization: [] } }],
    ['the Request of Fetch without it', new Request('https://api.example/')],
    ['Basic', { headers: { authorization: 'Basic YTpi' } }],
    ['an empty header', { headers: { authorization: '' } }],
    ['a scheme that only begins so', { headers: { authorization: 'Bearertoken abc' } }],
    ['a token in the URL alone', { headers: {}, url: '/?access_token=abc' }],
  ])('are absent, so the answer has no error code: %s', async (_name, request) => {
    expect(await check(request)).toEqual({
      kind: 'refused',
      status: 401,
      error: null,
      reason: 'no_credentials',
      missing: [],
      headers: {
        'www-authenticate': `Bearer scope="read", resource_metadata="${FAKE_METADATA}"`,
        'cache-control': 'no-store',
        vary: 'Authorization',
      },
      body: {},
    });
    expect(issuer.asked).toEqual([]);
  });

  it.each<[string, (token: string) => Promise<Outcome>, string]>([
    ['Bearer without a token', () => heading('Bearer'), 'malformed_credentials'],
    ['Bearer and a space', () => heading('Bearer '), 'malformed_credentials'],
    ['two words', () => heading('Bearer a b'), 'malformed_credentials'],
    ['a character that no token has', () => heading('Bearer a"b'), 'malformed_credentials'],
    ['a line end', (text) => heading(`Bearer ${text}\n`), 'malformed_credentials'],
    ['two headers in one', (text) => heading(`Bearer ${text}, Bearer ${text}`), 'malformed_credentials'],
    ['two headers', (text) => heading([`Bearer ${text}`, `Bearer ${text}`]), 'more_than_one_method'],
    [
      'two spellings',
      (text) => check({ headers: { authorization: `Bearer ${text}`, Authorization: 'Basic x' } }),
      'more_than_one_method',
    ],
    [
      'two headers, of which Node shows the first',
      (text) =>
        heading(`Bearer ${text}`, { rawHeaders: ['Authorization', `Bearer ${text}`, 'authorization', 'Basic x'] }),
      'more_than_one_method',
    ],
    [
      'the URL too',
      (text) => heading(`Bearer ${text}`, { url: '/photos?a=b&access_token=abc' }),
      'more_than_one_method',
    ],
    ['the URL too, encoded', (text) => heading(`Bearer ${text}`, { url: '/?access%5Ftoken=' }), 'more_than_one_method'],
  ])('are malformed: %s', async (_name, ask, reason) => {
    const outcome = await ask(token);
    expect(outcome).toMatchObject({ kind: 'refused', status: 400, error: 'invalid_request', reason });
    expect(outcome.headers['www-authenticate']).toMatch(
      /^Bearer error="invalid_request", error_description="[^"\\]+", /,
    );
    expect(issuer.asked).toEqual([]);
  });

  it('depend on the names of the headers, not on their values', async () => {
    const rawHeaders = ['x-a', 'authorization', 'Authorization', `Bearer ${token}`, 'x-b', 'authorization'];
    expect(await heading(`Bearer ${token}`, { rawHeaders })).toMatchObject({ kind: 'granted' });
  });

  it('are read from the requests of Node directly, including a repeated header', async () => {
    const guard = issuer.guard();
    const server = createServer(async (request, response) => {
      const { headers, ...outcome } = await guard.check(request, { scopes: ['read'] });
      response.writeHead(outcome.kind === 'granted' ? 200 : outcome.status, headers).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const statusOf = (headers: string[]) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () =>
          socket.write([`GET / HTTP/1.1`, 'host: a', 'connection: close', ...headers, '', ''].join('\r\n')),
        );
        let text = '';
        socket.on('data', (part) => {
          text += part;
        });
        socket.on('end', () => resolve(text.split(' ')[1] ?? ''));
        socket.on('error', reject);
      });
    expect(await statusOf([`authorization: Bearer ${token}`])).toBe('200');
    expect(await statusOf([`authorization: Bearer ${token}`, 'authorization: Bearer other'])).toBe('400');
    expect(await statusOf([])).toBe('401');
  });

  it('names all scopes of a request, and the metadata only where it has a URL', async () => {
    const asked = async (resource: string) => {
      const guard = issuer.guard({ resource });
      return (await guard.check({ headers: {} }, { scopes: ['read', 'write'] })).headers['www-authenticate'];
    };
    expect(await asked('urn:example:photos')).toBe('Bearer scope="read write"');
    const none = await issuer.guard({ resource: 'urn:example:photos' }).check({ headers: {} }, { scopes: [] });
    expect(none.headers['www-authenticate']).toBe('Bearer');
  });

  it.each([
    ['no request', undefined, { scopes: [] }],
    ['null', null, { scopes: [] }],
    ['no headers', {}, { scopes: [] }],
    ['no needs', { headers: {} }, undefined],
    ['no scopes', { headers: {} }, {}],
    ['scopes as one text', { headers: {} }, { scopes: 'read' }],
    ['a scope that breaks the challenge', { headers: {} }, { scopes: ['a" b'] }],
    ['introspection without a configuration', { headers: {} }, { scopes: [], introspect: true }],
  ])('reject every request, and throw nothing, where the program is wrong: %s', async (_name, request, needs) => {
    const outcome = await issuer.guard().check(request as never, needs as never);
    expect(outcome).toMatchObject({ kind: 'unavailable', status: 503, reason: 'internal' });
    expect(outcome.headers).toEqual({ 'retry-after': '5', 'cache-control': 'no-store', vary: 'Authorization' });
  });
});
