/**
 * The guard for NestJS, on Express or Fastify: `app.useGlobalGuards(everyRoute)`. Each route or controller declares
 * `@Requires({ scopes: ['read'] })` or `@Public()`. A request for a route without either fails with 500.
 */
import { type CanActivate, createParamDecorator, type ExecutionContext, HttpException } from '@nestjs/common';
import { demandNeeds, type Guard } from './guard.ts';
import type { Needs } from './needs.ts';
import { headersOf, serveMetadata } from './node-response.ts';
import type { Access } from './outcome.ts';
import type { GuardedRequest } from './request.ts';

/** `raw`: the request of Node, in Fastify. */
type Guarded = GuardedRequest & { readonly raw?: GuardedRequest; access?: Access };
/** Both platforms have these functions. */
type PlatformResponse = {
  readonly getHeader: (name: string) => number | string | string[] | undefined;
  readonly header: (name: string, value: string) => unknown;
};

export function nestGuard<Claims>(guard: Guard<Claims>) {
  const declared = new WeakMap<object, Needs | 'public'>();
  const declare =
    (needs: Needs | 'public') =>
    (target: object, _key?: string | symbol, method?: { readonly value?: unknown }): void => {
      declared.set(Object(method?.value ?? target), needs);
    };

  const everyRoute: CanActivate = {
    async canActivate(context: ExecutionContext): Promise<boolean> {
      const needs = declared.get(context.getHandler()) ?? declared.get(context.getClass());
      if (needs === 'public') return true;
      const route = `${context.getClass().name}.${context.getHandler().name}`;
      if (needs === undefined)
        throw new TypeError(`${route}: say what it takes: @Requires({ scopes: […] }) or @Public().`);
      if (context.getType() !== 'http') throw new TypeError(`${route}: the guard reads tokens of HTTP requests alone.`);
      const request: Guarded = context.switchToHttp().getRequest();
      const response: PlatformResponse = context.switchToHttp().getResponse();
      const outcome = await guard.check(request.raw ?? request, needs);
      for (const [name, value] of Object.entries(headersOf(outcome, response))) response.header(name, value);
      if (outcome.kind !== 'granted') throw new HttpException(outcome.body, outcome.status);
      request.access = outcome.access;
      return true;
    },
  };

  return {
    everyRoute,
    /** Of a controller or a method, which wins. @throws TypeError when the needs are invalid. */
    Requires(needs: Needs) {
      demandNeeds(guard, needs);
      return declare(needs);
    },
    /** The route needs no token, and the guard reads none. */
    Public: () => declare('public'),
    /** `app.use(metadata)`: serves the metadata of the API (RFC 9728). */
    metadata: serveMetadata(guard.metadata),
  };
}

/** `@Caller() access: Access<…>`: the caller, as the parameter of a guarded method. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Access | undefined => context.switchToHttp().getRequest<Guarded>().access,
);
