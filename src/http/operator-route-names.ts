/** The routes of the set-up of the first operator, below the path of the issuer. The first request loads their handlers. */
import type { Handlers, RouteName } from './lazy-routes.ts';
import type { PageParts } from './page-parts.ts';

export const OPERATOR_ROUTES = [
  'GET /operator/set-up',
  'POST /operator/set-up',
  'GET /operator/set-up/done',
] as const satisfies readonly RouteName[];

export type OperatorHandlers = Handlers<(typeof OPERATOR_ROUTES)[number]>;
export type OperatorPages = (parts: PageParts) => Promise<OperatorHandlers>;
