/** The endpoints for clients: the call of each use case, the answer, and the log line. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Unavailable } from '../../../../src/engine/errors.ts';
import { introspectionRoutes } from '../../../../src/http/introspection-routes.ts';
import { type RevocationRoutesOptions, revocationRoutes } from '../../../../src/http/revocation-routes.ts';
import { type TokenRoutesOptions, tokenRoutes } from '../../../../src/http/token-routes.ts';
import type { SentTokenDeps } from '../../../../src/protocol/sent-token.ts';
import { openRoutes } from '../../../support/use-cases.ts';

vi.mock('../../../../src/protocol/token-request.ts', async () => {
  const { useCase } = await import('../../../support/use-cases.ts');
  return { handleTokenRequest: useCase('token') };
});
vi.mock('../../../../src/protocol/revocation-request.ts', async () => {
  const { useCase } = await import('../../../support/use-cases.ts');
  return { handleRevocationRequest: useCase('revoke') };
});
vi.mock('../../../../src/protocol/introspection-request.ts', async () => {
  const { useCase } = await import('../../../support/use-cases.ts');
  return { handleIntrospectionRequest: useCase('introspect') };
});

const ORIGIN = 'https://photos.test';
const issued = (response: object) => ({
  outcome: { kind: 'issued', response },
  facts: { clientId: 'c', grantId: 'g' },
});

describe('the endpoints for clients', () => {
  let opened: Awaited<ReturnType<typeof openRoutes>>;
  beforeEach(async () => {
    const options = { isBrowserOrigin: async (origin: string) => origin === ORIGIN };
    opened = await openRoutes(async (app) => {
      await app.register(tokenRoutes, options as unknown as TokenRoutesOptions);
      await app.register(revocationRoutes, options as unknown as RevocationRoutesOptions);
      await app.register(introspectionRoutes, options as unknown as SentTokenDeps);
    });
    return () => opened.app.close();
  });
  const send = (outcome: unknown, url: string, headers: Readonly<Record<string, string>> = {}) =>
    opened.send(outcome, url, { body: 'a=%20&a', headers: { authorization: 'Basic x', ...headers } });

  it.each([
    {
      url: '/oauth/token',
      useCase: 'token',
      outcome: issued({ access_token: 'secret', scope: 'read' }),
      body: { access_token: 'secret', scope: 'read' },
      line: { msg: 'issued', clientId: 'c', grantId: 'g', scope: 'read' },
    },
    {
      url: '/oauth/revoke',
      useCase: 'revoke',
      outcome: { kind: 'done', facts: { clientId: 'c', grantId: 'g' } },
      body: {},
      line: { msg: 'revoked', clientId: 'c', grantId: 'g' },
    },
    {
      url: '/oauth/introspect',
      useCase: 'introspect',
      outcome: { kind: 'done', body: { active: true, sub: 'secret' }, facts: { clientId: 'c' } },
      body: { active: true, sub: 'secret' },
      line: { msg: 'introspected', clientId: 'c', active: true },
    },
  ])('$url: passes on client and body, answers, and logs no secret', async (one) => {
    const answer = await send(one.outcome, one.url);
    expect(answer).toMatchObject({ status: 200, cache: 'no-store', line: { level: 30, ...one.line } });
    expect(JSON.parse(answer.body)).toEqual(one.body);
    expect(JSON.stringify(answer.line)).not.toContain('secret');
    expect(answer.asked).toEqual([
      {
        useCase: one.useCase,
        given: [
          { authorization: 'Basic x', address: expect.any(Function), presenter: expect.any(Function) },
          'a=%20&a',
        ],
      },
    ]);
  });

  it.each([
    ['/oauth/token', { outcome: { kind: 'refused', reason: 'client_secret_mismatch' }, facts: { clientId: 'c' } }],
    [
      '/oauth/revoke',
      { kind: 'refused', refused: { kind: 'refused', reason: 'client_secret_mismatch' }, clientId: 'c' },
    ],
    [
      '/oauth/introspect',
      { kind: 'refused', refused: { kind: 'refused', reason: 'client_secret_mismatch' }, clientId: 'c' },
    ],
  ])('%s: rejected, with the client in the log', async (url, outcome) => {
    const { status, body, line } = await send(outcome, url);
    expect(status).toBe(401);
    expect(JSON.parse(body).error).toBe('invalid_client');
    expect(line).toMatchObject({ level: 30, msg: 'refused', reason: 'client_secret_mismatch', clientId: 'c' });
  });

  it.each([
    ['/oauth/token', ORIGIN, 'POST'],
    ['/oauth/revoke', ORIGIN, 'POST'],
    ['/oauth/introspect', undefined, undefined],
  ])('%s: readable for scripts of registered origins: %s', async (url, origin, methods) => {
    const { headers } = await send(issued({}), url, { origin: ORIGIN });
    expect(headers['access-control-allow-origin']).toBe(origin);
    const asks = { origin: ORIGIN, 'access-control-request-method': 'POST' };
    const preflight = await opened.send(null, url, { method: 'OPTIONS', headers: asks });
    expect(preflight.status).toBe(origin === undefined ? 405 : 204);
    expect(preflight.headers['access-control-allow-methods']).toBe(methods);
  });

  it.each([
    ['/oauth/token', undefined],
    ['/oauth/revoke', '1'],
    ['/oauth/introspect', '1'],
  ])('%s, with an unknown outcome: Retry-After %s', async (url, retryAfter) => {
    const { status, headers } = await send(new Unavailable('commit_unknown'), url);
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe(retryAfter);
  });
});
