/** buildApp: everything that answers requests, registered in an explicit order. No listening, no environment. */
import cookie from '@fastify/cookie';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { requireDecisionTables } from './engine/decision-tables.ts';
import type { TokenDeps } from './grants/grant-type.ts';
import type { AccessTokenDeps } from './grants/presented-access-token.ts';
import type { UserInfoDeps } from './grants/userinfo.ts';
import { authorizeRoutes } from './http/authorize-routes.ts';
import { closeConnectionsWhenClosing } from './http/closing.ts';
import type { HttpDeps } from './http/deps.ts';
import { answerErrors, answerFrameworkErrors } from './http/error-handler.ts';
import { formBodies, LARGEST_BODY_BYTES } from './http/form-body.ts';
import { healthRoutes } from './http/health-routes.ts';
import { interactionRoutes } from './http/interaction-routes.ts';
import { introspectionRoutes } from './http/introspection-routes.ts';
import { logoutRoutes } from './http/logout-routes.ts';
import { metadataRoutes } from './http/metadata-routes.ts';
import { type PermissionDeps, permissionRoutes } from './http/permission-routes.ts';
import { playgroundRoutes } from './http/playground/routes.ts';
import { logRequests } from './http/request-log.ts';
import { revocationRoutes } from './http/revocation-routes.ts';
import { securityHeaders } from './http/security-headers.ts';
import { tokenRoutes } from './http/token-routes.ts';
import { userInfoRoutes } from './http/userinfo-routes.ts';

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
  requireDecisionTables();
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
