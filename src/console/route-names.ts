/** Every route of the console, below the path of the issuer. */
import type { RouteName } from '../http/lazy-routes.ts';

/** Pages and forms. `screens.ts` has their scopes. */
const SCREEN_ROUTES = [
  'GET /console',
  'GET /console/find',
  'GET /console/machines',
  'GET /console/machine',
  'GET /console/clients',
  'GET /console/client',
  'GET /console/client/new',
  'GET /console/client/edit',
  'GET /console/client/delete',
  'GET /console/end-users',
  'GET /console/end-user',
  'GET /console/end-user/edit',
  'GET /console/end-user/remove',
  'GET /console/end-user/new',
  'GET /console/end-user/disable',
  'GET /console/end-user/password',
  'GET /console/end-user/delete',
  'GET /console/grants',
  'GET /console/grant',
  'GET /console/grant/end',
  'GET /console/sessions',
  'GET /console/session/end',
  'GET /console/keys',
  'GET /console/keys/rotate',
  'GET /console/key/revoke',
  'GET /console/webhooks',
  'GET /console/webhooks/deliveries',
  'GET /console/webhooks/delivery',
  'GET /console/ledger',
  'GET /console/ledger.csv',
  'GET /console/ledger.jsonl',
  'GET /console/configuration',
  'GET /console/mails',
  'GET /console/mails/content',
  'POST /console/find',
  'POST /console/client/new',
  'POST /console/client/edit',
  'POST /console/client/secrets',
  'POST /console/client/secrets/remove',
  'POST /console/client/delete',
  'POST /console/end-user/edit',
  'POST /console/end-user/remove',
  'POST /console/end-user/new',
  'POST /console/end-user/disable',
  'POST /console/end-user/enable',
  'POST /console/end-user/password',
  'POST /console/end-user/delete',
  'POST /console/grant/end',
  'POST /console/session/end',
  'POST /console/trusted-browser/end',
  'POST /console/keys/rotate',
  'POST /console/key/revoke',
  'POST /console/webhooks/delivery/repeat',
  'POST /console/webhooks/test',
  'POST /console/mails/test',
] as const satisfies readonly RouteName[];

const OTHER_ROUTES = [
  'GET /console/events',
  'GET /console/sign-in',
  'GET /console/callback',
  'POST /console/sign-out',
] as const satisfies readonly RouteName[];

export const CONSOLE_ROUTES = [...SCREEN_ROUTES, ...OTHER_ROUTES];

export type OtherRoute = (typeof OTHER_ROUTES)[number];
export type ConsoleRoute = (typeof CONSOLE_ROUTES)[number];
