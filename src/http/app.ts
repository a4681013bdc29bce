/** Everything that serves requests, registered in an explicit order. No listening, no environment. */
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import fp from 'fastify-plugin';
import { validatorCompiler } from 'fastify-type-provider-zod';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { InteractionDeps } from '../protocol/interaction.ts';
import type { LogoutDeps } from '../protocol/logout.ts';
import type { MetadataDeps } from '../protocol/metadata.ts';
import type { SentTokenDeps } from '../protocol/sent-token.ts';
import { deadlines } from '../system/deadlines.ts';
import { type AuthorizeRoutesOptions, authorizeRoutes } from './authorize-routes.ts';
import { closeConnectionsWhenClosing } from './closing.ts';
import { type BrowserCookieOptions, browserCookies } from './cookies.ts';
import { csrf } from './csrf.ts';
import { errorHandler, handleFrameworkError } from './error-handler.ts';
import { exactPath } from './exact-path.ts';
import { formBodies, MAX_BODY_BYTES } from './form-body.ts';
import { type HealthRoutesOptions, healthRoutes } from './health-routes.ts';
import { type DemoUser, homeRoute } from './home-route.ts';
import { interactionRoutes, MAX_NAME_CHARACTERS } from './interaction-routes.ts';
import { introspectionRoutes } from './introspection-routes.ts';
import { jwksRoute } from './jwks-route.ts';
import { logoutRoutes } from './logout-routes.ts';
import { metadataRoutes } from './metadata-routes.ts';
import { type PermissionRoutesOptions, permissionRoutes } from './permission-routes.ts';
import type { DemoApp, PlaygroundOptions } from './playground/routes.ts';
import { requestDeadline } from './request-deadline.ts';
import { requestLog } from './request-log.ts';
import { type RevocationRoutesOptions, revocationRoutes } from './revocation-routes.ts';
import { securityHeaders } from './security-headers.ts';
import { type TokenRoutesOptions, tokenRoutes } from './token-routes.ts';
import { type UserInfoRoutesOptions, userInfoRoutes } from './userinfo-routes.ts';

/** The sum of what the plugins need; each declares its own part and sees no other. */
export type AppOptions = {
  readonly logger: FastifyBaseLogger;
  readonly trustedProxies: readonly string[];
} & HealthRoutesOptions &
  MetadataDeps &
  EndpointOptions &
  PageOptions;

type EndpointOptions = TokenRoutesOptions & RevocationRoutesOptions & UserInfoRoutesOptions & SentTokenDeps;

type PageOptions = BrowserCookieOptions & { readonly keys: RootKeys } & AuthorizeRoutesOptions &
  InteractionDeps &
  LogoutDeps &
  PermissionRoutesOptions &
  Omit<PlaygroundOptions, 'client'> & {
    /** Null: no playground. */
    readonly demo: (DemoUser & { readonly app: DemoApp }) | null;
    readonly production: boolean;
  };

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { logger, trustedProxies, issuer } = options;
  const app = Fastify({
    loggerInstance: logger,
    // The request's own line carries no query and no headers: see http/request-log.ts.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: deadlines.requestMilliseconds,
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: MAX_NAME_CHARACTERS },
    frameworkErrors: handleFrameworkError,
    // Left to itself, Fastify loads a validator and a serializer of JSON Schemas, which nothing here uses.
    schemaController: { compilersFactory: { buildValidator: () => noCompiler, buildSerializer: () => noCompiler } },
  });
  await app.register(requestLog);
  await app.register(requestDeadline);
  await app.register(closeConnectionsWhenClosing);
  await app.register(errorHandler);
  await app.register(formBodies);
  await app.register(securityHeaders, { issuer });
  await app.register(exactPath);

  await app.register(healthRoutes, options);
  await app.register(metadataRoutes, options);
  await app.register(endpoints, { ...options, prefix: new URL(issuer).pathname.replace(/\/$/, '') });
  return app;
}

function noCompiler(): never {
  throw new Error(
    'A route declares a JSON Schema. Pages check their parameters with zod, and nothing else has a schema.',
  );
}

/** Everything under the issuer's path. */
const endpoints = fp<EndpointOptions & PageOptions>(
  async (app, { prefix: _, ...options }: EndpointOptions & PageOptions & { readonly prefix?: string }) => {
    await app.register(jwksRoute, options);
    await app.register(tokenRoutes, options);
    await app.register(revocationRoutes, options);
    await app.register(userInfoRoutes, options);
    await app.register(introspectionRoutes, options);
    await app.register(pages, options);
  },
  { name: 'endpoints', encapsulate: true },
);

/** Only pages use cookies, and only their own paths and queries are checked by zod. */
const pages = fp<PageOptions>(
  async (app, options) => {
    const { issuer, random, keys, demo } = options;
    app.setValidatorCompiler(validatorCompiler);
    await app.register(browserCookies, { issuer, random });
    await app.register(csrf, { keys });
    await app.register(homeRoute, options);
    await app.register(authorizeRoutes, options);
    await app.register(interactionRoutes, options);
    await app.register(logoutRoutes, options);
    await app.register(permissionRoutes, options);
    if (demo) {
      const { playgroundRoutes } = await import('./playground/routes.ts');
      await app.register(playgroundRoutes, { ...options, client: demo.app });
    }
  },
  { name: 'pages', encapsulate: true },
);
