/** The client of the management API, with a transport that the test plays: each request, and each answer. */
import { describe, expect, it } from 'vitest';
import { managementClient, pageIn } from '../../../src/management/client/client.ts';
import type { Received, Sent } from '../../../src/management/client/transport.ts';

const received = (status: number, text = '', headers: Readonly<Record<string, string>> = {}): Received => ({
  status,
  text,
  header: (name) => headers[name] ?? null,
});

function bench(answer: Received = received(200, '{}')) {
  const sent: Sent[] = [];
  const { send } = managementClient(async (request) => {
    sent.push(request);
    return answer;
  });
  return { sent, send: send as unknown as (method: string, path: string, asked: object) => ReturnType<typeof send> };
}

const ACCEPT = { accept: 'application/json, application/problem+json' };

describe('a request', () => {
  it.each([
    ['GET', '/', {}, { path: '', headers: ACCEPT }],
    [
      'GET',
      '/clients/{client_id}',
      { params: { client_id: 'a/b?c' } },
      { path: '/clients/a%2Fb%3Fc', headers: ACCEPT },
    ],
    ['GET', '/clients/{client_id}', {}, { path: '/clients/', headers: ACCEPT }],
    [
      'GET',
      '/users',
      { query: { limit: 2, cursor: undefined, username: 'a b&c' } },
      { path: '/users?limit=2&username=a+b%26c', headers: ACCEPT },
    ],
    ['GET', '/users', { query: { cursor: undefined } }, { path: '/users', headers: ACCEPT }],
    [
      'POST',
      '/users',
      { body: { a: 1 }, idempotencyKey: 'key' },
      {
        path: '/users',
        headers: { ...ACCEPT, 'content-type': 'application/json', 'idempotency-key': '"key"' },
        body: '{"a":1}',
      },
    ],
    [
      'PATCH',
      '/users/{sub}',
      { params: { sub: 's' }, body: null, ifMatch: '"tag"' },
      {
        path: '/users/s',
        headers: { ...ACCEPT, 'content-type': 'application/merge-patch+json', 'if-match': '"tag"' },
        body: 'null',
      },
    ],
    ['DELETE', '/users/{sub}', { params: { sub: 's' }, ifMatch: null }, { path: '/users/s', headers: ACCEPT }],
  ])('%s %s with %j', async (method, path, asked, expected) => {
    const { sent, send } = bench();
    await send(method, path, asked);
    expect(sent).toStrictEqual([{ method, ...expected }]);
  });

  it.each(['.', '..'])('with a part %s, which URLs resolve, is not sent: nothing is there', async (part) => {
    const { sent, send } = bench();
    expect(await send('GET', '/clients/{client_id}', { params: { client_id: part } })).toStrictEqual({
      ok: false,
      problem: {
        status: 404,
        reason: 'not_found',
        title: 'Not found',
        detail: 'The resource was not found.',
        errors: [],
        missingScope: null,
      },
    });
    expect(sent).toEqual([]);
  });

  it.each(['...', '.a', 'a.'])('with a part %s is sent', async (part) => {
    const { sent, send } = bench();
    await send('GET', '/clients/{client_id}', { params: { client_id: part } });
    expect(sent).toMatchObject([{ path: `/clients/${part}` }]);
  });
});

describe('an answer', () => {
  it.each([
    [received(200, '{"a":1}', { etag: '"tag"' }), { status: 200, value: { a: 1 }, etag: '"tag"' }],
    [received(299, '[]'), { status: 299, value: [], etag: null }],
    [received(204), { status: 204, value: null, etag: null }],
  ])('is good: %#', async (answer, expected) => {
    expect(await bench(answer).send('GET', '/', {})).toStrictEqual({ ok: true, ...expected });
  });

  const type = (reason: string) => `https://as.test/management/v1/problems/${reason}`;
  const problem = { type: type('not_found'), title: 'Not found', detail: 'It is gone.' };
  const read = { reason: 'not_found', title: 'Not found', detail: 'It is gone.', errors: [], missingScope: null };
  const OTHER = { reason: 'not_the_api', detail: '', errors: [], missingScope: null };
  it.each([
    [received(404, JSON.stringify(problem)), { status: 404, ...read }],
    [received(199, JSON.stringify(problem)), { status: 199, ...read }],
    [received(300, JSON.stringify(problem)), { status: 300, ...read }],
    [
      received(
        400,
        JSON.stringify({
          ...problem,
          errors: [
            { field: 'a.0', detail: 'x' },
            { field: null, detail: 1 },
          ],
        }),
      ),
      {
        status: 400,
        ...read,
        errors: [
          { field: 'a.0', detail: 'x' },
          { field: null, detail: '1' },
        ],
      },
    ],
    [
      received(403, JSON.stringify(problem), { 'www-authenticate': 'Bearer error="x", scope="a b", realm="r"' }),
      { status: 403, ...read, missingScope: 'a b' },
    ],
    [
      received(403, JSON.stringify(problem), { 'www-authenticate': 'Bearer xscope="a"' }),
      { status: 403, ...read, missingScope: null },
    ],
    [received(200, 'no JSON'), { status: 200, title: 'The management API answered 200', ...OTHER }],
    [received(502, '<html>'), { status: 502, title: 'The management API answered 502', ...OTHER }],
    [received(502, 'null'), { status: 502, title: 'The management API answered 502', ...OTHER }],
    [received(404, JSON.stringify({ ...problem, detail: 1 })), { status: 404, title: 'Not found', ...OTHER }],
    [received(404, JSON.stringify({ ...problem, type: 1 })), { status: 404, title: 'Not found', ...OTHER }],
    [
      received(404, JSON.stringify({ ...problem, type: [type('not_found')] })),
      { status: 404, title: 'Not found', ...OTHER },
    ],
    [received(404, JSON.stringify({ ...problem, errors: 'none' })), { status: 404, ...read }],
    [
      received(403, JSON.stringify(problem), { 'www-authenticate': 'Bearer scope=""' }),
      { status: 403, ...read, missingScope: '' },
    ],
    [
      received(404, JSON.stringify({ ...problem, title: 1, type: `${type('not_found')}/x` })),
      { status: 404, title: 'The management API answered 404', ...OTHER },
    ],
    [
      received(404, JSON.stringify({ ...problem, type: 'https://as.test/problems/not_found' })),
      { status: 404, title: 'Not found', ...OTHER },
    ],
  ])('is a problem: %#', async (answer, expected) => {
    expect(await bench(answer).send('GET', '/', {})).toStrictEqual({ ok: false, problem: expected });
  });
});

it('a page has the cursor of its link', () => {
  expect(pageIn({ items: [1], _links: {} })).toStrictEqual({ items: [1], next: null });
  const next = { href: 'https://as.test/management/v1/users?limit=2&cursor=abc' };
  expect(pageIn({ items: [], _links: { next } })).toStrictEqual({ items: [], next: 'abc' });
});
