/** Requests that reach no route of the API are refused with its problems, and others with pages or JSON as before. */
import { connect } from 'node:net';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Limits, SHIPPED_LIMITS } from '../../../policies/limits-schema.ts';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { anyDatabase } from '../../support/database.ts';
import { callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const PROBLEM = expect.stringContaining('application/problem+json');

describe.each(['https://as.test', 'https://as.test/tenant'])('the management API of %s', (issuer) => {
  let scene: Scene;
  let limits: Limits = SHIPPED_LIMITS;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { issuer, configuration: withBot(), reloaded: () => ({ limits }) });
    await makeBot(scene);
  });
  afterAll(() => scene.close());

  const base = new URL(issuer).pathname.replace(/\/$/, '');
  const api = `${base}/management/v1`;
  const problemOf = (answer: LightMyRequestResponse) => [
    answer.statusCode,
    answer.headers['content-type'],
    answer.json().type.replace(`${issuer}/management/v1/problems/`, ''),
  ];
  const get = (url: string, headers = {}) => scene.app.inject({ url, headers });

  it.each(['/users/%ff', '/users/%', '/%c3%28', '/clients/a%zz/secrets', '/users/%ff?q=x'])(
    'refuses the undecodable path %s',
    async (path) => {
      for (const headers of [{}, { accept: 'text/html' }, { authorization: `Bearer ${'x'.repeat(9000)}` }]) {
        const answer = await get(`${api}${path}`, headers);
        expect(problemOf(answer)).toEqual([400, PROBLEM, 'invalid_request']);
        expect(answer.json().detail).toMatch(/^The path cannot be decoded\./);
        expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
      }
      expect(problemOf(await get(`https://as.test${api}${path}`))).toEqual([400, PROBLEM, 'invalid_request']);
    },
  );

  it('leaves undecodable paths of other parts of the server to them', async () => {
    for (const path of [`${api}%ff`, `${api}0/%ff`, `${base}/management/%ff`, '/%ff', `/other${api}/%ff`]) {
      const json = await get(path);
      expect([path, json.statusCode, json.body]).toEqual([path, 400, '{"error":"invalid_request"}']);
      const page = await get(path, { accept: 'text/html' });
      expect([path, page.statusCode, page.headers['content-type']]).toEqual([path, 400, 'text/html; charset=utf-8']);
    }
  });

  it('refuses unknown methods with 405, and unknown paths with 404', async () => {
    for (const method of ['PROPFIND', 'M-SEARCH', 'QUERY', 'TRACE']) {
      const answer = await scene.app.inject({ method: method as 'GET', url: `${api}/users` });
      expect([method, ...problemOf(answer)]).toEqual([method, 405, PROBLEM, 'method_not_allowed']);
      expect(answer.headers.allow).toBe('GET, POST, HEAD, OPTIONS');
      // Fastify refuses a QUERY without a body before it looks for the path.
      if (method === 'QUERY') continue;
      const nowhere = await scene.app.inject({ method: method as 'GET', url: `${api}/nothing` });
      expect([method, ...problemOf(nowhere)]).toEqual([method, 404, PROBLEM, 'not_found']);
    }
    for (const path of ['/nothing', '/users/', '/%75sers', '/users/a%2fb'])
      expect([path, ...problemOf(await get(`${api}${path}`))]).toEqual([path, 404, PROBLEM, 'not_found']);
  });

  it('leaves malformed HTTP to the HTTP server', async () => {
    const { port } = new URL(await scene.app.listen({ host: '127.0.0.1', port: 0 }));
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1');
      let text = '';
      socket.on('data', (bytes) => {
        text += bytes;
      });
      socket.on('close', () => resolve(text)).on('error', reject);
      socket.write(`NOT-A-METHOD ${api}/users HTTP/1.1\r\nhost: as.test\r\n\r\n`);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });

  it('refuses an operation of a batch whose path cannot be decoded, with its outcome', async () => {
    const call = callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES));
    const operations = [{ method: 'DELETE', path: '/users/%ff' }];
    const answer = await call('POST', `${api}/batches`, { body: { operations } });
    const [outcome] = answer.json().outcomes;
    expect([answer.statusCode, outcome.status]).toEqual([200, 400]);
    expect(outcome.body.type).toBe(`${issuer}/management/v1/problems/invalid_request`);
  });

  it('refuses requests of an overloaded node', async () => {
    limits = { ...SHIPPED_LIMITS, requestsInProgress: 0 };
    const answers = [await get(`${api}/users`), await get(`${api}/users`, { accept: 'text/html' })];
    const other = await scene.app.inject({ method: 'POST', url: `${base}/oauth/token`, payload: 'a=b' });
    limits = SHIPPED_LIMITS;
    for (const answer of answers) {
      expect(problemOf(answer)).toEqual([503, PROBLEM, 'temporarily_unavailable']);
      expect(answer.headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' });
    }
    expect([other.statusCode, other.json().error]).toEqual([503, 'temporarily_unavailable']);
  });
});
