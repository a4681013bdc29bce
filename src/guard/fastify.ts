/**
 * The guard as a Fastify plugin. It guards every route of the scope in which it is registered. Each route declares its
 * needs: `config: { scopes: ['photos:read'] }`, or `config: { public: true }`.
 */
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { createGuard, type Guard } from './guard.ts';
import { cachingOf } from './headers.ts';
import { METADATA_HEADERS } from './metadata.ts';
import type { GuardOptions } from './options.ts';
import type { Access, Refused, Unavailable } from './outcome.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly guard: Guard;
  }
  interface FastifyRequest {
    /** The caller. Null on a public route. */
    access: Access<GuardClaims> | null;
  }
  interface FastifyContextConfig {
    /** The caller needs all of these. Empty: any token for this API. */
    scopes?: readonly string[];
    /** Whether the guard asks the server about the token. Default: yes, where the guard has `introspection`. */
    introspect?: boolean;
    /** The classes of sign-in of which any is enough (RFC 9470): list all that are strong enough. */
    acrValues?: readonly string[];
    /** The maximum age of the sign-in. */
    maxAgeSeconds?: number;
    /** The route needs no token, and the guard reads none. */
    public?: boolean;
  }
}

/**
 * The types of the claims that `claims` of the options checks. Declare yours:
 * `declare module 'statehouse/guard/fastify' { interface GuardClaims { roles: string[] } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: an API adds its own claims, which only an interface permits.
export interface GuardClaims {}

export type FastifyGuardOptions = GuardOptions<GuardClaims> & {
  /**
   * Whether the plugin serves the metadata of the API (RFC 9728). Default: true. With false, serve `app.guard.metadata`
   * yourself: where you register the guard under a prefix, or where several servers serve the API.
   */
  readonly serveMetadata?: boolean;
  /**
   * The access of a request that the program sends to itself, for a caller that the guard admitted. A proof of that caller fits
   * their own request alone. The guard checks nothing of such a request: the program compares the scopes. Null: the guard checks
   * the request. Default: it checks every request.
   */
  readonly accessOf?: (request: FastifyRequest) => Access<GuardClaims> | null;
  /** Writes the body of a refusal, after the guard has set status and headers. Default: the error as JSON. */
  readonly sendRefusal?: (reply: FastifyReply, outcome: Refused | Unavailable) => FastifyReply;
};

type Config = {
  readonly scopes?: readonly string[];
  readonly introspect?: boolean;
  readonly acrValues?: readonly string[];
  readonly maxAgeSeconds?: number;
  readonly public?: boolean;
};

const guarded: FastifyPluginAsync<FastifyGuardOptions> = async (app, options) => {
  const { serveMetadata = true, accessOf, sendRefusal = (reply, { body }) => reply.send(body) } = options;
  const guard = createGuard(options);
  const scopesOfRoutes = new Set<string>();
  app.decorate('guard', guard as Guard);
  app.decorateRequest('access', null);

  app.addHook('onRoute', (route) => {
    const config = (route.config ?? {}) as Config;
    if (isPublic(config, methodsOf(route))) return;
    const problem = problemOf(guard, config);
    if (problem !== null) throw new TypeError(`${methodsOf(route).join(', ')} ${route.url}: ${problem}.`);
    for (const scope of config.scopes ?? []) scopesOfRoutes.add(scope);
  });

  app.addHook('onRequest', async (request, reply) => {
    const config = configOf(request);
    if (isPublicRequest(request)) return;
    // A route that was declared before the plugin: the guard has not checked its needs yet.
    const problem = problemOf(guard, config);
    if (problem !== null) throw new TypeError(`${request.method} ${request.routeOptions.url}: ${problem}.`);
    const known = accessOf?.(request) ?? null;
    if (known !== null) {
      request.access = known;
      return;
    }
    const { scopes = [], introspect, acrValues, maxAgeSeconds } = config;
    const outcome = await guard.check(request.raw, { scopes, introspect, acrValues, maxAgeSeconds });
    if (outcome.kind === 'granted') {
      request.access = outcome.access;
      return;
    }
    const { kind, reason } = outcome;
    if (kind === 'unavailable')
      request.log.error({ reason, detail: outcome.detail }, 'access tokens cannot be checked');
    else request.log.info({ reason }, 'access refused');
    reply.code(outcome.status).headers(outcome.headers);
    return sendRefusal(reply, outcome);
  });

  // Last, because a handler may set both: its own Cache-Control stays, and the guard extends its Vary.
  app.addHook('onSend', async (request, reply) => {
    if (isPublicRequest(request)) return;
    reply.headers(cachingOf({ cacheControl: reply.getHeader('cache-control'), vary: reply.getHeader('vary') }));
  });

  if (serveMetadata && guard.metadata.path !== null)
    publish(app, guard, options.scopes === undefined ? scopesOfRoutes : null);
};

/** RFC 9728 §3: public, also for clients in browsers. The metadata contain no secret. */
function publish(app: FastifyInstance, guard: Guard, scopesOfRoutes: ReadonlySet<string> | null): void {
  const { path, document } = guard.metadata;
  if (app.prefix !== '') {
    throw new TypeError(
      `The metadata of ${document.resource} are served at ${path}, which is not below ${app.prefix}. ` +
        'Register the guard without a prefix, or with serveMetadata: false.',
    );
  }
  // A colon would begin a parameter.
  app.get(String(path).replaceAll(':', '::'), { config: { public: true } }, (_request, reply) => {
    const scopes = [...(scopesOfRoutes ?? [])];
    return reply
      .headers(METADATA_HEADERS)
      .send({ ...document, ...(scopes.length > 0 && { scopes_supported: scopes }) });
  });
}

const methodsOf = ({ method }: RouteOptions): readonly string[] => [method].flat();
const configOf = (request: FastifyRequest): Config => (request.routeOptions.config ?? {}) as Config;

/** OPTIONS without a declaration are those of CORS, which never carry credentials (Fetch §3.2.2). */
const isPublic = (config: Config, methods: readonly string[]): boolean =>
  config.public === true ||
  (config.scopes === undefined && methods.length > 0 && methods.every((method) => method === 'OPTIONS'));

/** A path without a route needs no guard. */
const isPublicRequest = (request: FastifyRequest): boolean =>
  request.is404 || isPublic(configOf(request), [request.method]);

function problemOf(guard: Guard, { scopes, introspect, acrValues, maxAgeSeconds }: Config): string | null {
  const needs = { scopes: scopes as readonly string[], introspect, acrValues, maxAgeSeconds };
  return scopes === undefined
    ? 'say what it takes: config: { scopes: […] }, or config: { public: true }'
    : guard.problemOf(needs);
}

/** As fastify-plugin marks it: hooks and decorators apply to the scope that registers it, and to Fastify 5. */
export const fastifyGuard: FastifyPluginAsync<FastifyGuardOptions> = Object.assign(guarded, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'statehouse-guard',
  [Symbol.for('plugin-meta')]: { name: 'statehouse-guard', fastify: '5.x' },
});
