/**
 * Every route of /account, below the path of the issuer. Their handlers are in `<section>-routes.ts`, which the first
 * request loads.
 */
import type { Handlers, RouteName } from '../lazy-routes.ts';
import type { SectionId } from './sections.ts';

export const ACCOUNT_ROUTES = [
  'GET /account',
  'GET /account/profile',
  'POST /account/profile',
  'GET /account/password',
  'POST /account/password',
  'GET /account/devices',
  'POST /account/devices/end',
  'POST /account/devices/end-others',
  'POST /account/devices/end-trust',
  'POST /account/devices/end-all-trust',
  'GET /account/sign-in-methods',
  'GET /account/sign-in-methods/passkey',
  'POST /account/sign-in-methods/passkeys',
  'POST /account/sign-in-methods/passkeys/rename',
  'POST /account/sign-in-methods/passkeys/remove',
  'POST /account/sign-in-methods/apps/set-up',
  'POST /account/sign-in-methods/apps/confirm',
  'POST /account/sign-in-methods/apps/remove',
  'POST /account/sign-in-methods/recovery-codes',
  'GET /account/apps',
  'POST /account/apps/end',
  'POST /account/apps/end-one',
  'GET /account/data',
  'POST /account/data',
  'GET /account/delete',
  'POST /account/delete',
  'GET /account/delete/done',
  'GET /account/linked-identities',
  'POST /account/linked-identities/link',
  'POST /account/linked-identities/remove',
] as const satisfies readonly RouteName[];

/** Only where the server sends mail. */
export const ACCOUNT_EMAIL_ROUTES = [
  'GET /account/email',
  'POST /account/email/verify',
  'POST /account/email/change',
] as const satisfies readonly RouteName[];

type AccountRoute = (typeof ACCOUNT_ROUTES)[number];
type AccountEmailRoute = (typeof ACCOUNT_EMAIL_ROUTES)[number];

export type AccountHandlers = Handlers<AccountRoute> & Partial<Handlers<AccountEmailRoute>>;

export type SectionHandlers<Id extends SectionId> = Handlers<
  Extract<AccountRoute | AccountEmailRoute, `${string} /account/${Id}` | `${string} /account/${Id}/${string}`>
>;
