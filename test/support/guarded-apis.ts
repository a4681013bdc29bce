/** One API in each framework, behind the guard: GET /photos needs `read`, POST /photos needs `read` and `write`. */
import 'reflect-metadata';
import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Controller, Get, Module, Post, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import { Hono } from 'hono';
import { type WebSocket, WebSocketServer } from 'ws';
import { expressGuard } from '../../src/guard/express.ts';
import { type FastifyGuardOptions, fastifyGuard } from '../../src/guard/fastify.ts';
import { fetchGuard } from '../../src/guard/fetch.ts';
import { honoGuard } from '../../src/guard/hono.ts';
import { type Access, createGuard, type GuardOptions } from '../../src/guard/index.ts';
import { type AuthorizerEvent, type LambdaResult, lambdaGuard } from '../../src/guard/lambda.ts';
import { mcpGuard } from '../../src/guard/mcp.ts';
import { nestGuard } from '../../src/guard/nestjs.ts';
import { upgradeGuard } from '../../src/guard/websocket.ts';

export type Asked = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Each is a header of its own. */
  readonly authorization?: readonly string[];
  readonly dpop?: readonly string[];
};
export type Answered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
};
export type GuardedApi = { readonly ask: (asked: Asked) => Promise<Answered>; readonly close: () => Promise<unknown> };
type Opener = (options: GuardOptions) => Promise<GuardedApi>;

const READ = { scopes: ['read'] };
const WRITE = { scopes: ['read', 'write'] };
/** The own headers of the API, which the guard keeps and extends. */
const OWN_HEADERS = { 'cache-control': 'private', vary: 'Accept' };
const shown = ({ subject, scopes }: Access) => ({ subject, scopes });

/** As a client sends it, with each header that it lists. */
const asks =
  (port: number, more: readonly string[] = []) =>
  ({ method, path, authorization = [], dpop = [] }: Asked): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const tokens = authorization.flatMap((one) => ['authorization', one]);
      const proofs = dpop.flatMap((one) => ['dpop', one]);
      const headers = ['host', 'localhost', 'content-length', '0', ...tokens, ...proofs, ...more];
      const asking = request({ port, host: '127.0.0.1', method, path, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const { statusCode: status = 0, headers: got } = response;
          resolve({ status, headers: got, body: Buffer.concat(parts).toString() });
        });
      });
      // A WebSocket sends one frame, shorter than 126 octets.
      asking.on('upgrade', ({ statusCode: status = 0, headers: got }, socket, head) => {
        const read = (frame: Buffer) => {
          socket.destroy();
          resolve({ status, headers: got, body: frame.subarray(2, 2 + (frame[1] ?? 0)).toString() });
        };
        if (head.length > 0) read(head);
        else socket.once('data', read);
        // Accepted, and closed without a frame.
        socket.once('close', () => resolve({ status, headers: got, body: '' }));
      });
      asking.on('error', reject);
      asking.end();
    });

async function listening(listener: RequestListener): Promise<GuardedApi & { server: ReturnType<typeof createServer> }> {
  const server = createServer(listener);
  // Also those that became WebSockets, which the server no longer counts as its own.
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    for (const socket of open) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  return { server, ask: asks((server.address() as AddressInfo).port), close };
}

const onExpress =
  (create: () => express.Express): Opener =>
  async (options) => {
    const { requires, metadata } = expressGuard(createGuard(options));
    const app = create();
    app.use(metadata);
    app.get('/photos', requires(READ), (_request, response) => void response.json(shown(response.locals.access)));
    app.get(
      '/own',
      requires(READ),
      (_request, response) => void response.set('cache-control', 'private').vary('Accept').json({}),
    );
    const router = express.Router();
    router.post('/', requires(WRITE), (_request, response) => void response.json(shown(response.locals.access)));
    app.use('/photos', router);
    return listening(app);
  };

const onFastify: Opener = async (options) => {
  const app = fastify();
  await app.register(fastifyGuard, options as FastifyGuardOptions);
  const answer = async ({ access }: { access: Access | null }) => access && shown(access);
  app.get('/photos', { config: READ }, answer);
  app.get('/own', { config: READ }, (_request, reply) => reply.headers(OWN_HEADERS).send({}));
  app.post('/photos', { config: WRITE }, answer);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { ask: asks((app.server.address() as AddressInfo).port), close: () => app.close() };
};

/** Node's server in front of a handler of the Fetch API, as each of its runtimes has one. */
const onFetch = (handler: (request: Request) => Response | Promise<Response>) =>
  listening(async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const headers = new Headers();
    for (let at = 0; at < incoming.rawHeaders.length; at += 2)
      headers.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '');
    const method = incoming.method ?? 'GET';
    const response = await handler(new Request(`http://localhost${incoming.url}`, { method, headers }));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(await response.text());
  });

const onHandlers: Opener = async (options) => {
  const guard = createGuard(options);
  const { requires, metadata } = fetchGuard(guard);
  const answer = (_request: Request, access: Access) => Response.json(shown(access));
  const routes = new Map<string, (asked: Request) => Response | Promise<Response>>([
    ['GET /photos', requires(READ, answer)],
    ['GET /own', requires(READ, () => new Response('{}', { headers: OWN_HEADERS }))],
    ['POST /photos', requires(WRITE, answer)],
    [`GET ${guard.metadata.path}`, metadata],
  ]);
  const none = () => new Response('', { status: 404 });
  return onFetch((asked) => (routes.get(`${asked.method} ${new URL(asked.url).pathname}`) ?? none)(asked));
};

const onHono: Opener = async (options) => {
  const { requires, metadata } = honoGuard(createGuard(options));
  const app = new Hono();
  app.use(metadata);
  app.get('/photos', requires(READ), (context) => context.json(shown(context.var.access)));
  app.get('/own', requires(READ), (context) => context.json({}, { headers: OWN_HEADERS }));
  app.post('/photos', requires(WRITE), (context) => context.json(shown(context.var.access)));
  return onFetch((asked) => app.fetch(asked));
};

const onNest: Opener = async (options) => {
  const { everyRoute, Requires, Public, metadata } = nestGuard(createGuard(options));
  class Photos {
    list({ access }: { access: Access }) {
      return shown(access);
    }
    add({ access }: { access: Access }) {
      return shown(access);
    }
    own({ res }: { res: express.Response }) {
      res.set('cache-control', 'private');
      res.vary('Accept');
      return {};
    }
    open() {
      return {};
    }
    undeclared() {
      return { open: true };
    }
  }
  class App {}
  // Decorators as functions, because Node runs no decorators.
  const method = (name: keyof Photos & string, ...decorators: readonly MethodDecorator[]) => {
    const descriptor = Object.getOwnPropertyDescriptor(Photos.prototype, name) ?? {};
    for (const one of decorators) one(Photos.prototype, name, descriptor);
    Req()(Photos.prototype, name, 0);
  };
  method('list', Get('photos'));
  method('own', Get('own'));
  method('add', Post('photos'), Requires(WRITE));
  method('open', Get('open'), Public());
  Controller()(Photos);
  Requires(READ)(Photos);
  class Undeclared {}
  Object.defineProperty(
    Undeclared.prototype,
    'open',
    Object.getOwnPropertyDescriptor(Photos.prototype, 'undeclared') ?? {},
  );
  Get('undeclared')(Undeclared.prototype, 'open', Object.getOwnPropertyDescriptor(Undeclared.prototype, 'open') ?? {});
  Controller()(Undeclared);
  Module({ controllers: [Photos, Undeclared] })(App);
  const app = await NestFactory.create(App, { logger: false });
  app.use(metadata);
  app.useGlobalGuards(everyRoute);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  // Nest answers POST with 201.
  const ask = async (asked: Asked) => {
    const answered = await asks(port)(asked);
    return answered.status === 201 ? { ...answered, status: 200 } : answered;
  };
  return { ask, close: () => app.close() };
};

/** Both versions of the event, as API Gateway makes them of a request. */
export const EVENTS: Readonly<Record<'1.0' | '2.0', (asked: Asked) => AuthorizerEvent>> = {
  '1.0': ({ method, path, authorization = [], dpop }) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    const last = authorization.at(-1);
    return {
      headers: { Host: 'localhost', ...(last !== undefined && { Authorization: last }) },
      multiValueHeaders: {
        Host: ['localhost'],
        ...(last !== undefined && { Authorization: authorization }),
        ...(dpop && { DPoP: dpop }),
      },
      path: pathname,
      httpMethod: method,
      queryStringParameters: searchParams.size === 0 ? null : Object.fromEntries(searchParams),
      requestContext: {},
      methodArn: `arn:aws:execute-api:eu-central-1:1:a/test/${method}${pathname}`,
    };
  },
  '2.0': ({ method, path, authorization = [], dpop }) => {
    const { pathname, search } = new URL(path, 'http://localhost');
    return {
      version: '2.0',
      headers: {
        host: 'localhost',
        ...(authorization.length > 0 && { authorization: authorization.join(',') }),
        ...(dpop && { dpop: dpop.join(',') }),
      },
      rawPath: pathname,
      rawQueryString: search.slice(1),
      requestContext: { http: { method, path: pathname } },
      routeArn: `arn:aws:execute-api:eu-central-1:1:a/test/${method}${pathname}`,
    };
  },
};

const onLambda =
  (version: keyof typeof EVENTS): Opener =>
  async (options) => {
    const guard = createGuard(options);
    const { requires, metadata } = lambdaGuard(guard);
    const answer = async (_event: AuthorizerEvent, access: Access) => ({
      statusCode: 200,
      body: JSON.stringify(shown(access)),
    });
    const routes = new Map<string, (event: AuthorizerEvent) => Promise<LambdaResult>>([
      ['GET /photos', requires(READ, answer)],
      [
        'GET /own',
        requires(READ, async () => ({ statusCode: 200, headers: { 'Cache-Control': 'private', Vary: 'Accept' } })),
      ],
      ['POST /photos', requires(WRITE, answer)],
      [`GET ${guard.metadata.path}`, metadata],
    ]);
    return {
      ask: async (asked) => {
        const { pathname } = new URL(asked.path, 'http://localhost');
        const event = EVENTS[version](asked);
        const result = (await routes.get(`${asked.method} ${pathname}`)?.(event)) ?? { statusCode: 404 };
        const headers = Object.fromEntries(
          Object.entries(result.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
        );
        return { status: result.statusCode, headers, body: result.body ?? '' };
      },
      close: async () => undefined,
    };
  };

/** A POST stands for an upgrade at another path: an upgrade is always a GET. */
const onWebSocket: Opener = async (options) => {
  const { requires } = upgradeGuard(createGuard(options));
  const sockets = new WebSocketServer({ noServer: true });
  const api = await listening((_request, response) => void response.writeHead(404).end());
  // A caller whom a broken guard accepts has no access, and gets an empty frame.
  const answer = (socket: WebSocket, access: Access | undefined) =>
    socket.send(access === undefined ? '' : JSON.stringify(shown(access)));
  const upgrade = (needs: typeof READ) =>
    requires(needs, (incoming: IncomingMessage, socket: Duplex, head: Buffer, access) =>
      sockets.handleUpgrade(incoming, socket, head, (open) => answer(open, access)),
    );
  const [read, write] = [upgrade(READ), upgrade(WRITE)];
  api.server.on('upgrade', (incoming, socket, head) =>
    (incoming.url?.startsWith('/write') ? write : read)(incoming, socket, head),
  );
  const { port } = api.server.address() as AddressInfo;
  const more = ['upgrade', 'websocket', 'connection', 'upgrade', 'sec-websocket-version', '13'];
  const ask = asks(port, [...more, 'sec-websocket-key', btoa('sixteen octets..')]);
  return {
    ask: async ({ method, path, authorization = [], dpop = [] }) => {
      const asked = {
        method: 'GET' as const,
        authorization,
        dpop,
        path: method === 'POST' ? path.replace('photos', 'write') : path,
      };
      const answered = await ask(asked);
      return answered.status === 101 ? { ...answered, status: 200 } : answered;
    },
    close: api.close,
  };
};

/** The part before a transport. test/interop/mcp.test.ts has the transports of the SDK. */
const onMcp: Opener = async (options) => {
  const guard = createGuard(options);
  const read = mcpGuard(guard, READ);
  const write = mcpGuard(guard, WRITE);
  return listening((incoming, outgoing) => {
    const asked = Object.assign(incoming, { auth: undefined as never });
    const { protect } = incoming.method === 'POST' ? write : read;
    read.metadata(asked, outgoing, () =>
      protect(asked, outgoing, () => {
        const { auth } = asked as { auth?: { extra: { access: Access } } };
        if (incoming.url === '/own') outgoing.setHeader('cache-control', 'private').appendHeader('vary', 'Accept');
        outgoing.end(JSON.stringify(auth && shown(auth.extra.access)));
      }),
    );
  });
};

export const FRAMEWORKS: readonly (readonly [name: string, open: Opener])[] = [
  ['Express 5', onExpress(express)],
  ['Express 4', onExpress(express4)],
  ['Fastify', onFastify],
  ['a handler of the Fetch API', onHandlers],
  ['Hono', onHono],
  ['NestJS', onNest],
  ['Lambda, events 1.0', onLambda('1.0')],
  ['Lambda, events 2.0', onLambda('2.0')],
  ['a WebSocket', onWebSocket],
  ['MCP', onMcp],
];
