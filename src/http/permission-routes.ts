/**
 * GET /permissions: what the person who is signed in has allowed, and how to end it. Without a session: a sign-in of its own,
 * which leads here and nowhere else.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GrantStore } from '../lifecycles/grant.ts';
import type { Session } from '../model/session.ts';
import { parseParameters } from '../oauth/parameters.ts';
import { pathUnder } from '../oauth/urls.ts';
import { allowedClients, endPermission } from '../protocol/permissions.ts';
import type { PermissionStore } from '../storage/permissions.ts';
import { browserCookie, readCookie } from './cookies.ts';
import { csrfToken, isCsrfToken } from './csrf.ts';
import type { HttpDeps } from './deps.ts';
import { bodyOf, queryOf } from './form-body.ts';
import { tell } from './request-log.ts';
import { noStore, seeOther, sendPage } from './security-headers.ts';
import { sessionOf } from './session.ts';
import { submitSignIn } from './sign-in-form.ts';
import { permissionsPage } from './views/permissions.ts';
import { problemPage } from './views/problem.ts';
import { signInPage } from './views/sign-in.ts';

export type PermissionDeps = HttpDeps & { readonly store: GrantStore; readonly permissions: PermissionStore };

/** The newest; whoever has allowed more sees the rest when some of these are ended. */
const MAX_SHOWN = 100;
const ENDED = 'ended';

export function permissionRoutes(app: FastifyInstance, deps: PermissionDeps): void {
  const permissionsPath = pathUnder(deps.issuer, '/permissions');
  const signInPath = pathUnder(deps.issuer, '/sign-in');

  app.get('/permissions', async (request, reply) => {
    const session = await sessionOf(deps, request);
    if (session === null) return seeOther(reply, signInPath);
    const browser = browserCookie(deps, request, reply);
    const allowed = allowedClients(deps.configuration(), await deps.permissions.load(session.userId));
    return sendPage(
      reply,
      200,
      permissionsPage({
        action: `${permissionsPath}/end`,
        csrf: csrfToken(deps.keys, formOf(session), browser),
        username: session.username,
        allowed: allowed.slice(0, MAX_SHOWN),
        more: allowed.length > MAX_SHOWN,
        justEnded: queryOf(request) === ENDED,
        signOut: pathUnder(deps.issuer, '/oauth/logout'),
      }),
    );
  });

  app.post('/permissions/end', async (request, reply) => {
    noStore(reply);
    const session = await sessionOf(deps, request);
    if (session === null) return seeOther(reply, signInPath);
    const browser = readCookie(deps, request, 'browser');
    // What is repeated or cannot be read has no value.
    const { parameters } = parseParameters(bodyOf(request.body), ['csrf', 'client_id']);
    const clientId = parameters.get('client_id');
    const isOurs = browser !== null && isCsrfToken(deps.keys, formOf(session), browser, parameters.get('csrf'));
    if (!isOurs || clientId === null) return refuseForm(request, reply);
    const grants = await endPermission(deps, session.userId, clientId);
    tell(request, 'permission ended', { clientId, userId: session.userId, grants });
    return seeOther(reply, `${permissionsPath}?${ENDED}`);
  });

  app.get('/sign-in', async (request, reply) => {
    if ((await sessionOf(deps, request)) !== null) return seeOther(reply, permissionsPath);
    return showSignIn(deps, request, reply, 200, '', null);
  });

  app.post('/sign-in', async (request, reply) => {
    noStore(reply);
    const browser = readCookie(deps, request, 'browser');
    if (browser === null) return refuseForm(request, reply);
    const submitted = await submitSignIn(deps, request, reply, { purpose: SIGN_IN, browser }, {});
    if (submitted.kind === 'forged') return refuseForm(request, reply);
    if (submitted.kind === 'again') {
      const { status, username, problem } = submitted;
      return showSignIn(deps, request, reply, status, username, problem);
    }
    return seeOther(reply, permissionsPath);
  });
}

const SIGN_IN = 'sign-in';
/** A form is good for the session that it was shown to: whoever signs in afterwards ends nothing with it. */
const formOf = ({ sid }: Session): string => `permissions of ${sid}`;

function showSignIn(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  username: string,
  problem: string | null,
): FastifyReply {
  const browser = browserCookie(deps, request, reply);
  const csrf = csrfToken(deps.keys, SIGN_IN, browser);
  const action = pathUnder(deps.issuer, '/sign-in');
  return sendPage(reply, status, signInPage({ action, csrf, clientName: null, username, problem, goOn: null }));
}

function refuseForm(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  tell(request, 'refused', { reason: 'form_refused' });
  return sendPage(reply, 403, problemPage(FORM_REFUSED));
}

const FORM_REFUSED = {
  title: 'This form cannot be accepted',
  what: 'It was not made by this server for this browser and this session, or it was changed on the way. Nothing happened.',
  next: 'Allow cookies for this site, go back, reload the page, and try again.',
};
