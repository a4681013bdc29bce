/** All plugins that serve requests, in an explicit order. The app does not listen, and reads no environment. */
import cookie from '@fastify/cookie';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import fp from 'fastify-plugin';
import type { MetadataDeps } from '../protocol/metadata.ts';
import type { SentTokenDeps } from '../protocol/sent-token.ts';
import { deadlines } from '../system/deadlines.ts';
import { ACCOUNT_EMAIL_ROUTES, ACCOUNT_ROUTES, type AccountHandlers } from './account/route-names.ts';
import { actingBrowsers } from './acting-browser.ts';
import { type AuthorizeRoutesOptions, authorizeRoutes } from './authorize-routes.ts';
import { headerBounds } from './bounds.ts';
import { closeConnectionsWhenClosing } from './closing.ts';
import type { RefusingApi } from './early-refusal.ts';
import { CODE_ROUTES, EMAIL_ROUTES, type EmailPages, MAILBOX_ROUTES } from './email-route-names.ts';
import { errorHandler, frameworkErrors } from './error-handler.ts';
import { exactPath } from './exact-path.ts';
import { type ExternalSignInOptions, externalSignIns } from './external-sign-ins.ts';
import { type FactorRoutesOptions, factorRoutes } from './factor-routes.ts';
import { formBodies, MAX_BODY_BYTES } from './form-body.ts';
import { type HealthRoutesOptions, healthRoutes } from './health-routes.ts';
import { type DemoUser, homeRoute } from './home-route.ts';
import { type ImageRoutesOptions, imageRoutes } from './image-routes.ts';
import { MAX_NAME_CHARACTERS } from './interaction-request.ts';
import { type InteractionRoutesOptions, interactionRoutes } from './interaction-routes.ts';
import { introspectionRoutes } from './introspection-routes.ts';
import { jwksRoute } from './jwks-route.ts';
import { lazyRoutes } from './lazy-routes.ts';
import { type LogoutRoutesOptions, logoutRoutes } from './logout-routes.ts';
import { type LookOptions, looks } from './look.ts';
import { metadataRoutes } from './metadata-routes.ts';
import { OPERATOR_ROUTES, type OperatorPages } from './operator-route-names.ts';
import { isOverloaded, type Load, loadOf, overload } from './overload.ts';
import { type PageParts, type PagePartsOptions, pageParts } from './page-parts.ts';
import { type PasskeyRoutesOptions, passkeyRoutes } from './passkey-routes.ts';
import { type PermissionRoutesOptions, permissionRoutes } from './permission-routes.ts';
import type { DemoApp, PlaygroundOptions } from './playground/routes.ts';
import { type PushedAuthorizationRoutesOptions, pushedAuthorizationRoutes } from './pushed-authorization-routes.ts';
import { type RegistrationRoutesOptions, registrationRoutes } from './registration-routes.ts';
import { requestDeadline } from './request-deadline.ts';
import { requestLog } from './request-log.ts';
import { type RevocationRoutesOptions, revocationRoutes } from './revocation-routes.ts';
import { securityHeaders } from './security-headers.ts';
import { type SignInRoutesOptions, signInRoutes } from './sign-in-routes.ts';
import { type TokenRoutesOptions, tokenRoutes } from './token-routes.ts';
import { type UserInfoRoutesOptions, userInfoRoutes } from './userinfo-routes.ts';
import { validatorCompiler } from './zod-schemas.ts';

/** The options of all plugins. Each plugin declares its own part and sees no other. */
export type AppOptions = {
  readonly logger: FastifyBaseLogger;
  readonly trustedProxies: readonly string[];
  /** The API that answers its early refusals in its own form. */
  readonly refusingApi?: RefusingApi;
} & Omit<HealthRoutesOptions, 'isOverloaded'> &
  Omit<MetadataDeps, 'uiLocales'> &
  EndpointOptions &
  PageOptions;

type EndpointOptions = TokenRoutesOptions &
  RevocationRoutesOptions &
  PushedAuthorizationRoutesOptions &
  RegistrationRoutesOptions &
  UserInfoRoutesOptions &
  SentTokenDeps &
  ImageRoutesOptions & {
    /** Registers the management API and the console, below the path of the issuer. */
    readonly administration: (app: FastifyInstance, parts: PageParts) => Promise<void>;
  };

type PageOptions = PagePartsOptions &
  Omit<
    AuthorizeRoutesOptions &
      InteractionRoutesOptions &
      ExternalSignInOptions &
      FactorRoutesOptions &
      PasskeyRoutesOptions &
      LogoutRoutesOptions &
      PermissionRoutesOptions &
      SignInRoutesOptions,
    keyof PageParts
  > &
  Omit<PlaygroundOptions, 'client'> & {
    /** Null: no playground. */
    readonly demo: (DemoUser & { readonly app: DemoApp }) | null;
    readonly production: boolean;
    /** The handlers of /account, loaded at the first request. */
    readonly account: (parts: PageParts) => Promise<AccountHandlers>;
    /** The set-up of the first operator. */
    readonly operator: OperatorPages;
    /** Null: the server sends no mail. */
    readonly email: EmailPages | null;
  };

/** Node checks every 30 seconds by default. */
const CHECK_CONNECTIONS_EVERY_MILLISECONDS = 1000;

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const load = loadOf(options.configuration);
  const app = await bareApp(options, load);
  await app.register(healthRoutes, { ...options, isOverloaded: () => isOverloaded(load) });
  await app.register(metadataRoutes, options);
  await app.register(endpoints, { ...options, ...pageParts(options), prefix: pathOf(options.issuer) });
  return app;
}

const pathOf = (issuer: string): string => new URL(issuer).pathname.replace(/\/$/, '');

/** The part that applies to every request. */
async function bareApp(
  {
    logger,
    trustedProxies,
    issuer,
    claimsOf,
    configuration,
    refusingApi,
  }: Pick<AppOptions, 'logger' | 'trustedProxies' | 'refusingApi' | keyof LookOptions>,
  load: Load,
): Promise<FastifyInstance> {
  const requestTimeout = deadlines.headersMilliseconds + deadlines.bodyMilliseconds;
  const app = Fastify({
    loggerInstance: logger,
    // The request's own line has no query and no headers: see http/request-log.ts.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout,
    http: {
      requestTimeout,
      headersTimeout: deadlines.headersMilliseconds,
      connectionsCheckingInterval: CHECK_CONNECTIONS_EVERY_MILLISECONDS,
    },
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: MAX_NAME_CHARACTERS },
    frameworkErrors: frameworkErrors(refusingApi),
    // By default, Fastify loads a validator and a serializer of JSON Schemas, which no route uses.
    schemaController: { compilersFactory: { buildValidator: () => noCompiler, buildSerializer: () => noCompiler } },
  });
  await app.register(requestLog);
  await app.register(headerBounds);
  await app.register(requestDeadline);
  await app.register(closeConnectionsWhenClosing);
  await app.register(looks, { issuer, configuration, claimsOf });
  await app.register(errorHandler);
  await app.register(formBodies);
  await app.register(securityHeaders, { issuer });
  await app.register(exactPath);
  await app.register(overload, { load, refusingApi });
  return app;
}

function noCompiler(): never {
  throw new Error(
    'A route declares a JSON Schema. Expected zod, with which pages check their parameters, or no schema.',
  );
}

/** Everything under the issuer's path. */
const endpoints = fp<EndpointOptions & PageOptions & PageParts>(
  async (app, { prefix: _, ...options }: EndpointOptions & PageOptions & PageParts & { readonly prefix?: string }) => {
    await app.register(jwksRoute, options);
    await app.register(imageRoutes, options);
    await app.register(tokenRoutes, options);
    await app.register(pushedAuthorizationRoutes, options);
    await app.register(registrationRoutes, options);
    await app.register(revocationRoutes, options);
    await app.register(userInfoRoutes, options);
    await app.register(introspectionRoutes, options);
    await options.administration(app, partsOf(options));
    await app.register(pages, options);
  },
  { name: 'endpoints', encapsulate: true },
);

/** Without the other options: the console and the account have options of their own under the same names. */
const partsOf = ({ cookies, csrf }: PageParts): PageParts => ({ cookies, csrf });

/** Only pages use cookies, and zod checks only their paths and queries. */
const pages = fp<PageOptions & PageParts>(
  async (app, options) => {
    const { account, demo, email, operator } = options;
    const parts = partsOf(options);
    app.setValidatorCompiler(validatorCompiler);
    await app.register(cookie);
    await app.register(actingBrowsers, parts);
    await app.register(homeRoute, options);
    await app.register(authorizeRoutes, options);
    await app.register(externalSignIns, options);
    await app.register(passkeyRoutes, options);
    await app.register(factorRoutes, options);
    await app.register(interactionRoutes, options);
    await app.register(logoutRoutes, options);
    await app.register(signInRoutes, options);
    await app.register(permissionRoutes, options);
    lazyRoutes(app, [...ACCOUNT_ROUTES, ...(email ? ACCOUNT_EMAIL_ROUTES : [])], () => account(parts));
    lazyRoutes(app, OPERATOR_ROUTES, () => operator(parts));
    if (email) {
      const names = [...EMAIL_ROUTES, ...CODE_ROUTES, ...(email.hasMailbox ? MAILBOX_ROUTES : [])];
      lazyRoutes(app, names, () => email.handlers(parts), email.isOn);
    }
    if (demo) {
      const { playgroundRoutes } = await import('./playground/routes.ts');
      await app.register(playgroundRoutes, { ...options, client: demo.app });
    }
  },
  { name: 'pages', encapsulate: true },
);
