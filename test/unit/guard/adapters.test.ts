/** The entry points for frameworks, beyond their common contract (frameworks.test.ts). */
import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type ExecutionContext, HttpException } from '@nestjs/common';
import { Hono } from 'hono';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sharedAttempt } from '../../../src/guard/attempt.ts';
import { expressGuard } from '../../../src/guard/express.ts';
import { fetchGuard } from '../../../src/guard/fetch.ts';
import { honoGuard } from '../../../src/guard/hono.ts';
import { lambdaGuard } from '../../../src/guard/lambda.ts';
import { authInfoOf, mcpGuard } from '../../../src/guard/mcp.ts';
import { Caller, nestGuard } from '../../../src/guard/nestjs.ts';
import { upgradeGuard } from '../../../src/guard/websocket.ts';
import { proofKey, proofOf } from '../../support/dpop.ts';
import { type FakeIssuer, fakeIssuer } from '../../support/fake-issuer.ts';
import { EVENTS } from '../../support/guarded-apis.ts';

const READ = { scopes: ['read'] };
const GET = { method: 'GET', path: '/photos' } as const;

let issuer: FakeIssuer;
let authorization: string;
beforeEach(async () => {
  issuer = await fakeIssuer();
  authorization = `Bearer ${await issuer.token()}`;
});

it.each<[string, (guard: ReturnType<FakeIssuer['guard']>, needs: typeof READ) => unknown]>([
  ['Express', (guard, needs) => expressGuard(guard).requires(needs)],
  ['the Fetch API', (guard, needs) => fetchGuard(guard).requires(needs, () => new Response())],
  ['Hono', (guard, needs) => honoGuard(guard).requires(needs)],
  ['NestJS', (guard, needs) => nestGuard(guard).Requires(needs)],
  ['Lambda', (guard, needs) => lambdaGuard(guard).requires(needs, async () => ({ statusCode: 200 }))],
  ['a Lambda authorizer', (guard, needs) => lambdaGuard(guard).authorizer(needs)],
  ['WebSockets', (guard, needs) => upgradeGuard(guard).requires(needs, () => undefined)],
  ['MCP', (guard, needs) => mcpGuard(guard, needs)],
  ['a tool of MCP', (guard, needs) => mcpGuard(guard, { scopes: ['read'], tools: { add: needs.scopes } })],
])('%s does not start with a scope that the API does not have', (_name, declare) => {
  const guard = issuer.guard({ scopes: ['read'] });
  expect(() => declare(guard, { scopes: ['wrte'] })).toThrow(/the scopes of this API are read; found: wrte/);
  expect(() => declare(guard, READ)).not.toThrow();
});

it('Hono: the metadata answer HEAD as GET, without a body', async () => {
  const guard = issuer.guard({});
  const app = new Hono();
  app.use(honoGuard(guard).metadata);
  const [got, head, posted] = await Promise.all(
    ['GET', 'HEAD', 'POST'].map((method) => app.request(String(guard.metadata.path), { method })),
  );
  expect(await got?.json()).toEqual(guard.metadata.document);
  expect(head?.status).toBe(200);
  expect(head?.headers).toEqual(got?.headers);
  expect(await head?.text()).toBe('');
  expect(posted?.status).toBe(404);
});

it.each([
  ['Express', (guard: ReturnType<FakeIssuer['guard']>) => expressGuard(guard).requires(READ)],
  ['MCP', (guard: ReturnType<FakeIssuer['guard']>) => mcpGuard(guard, READ).protect],
])('%s: a response that a time limit of the API sent during the check stays', async (_name, protectedBy) => {
  for (const sent of [authorization, undefined]) {
    const fails = () => {
      throw new Error('ERR_HTTP_HEADERS_SENT');
    };
    const response = {
      statusCode: 503,
      headersSent: true,
      locals: {},
      getHeader: vi.fn(),
      setHeader: fails,
      end: fails,
    };
    const request = { headers: { authorization: sent }, method: 'GET' };
    const next = vi.fn();
    await protectedBy(issuer.guard())(request as never, response as never, next);
    expect([response.statusCode, next.mock.calls]).toEqual([503, []]);
  }
});

describe('a handler of the Fetch API', () => {
  const asked = () => new Request('https://api.example/photos', { headers: { authorization } });

  it('gets the further arguments of its framework after the caller', async () => {
    const { requires } = fetchGuard(issuer.guard());
    const seen: unknown[] = [];
    const handler = requires(READ, (request, access, context: { readonly params: object }) => {
      seen.push(request.url, access.subject, context);
      return new Response();
    });
    await handler(asked(), { params: { id: '1' } });
    expect(seen).toEqual(['https://api.example/photos', 'ada', { params: { id: '1' } }]);
  });

  it('may return a response with immutable headers, and keeps its cookies', async () => {
    const { requires } = fetchGuard(issuer.guard());
    const { status, headers } = await requires(READ, () => Response.redirect('https://api.example/', 303))(asked());
    expect([status, headers.get('location'), headers.get('vary')]).toEqual([
      303,
      'https://api.example/',
      'Authorization',
    ]);
    const cookies = [
      ['set-cookie', 'a=b'],
      ['set-cookie', 'c=d'],
    ] as [string, string][];
    const answered = await requires(READ, () => new Response(null, { status: 204, headers: cookies }))(asked());
    expect([answered.status, answered.headers.getSetCookie()]).toEqual([204, ['a=b', 'c=d']]);
  });

  it('may return a WebSocket, which is not copied', async () => {
    const upgraded = { status: 101 } as Response;
    expect(await fetchGuard(issuer.guard()).requires(READ, () => upgraded)(asked())).toBe(upgraded);
  });
});

describe('NestJS', () => {
  class Photos {
    list() {}
    open() {}
  }
  const contextOf = (name: keyof Photos, { type = 'http', headers = {} as object } = {}) => {
    const set: Record<string, string> = {};
    const request: Record<string, unknown> = { headers };
    const response = { getHeader: () => undefined, header: (key: string, value: string) => (set[key] = value) };
    const context = {
      getClass: () => Photos,
      getHandler: () => Photos.prototype[name],
      getType: () => type,
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => response }),
    } as unknown as ExecutionContext;
    return { context, request, set };
  };
  const declaredOn = (name: keyof Photos) =>
    [Photos.prototype, name, Object.getOwnPropertyDescriptor(Photos.prototype, name)] as const;

  it('fails for a route that declares nothing', async () => {
    const { everyRoute, Public } = nestGuard(issuer.guard());
    Public()(...declaredOn('open'));
    expect(await everyRoute.canActivate(contextOf('open').context)).toBe(true);
    const { context } = contextOf('list', { headers: { authorization } });
    await expect(everyRoute.canActivate(context)).rejects.toThrow('Photos.list: say what it takes');
    // Express sends an exception without a status of HTTP as 500.
    await expect(everyRoute.canActivate(context)).rejects.not.toBeInstanceOf(HttpException);
  });

  it('prefers the declaration of the method to that of the controller', async () => {
    const { everyRoute, Public, Requires } = nestGuard(issuer.guard());
    Public()(Photos);
    Requires(READ)(...declaredOn('list'));
    expect(await everyRoute.canActivate(contextOf('open').context)).toBe(true);
    await expect(everyRoute.canActivate(contextOf('list').context)).rejects.toMatchObject({ status: 401 });
  });

  it('keeps the declarations of two guards apart', async () => {
    nestGuard(issuer.guard()).Public()(Photos);
    await expect(nestGuard(issuer.guard()).everyRoute.canActivate(contextOf('open').context)).rejects.toThrow(
      /say what/,
    );
  });

  it('refuses messages that are no HTTP requests', async () => {
    const { everyRoute, Requires } = nestGuard(issuer.guard());
    Requires(READ)(Photos);
    const { context } = contextOf('list', { type: 'ws', headers: { authorization } });
    await expect(everyRoute.canActivate(context)).rejects.toThrow(/HTTP requests alone/);
  });

  it('reads the request of Node behind that of Fastify', async () => {
    const { everyRoute, Requires } = nestGuard(issuer.guard());
    Requires(READ)(Photos);
    const other = contextOf('list', { headers: { authorization } });
    other.request['raw'] = { headers: {} };
    await expect(everyRoute.canActivate(other.context)).rejects.toMatchObject({ status: 401 });
    expect(other.set['www-authenticate']).toMatch(/^Bearer scope="read"/);
    const { context, request, set } = contextOf('list');
    request['raw'] = { headers: { authorization } };
    expect(await everyRoute.canActivate(context)).toBe(true);
    expect(request['access']).toMatchObject({ subject: 'ada' });
    expect(set).toEqual({ 'cache-control': 'no-store', vary: 'Authorization' });
  });

  it('has a decorator for the caller', () => {
    const target = class {};
    Caller()(target.prototype, 'list', 0);
    const [parameter] = Object.values(Reflect.getMetadata('__routeArguments__', target, 'list')) as {
      factory: (data: unknown, context: ExecutionContext) => unknown;
    }[];
    const { context, request } = contextOf('list');
    request['access'] = 'the caller';
    expect(parameter?.factory(undefined, context)).toBe('the caller');
  });
});

describe('a Lambda authorizer', () => {
  const asked = (headers: readonly string[] = [authorization]) => ({ ...GET, authorization: headers });
  const authorizer = (scopes = ['read']) => lambdaGuard(issuer.guard()).authorizer({ scopes });
  const CALLER = { subject: 'ada', clientId: 'photo-book', scopes: 'read' };
  const ARN = 'arn:aws:execute-api:eu-central-1:1:a/test/GET/photos';
  const policyOf = (Effect: string) => ({
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect, Resource: ARN }],
  });

  it('answers events 1.0 with a policy', async () => {
    const event = EVENTS['1.0'](asked());
    expect(await authorizer()(event)).toEqual({
      principalId: 'ada',
      policyDocument: policyOf('Allow'),
      context: CALLER,
    });
    expect(await authorizer(['write'])(event)).toMatchObject({ policyDocument: policyOf('Deny'), context: {} });
  });

  it('answers events 2.0 with a simple response', async () => {
    const event = EVENTS['2.0'](asked());
    expect(await authorizer()(event)).toEqual({ isAuthorized: true, context: CALLER });
    expect(await authorizer(['write'])(event)).toEqual({ isAuthorized: false, context: {} });
  });

  it('reads the token of an authorizer of the type TOKEN', async () => {
    const event = { type: 'TOKEN', authorizationToken: authorization, methodArn: ARN };
    expect(await authorizer()(event)).toMatchObject({ policyDocument: policyOf('Allow') });
    await expect(authorizer()({ ...event, authorizationToken: 'Bearer a.b.c' })).rejects.toThrow(/^Unauthorized$/);
  });

  it.each([
    ['no token', []],
    ['a bad token', ['Bearer a.b.c']],
    ['two tokens', ['Bearer a', 'Bearer b']],
  ])('makes API Gateway answer 401 to %s', async (_name, headers) => {
    for (const version of ['1.0', '2.0'] as const)
      await expect(authorizer()(EVENTS[version](asked(headers)))).rejects.toThrow(/^Unauthorized$/);
  });

  it('makes API Gateway answer 500 when the keys are unavailable', async () => {
    issuer.answers.keys = () => new Response('', { status: 500 });
    await expect(authorizer()(EVENTS['2.0'](asked()))).rejects.toThrow(/cannot check access tokens/);
  });
});

it('reads an event of Lambda without headers', async () => {
  const handler = lambdaGuard(issuer.guard()).requires(READ, async () => ({ statusCode: 200 }));
  for (const event of [{}, { headers: null, multiValueHeaders: null, queryStringParameters: null }])
    expect(await handler(event)).toMatchObject({ statusCode: 401 });
});

it.each([
  ['a REST API with a stage', { path: '/photos', requestContext: { path: '/prod/photos' } }, '/prod/photos'],
  ['a REST API on its own domain', { path: '/v1/photos', requestContext: { path: '/v1/photos' } }, '/v1/photos'],
  ['an HTTP API', { rawPath: '/prod/photos', requestContext: { http: { method: 'GET' } } }, '/prod/photos'],
])('checks a DPoP proof at Lambda for the URL that the client requested: %s', async (_name, place, path) => {
  const key = await proofKey();
  const accessToken = await issuer.token({ claims: { cnf: { jkt: key.jkt } } });
  const handler = lambdaGuard(issuer.guard({ dpop: {} })).requires(READ, async () => ({ statusCode: 200 }));
  const asked = (url: string) => {
    const dpop = proofOf(key, { method: 'GET', url, now: issuer.clock.now(), accessToken });
    return handler({ httpMethod: 'GET', ...place, headers: { authorization: `DPoP ${accessToken}`, dpop } });
  };
  expect(await asked(`https://api.example${path}`)).toMatchObject({ statusCode: 200 });
  expect(await asked('https://api.example/other')).toMatchObject({ statusCode: 401 });
});

describe('the upgrade of a WebSocket', () => {
  const socketOf = () => Object.assign(new EventEmitter(), { destroyed: false, end: vi.fn(), destroy: vi.fn() });
  const upgraded = (accept = vi.fn()) => ({ accept, listener: upgradeGuard(issuer.guard()).requires(READ, accept) });

  it('survives a connection that breaks during the check, and accepts it no more', async () => {
    const { accept, listener } = upgraded();
    const socket = socketOf();
    const checked = listener({ headers: { authorization } }, socket, Buffer.of());
    socket.destroyed = true;
    socket.emit('error', new Error('ECONNRESET'));
    await checked;
    expect(accept).not.toHaveBeenCalled();
    expect(socket.end).not.toHaveBeenCalled();
  });

  it('leaves no listener on an accepted socket', async () => {
    const { accept, listener } = upgraded();
    const [socket, request, head] = [socketOf(), { headers: { authorization } }, Buffer.of(1)];
    await listener(request, socket, head);
    expect(accept).toHaveBeenCalledExactlyOnceWith(request, socket, head, expect.objectContaining({ subject: 'ada' }));
    expect(socket.listenerCount('error')).toBe(0);
  });

  it('closes a refused connection', async () => {
    const { accept, listener } = upgraded();
    const socket = socketOf();
    await listener({ headers: {} }, socket, Buffer.of());
    expect(accept).not.toHaveBeenCalled();
    expect(String(socket.end.mock.calls[0]?.[0])).toMatch(/^HTTP\/1\.1 401 \r\n[\s\S]*connection: close\r\n\r\n\{\}$/);
    // A connection that breaks while the response is sent.
    expect(() => socket.emit('error', new Error('EPIPE'))).not.toThrow();
    expect(socket.destroy).not.toHaveBeenCalled();
    socket.emit('finish');
    expect(socket.destroy).toHaveBeenCalledOnce();
  });

  it('keeps no refused connection whose client stays', async () => {
    const server = createServer();
    onTestFinished(() => void server.close());
    server.on('upgrade', upgraded().listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void client.destroy());
    const ends = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)));
    client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    client.resume();
    await ends;
  });
});

describe('the guard of an MCP server', () => {
  const call = (name: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const tools = { add_photo: ['write'], forget: ['write', 'admin'] };

  const asked = async (body: unknown, { method = 'POST', needs = { ...READ, tools } as typeof READ } = {}) => {
    const response = { statusCode: 200, getHeader: () => undefined, setHeader: vi.fn(), end: vi.fn() };
    const next = vi.fn();
    const request = { headers: { authorization }, method, body, auth: undefined as never };
    await mcpGuard(issuer.guard(), needs).protect(request, response, next);
    expect(next).toHaveBeenCalledTimes(response.statusCode === 200 ? 1 : 0);
    const challenge = new Map(response.setHeader.mock.calls as [string, string][]).get('www-authenticate');
    return { status: response.statusCode, scope: /scope="([^"]*)"/.exec(challenge ?? '')?.[1], auth: request.auth };
  };

  it.each<[string, unknown, string | undefined]>([
    ['a list of tools', list, undefined],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, undefined],
    ['a tool without further scopes', call('list_photos'), undefined],
    ['a tool with a further scope', call('add_photo'), 'read write'],
    ['a tool with two', call('forget'), 'read write admin'],
    ['a batch with such a tool', [list, call('list_photos'), call('add_photo')], 'read write'],
    ['a batch without', [list, call('list_photos')], undefined],
    ['a tool named like a property of objects', call('constructor'), undefined],
    ['a tool without a name', { jsonrpc: '2.0', id: 1, method: 'tools/call' }, undefined],
    ['no parsed body', undefined, 'read write admin'],
    ['an empty body', {}, 'read write admin'],
    ['a text', JSON.stringify(call('add_photo')), 'read write admin'],
    ['a batch within a batch', [[call('add_photo')]], 'read write admin'],
    ['a batch with an unreadable message', [list, null], 'read write admin'],
  ])('requires the scopes of %s', async (_name, body, scope) => {
    expect(await asked(body)).toMatchObject({ status: scope === undefined ? 200 : 403, scope });
  });

  it('requires no parsed body for other methods, or without scopes of tools', async () => {
    expect((await asked(undefined, { method: 'GET' })).status).toBe(200);
    expect((await asked(undefined, { method: 'DELETE' })).status).toBe(200);
    expect((await asked(undefined, { needs: READ })).status).toBe(200);
  });

  it('gives tools the caller, and no token', async () => {
    const { auth } = await asked(list);
    const access = { subject: 'ada', clientId: 'photo-book', scopes: ['read'] };
    const expiresAt = Math.floor(issuer.clock.now().getTime() / 1000) + 900;
    expect(auth).toEqual({
      ...{ token: '', clientId: 'photo-book', scopes: ['read'], expiresAt },
      extra: { access: expect.objectContaining(access) },
    });
    expect(JSON.stringify(auth)).not.toContain(authorization.slice(7));
  });

  it('has the same form for handlers of the Fetch API', async () => {
    const outcome = await issuer.guard().check({ headers: { authorization } }, READ);
    if (outcome.kind !== 'granted') throw new Error(outcome.reason);
    expect(authInfoOf(outcome.access)).toEqual((await asked(list)).auth);
  });
});

describe('an attempt that callers share', () => {
  it('begins once for all that need it at the same time, and again afterwards', async () => {
    const results = [1, 2];
    const attempt = sharedAttempt(async () => results.shift());
    expect(attempt.isRunning()).toBe(false);
    const both = [attempt.run(), attempt.run()];
    expect(attempt.isRunning()).toBe(true);
    expect(await Promise.all(both)).toEqual([1, 1]);
    expect(attempt.isRunning()).toBe(false);
    expect(await attempt.run()).toBe(2);
  });

  it.each(['WebSocketPair', 'EdgeRuntime'])('is not shared between requests where %s is global', async (name) => {
    vi.stubGlobal(name, 'vercel');
    onTestFinished(() => void vi.unstubAllGlobals());
    let begun = 0;
    // The first request was cancelled: its promise never settles.
    const attempt = sharedAttempt(() => (begun++ === 0 ? new Promise(() => {}) : Promise.resolve('done')));
    void attempt.run();
    expect(attempt.isRunning()).toBe(false);
    expect(await attempt.run()).toBe('done');
  });
});

it('finds the keys in a runtime that cancelled the request which asked for them', async () => {
  vi.stubGlobal('WebSocketPair', class {});
  onTestFinished(() => void vi.unstubAllGlobals());
  const guard = issuer.guard({ keys: { timeoutMilliseconds: 60_000 } });
  const { metadata } = issuer.answers;
  issuer.answers.metadata = () => new Promise(() => {});
  void guard.check({ headers: { authorization } }, READ);
  issuer.answers.metadata = metadata;
  // The wait between two attempts.
  issuer.clock.advanceSeconds(10);
  expect(await guard.check({ headers: { authorization } }, READ)).toMatchObject({ kind: 'granted' });
});
