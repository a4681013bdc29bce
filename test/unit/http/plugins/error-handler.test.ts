/** Unhandled errors: a page for people, JSON for programs, a line for the operator; no stack and no value in an answer. */
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailable, Unavailable } from '../../../../src/engine/errors.ts';
import { errorHandler } from '../../../../src/http/error-handler.ts';
import { type BareApp, bareApp } from '../../../support/bare-app.ts';
import { wordsOf } from '../../../support/words.ts';

const thrownWith = (statusCode: number, code = 'FST_ERR_X') =>
  Object.assign(new Error('a value'), { statusCode, code });
const gone = (maybeCommitted: boolean) =>
  new StoreUnavailable(maybeCommitted, { code: '08006', cause: new Error('a value') });

describe('errors that no route handles', () => {
  let app: FastifyInstance;
  let lines: BareApp['lines'];
  let thrown: unknown;
  beforeEach(async () => {
    ({ app, lines } = await bareApp());
    await app.register(errorHandler);
    app.get('/', () => {
      throw thrown;
    });
  });
  afterEach(() => app.close());

  async function ask(accept: string | undefined, url = '/') {
    const {
      statusCode: status,
      headers,
      body,
    } = await app.inject({ url, headers: accept === undefined ? {} : { accept } });
    expect(headers['cache-control']).toBe('no-store');
    expect(body).not.toMatch(/a value|Error|\.ts/);
    return { status, type: headers['content-type'], retryAfter: headers['retry-after'], body };
  }

  it.each([
    {
      what: 'the database is away',
      error: new Unavailable('store_unavailable', { cause: gone(false) }),
      status: 503,
      retryAfter: '1',
      title: 'Not available right now',
      json: { error: 'temporarily_unavailable', error_description: expect.stringContaining('Nothing was changed') },
      line: { level: 50, msg: 'unavailable', reason: 'store_unavailable', code: '08006' },
    },
    {
      what: 'the database is away, as its store says it',
      error: gone(true),
      status: 503,
      retryAfter: '1',
      title: 'Not available right now',
      json: { error: 'temporarily_unavailable', error_description: expect.stringContaining('Nothing was changed') },
      line: { level: 50, msg: 'unavailable', reason: 'store_unavailable', code: '08006' },
    },
    {
      what: 'too many at once',
      error: new Unavailable('too_many_conflicts'),
      status: 503,
      retryAfter: '1',
      title: 'Not available right now',
      json: {
        error: 'temporarily_unavailable',
        error_description: expect.stringContaining('Too many concurrent requests'),
      },
      line: { level: 50, msg: 'unavailable', reason: 'too_many_conflicts' },
    },
    {
      what: 'the commit is unknown',
      error: new Unavailable('commit_unknown', { cause: gone(true) }),
      status: 503,
      retryAfter: undefined,
      title: 'The result is unknown',
      json: { error: 'temporarily_unavailable', error_description: expect.stringContaining('Do not repeat') },
      line: { level: 50, msg: 'unavailable', reason: 'commit_unknown', code: '08006' },
    },
    {
      what: 'a defect',
      error: new Error('a value'),
      status: 500,
      retryAfter: undefined,
      title: 'Something went wrong',
      json: { error: 'server_error' },
      line: { level: 50, msg: 'failed' },
    },
    ...[399, 500, 503].map((status) => ({
      what: `a defect that calls itself ${status}`,
      error: thrownWith(status),
      status: 500,
      retryAfter: undefined,
      title: 'Something went wrong',
      json: { error: 'server_error' },
      line: { level: 50, msg: 'failed', reason: 'FST_ERR_X' },
    })),
    ...[400, 415, 499].map((status) => ({
      what: `the sender's mistake, ${status}`,
      error: thrownWith(status),
      status,
      retryAfter: undefined,
      title: 'Invalid request',
      json: { error: 'invalid_request' },
      line: { level: 30, msg: 'refused', reason: 'FST_ERR_X' },
    })),
  ])('$what', async ({ error, status, retryAfter, title, json, line }) => {
    thrown = error;
    const page = await ask('text/html,application/xhtml+xml');
    expect(page).toMatchObject({ status, retryAfter, type: 'text/html; charset=utf-8' });
    expect(wordsOf(page.body)[0]).toBe(title);
    expect(lines().at(-1)).toMatchObject({ ...line, route: '/', status, err: expect.anything() });
    for (const accept of ['application/json', '*/*', undefined]) {
      const program = await ask(accept);
      expect(program).toMatchObject({ status, retryAfter, type: 'application/json; charset=utf-8' });
      expect(JSON.parse(program.body)).toEqual(json);
      expect(lines().at(-1)).toMatchObject({ ...line, route: '/', status, err: expect.anything() });
    }
  });

  it('an unknown route', async () => {
    const page = await ask('text/html', '/nothing?code=x');
    expect(page).toMatchObject({ status: 404, type: 'text/html; charset=utf-8' });
    expect(wordsOf(page.body)[0]).toBe('Page not found');
    const program = await ask('application/json', '/nothing?code=x');
    expect(program).toMatchObject({ status: 404, body: '{"error":"not_found"}' });
    for (const line of lines())
      expect(line).toMatchObject({
        level: 30,
        msg: 'refused',
        reason: 'no_such_route',
        route: 'no route',
        status: 404,
      });
    expect(lines()).toHaveLength(2);
  });

  it('a URL that cannot be decoded reaches no hook, and still has headers and a log line', async () => {
    for (const accept of ['text/html', 'application/json']) {
      const { statusCode, headers, body } = await app.inject({ url: '/%ff/a-value', headers: { accept } });
      expect(statusCode).toBe(400);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      if (accept === 'text/html') expect(wordsOf(body)[0]).toBe('Invalid request');
      else expect(body).toBe('{"error":"invalid_request"}');
      expect(lines().at(-1)).toMatchObject({ level: 30, msg: 'refused', method: 'GET', status: 400 });
      expect(lines().at(-1)?.['reason']).toMatch(/^FST_ERR_/);
    }
    expect(JSON.stringify(lines())).not.toContain('a-value');
  });

  it('an unforeseen failure of the database has a line of its own, once for each code and server', async () => {
    const unexpected = (code: string | null) => new StoreUnavailable(false, { code, isUnexpected: true });
    const reports = () => lines().filter(({ msg }) => msg === 'unexpected failure of the database');
    thrown = gone(false);
    await ask('text/html');
    expect(reports()).toEqual([]);
    for (const code of ['42703', '42703', null, null, '42P01', '42703']) {
      thrown = new Unavailable('store_unavailable', { cause: new Error('between', { cause: unexpected(code) }) });
      await ask('text/html');
      thrown = unexpected(code);
      await ask('application/json');
    }
    expect(reports()).toEqual(
      ['42703', 'none', '42P01'].map((code) => expect.objectContaining({ level: 50, code, err: expect.anything() })),
    );

    const other = await bareApp();
    await other.app.register(errorHandler);
    other.app.get('/', () => {
      throw unexpected('42703');
    });
    await other.app.inject('/');
    await other.app.close();
    expect(other.lines().filter(({ code, msg }) => code === '42703' && msg.startsWith('unexpected'))).toHaveLength(1);
  });

  it('an error that is thrown directly, without a cause or a code', async () => {
    for (const cause of [undefined, 'text', new Error('other')]) {
      thrown = new Unavailable('store_unavailable', { cause });
      expect(await ask('application/json')).toMatchObject({ status: 503, retryAfter: '1' });
      expect(lines().at(-1)).not.toHaveProperty('code');
    }
  });
});
