/** buildApp: everything that answers requests, registered in an explicit order. No listening, no environment. */
import cookie from '@fastify/cookie';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { TokenDeps } from '../protocol/grant-type.ts';
import type { AccessTokenDeps } from '../protocol/presented-access-token.ts';
import type { UserInfoDeps } from '../protocol/userinfo.ts';
import { authorizeRoutes } from './authorize-routes.ts';
import { closeConnectionsWhenClosing } from './closing.ts';
import type { HttpDeps } from './deps.ts';
import { answerErrors, answerFrameworkErrors } from './error-handler.ts';
import { formBodies, LARGEST_BODY_BYTES } from './form-body.ts';
import { healthRoutes } from './health-routes.ts';
import { interactionRoutes } from './interaction-routes.ts';
import { introspectionRoutes } from './introspection-routes.ts';
import { logoutRoutes } from './logout-routes.ts';
import { metadataRoutes } from './metadata-routes.ts';
import { type PermissionDeps, permissionRoutes } from './permission-routes.ts';
import { playgroundRoutes } from './playground/routes.ts';
import { logRequests } from './request-log.ts';
import { revocationRoutes } from './revocation-routes.ts';
import { securityHeaders } from './security-headers.ts';
import { tokenRoutes } from './token-routes.ts';
import { userInfoRoutes } from './userinfo-routes.ts';

export type AppDeps = TokenDeps &
  UserInfoDeps &
  AccessTokenDeps &
  HttpDeps &
  PermissionDeps & {
    readonly logger: FastifyBaseLogger;
    readonly trustedProxies: readonly string[];
    /** Follows the table of signing keys; called every KEY_POLL_SECONDS. */
    readonly keepKeys: () => Promise<void>;
    /** Null: no playground. */
    readonly demo: { readonly app: { readonly clientId: string; readonly redirectUri: string } } | null;
  };

export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: deps.logger,
    // The request's own line carries no query and no headers: see http/request-log.ts.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: deps.trustedProxies.length > 0 ? [...deps.trustedProxies] : false,
    bodyLimit: LARGEST_BODY_BYTES,
    requestTimeout: 30_000,
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: answerFrameworkErrors,
  });
  logRequests(app);
  closeConnectionsWhenClosing(app);
  answerErrors(app);
  formBodies(app);
  securityHeaders(app, deps);

  healthRoutes(app, deps);
  metadataRoutes(app, deps);
  const path = new URL(deps.issuer).pathname.replace(/\/$/, '');
  await app.register(
    async (scope) => {
      tokenRoutes(scope, deps);
      revocationRoutes(scope, deps);
      userInfoRoutes(scope, deps);
      introspectionRoutes(scope, deps);
      await scope.register(pages);
    },
    { prefix: path },
  );
  return app;

  /** Only people have cookies. */
  async function pages(scope: FastifyInstance): Promise<void> {
    await scope.register(cookie);
    authorizeRoutes(scope, deps);
    interactionRoutes(scope, deps);
    logoutRoutes(scope, deps);
    permissionRoutes(scope, deps);
    if (deps.demo) playgroundRoutes(scope, deps, deps.demo.app);
  }
}
