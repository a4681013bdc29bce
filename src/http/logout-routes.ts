/**
 * GET and POST /oauth/logout (OpenID Connect RP-Initiated Logout 1.0): ends the session of this browser. Grants live on: they
 * end by revocation, or on the permissions page.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readIdTokenHint } from '../crypto/id-token-hint.ts';
import type { Session } from '../model/session.ts';
import { asQuery, type ParameterReading, parseParameters } from '../oauth/parameters.ts';
import { pathUnder } from '../oauth/urls.ts';
import {
  afterLogout,
  LOGOUT_PARAMETERS,
  type LogoutRequest,
  type RefusedLogout,
  readLogoutRequest,
} from '../protocol/logout-request.ts';
import { findClient } from '../storage/clients.ts';
import { browserCookie, readCookie } from './cookies.ts';
import { csrfToken, isCsrfToken } from './csrf.ts';
import type { HttpDeps } from './deps.ts';
import { destinationOf } from './destination.ts';
import { bodyOf, queryOf } from './form-body.ts';
import { refusedOtherMethods } from './other-methods.ts';
import { tell } from './request-log.ts';
import { noStore, seeOther, sendPage } from './security-headers.ts';
import { endSession, sessionOf } from './session.ts';
import { logoutPage, refusedLogoutPage, signedOutPage, stillSignedInPage } from './views/logout.ts';
import { problemPage } from './views/problem.ts';

const LOGOUT = '/oauth/logout';
const DECISION = '/oauth/logout/decision';

export function logoutRoutes(app: FastifyInstance, deps: HttpDeps): void {
  app.get(LOGOUT, async (request, reply) => {
    const asked = await readRequest(deps, parseParameters(queryOf(request), LOGOUT_PARAMETERS));
    if (asked.kind === 'refused') return refuse(deps, request, reply, asked);
    const session = await sessionOf(deps, request);
    if (session === null) return finish(deps, request, reply, asked, null);
    // §2: the person MUST be asked "if an id_token_hint was not provided or if the supplied ID Token does not belong to the
    // current OP session"; this one does, so nobody else can have sent the browser here with it.
    if (asked.hint?.sid === session.sid && asked.hint.sub === session.userId) {
      await endSession(deps, request, reply);
      return finish(deps, request, reply, asked, session);
    }
    return ask(deps, request, reply, asked, session);
  });

  app.post(LOGOUT, async (request, reply) => {
    const reading = parseParameters(bodyOf(request.body), LOGOUT_PARAMETERS);
    const asked = await readRequest(deps, reading);
    if (asked.kind === 'refused') return refuse(deps, request, reply, asked);
    // A POST from the client's site carries no SameSite=Lax cookie; the GET that follows a redirect does.
    const query = asQuery(reading.parameters, LOGOUT_PARAMETERS);
    return seeOther(reply, `${pathUnder(deps.issuer, LOGOUT)}${query && `?${query}`}`);
  });

  app.post(DECISION, async (request, reply) => {
    const reading = parseParameters(bodyOf(request.body), ['csrf', 'decision', ...LOGOUT_PARAMETERS]);
    const asked = await readRequest(deps, reading);
    if (asked.kind === 'refused') return refuse(deps, request, reply, asked);
    const session = await sessionOf(deps, request);
    // As after a double click: what was asked for is so.
    if (session === null) return finish(deps, request, reply, asked, null);
    const { parameters } = reading;
    const decision = parameters.get('decision');
    const browser = readCookie(deps, request, 'browser');
    const isOurForm = browser !== null && isCsrfToken(deps.keys, formOf(session), browser, parameters.get('csrf'));
    if (!isOurForm || (decision !== 'approve' && decision !== 'deny')) {
      tell(request, 'refused', { reason: 'form_refused' });
      return sendPage(reply, 403, problemPage(FORM_REFUSED));
    }
    if (decision === 'deny') return stay(deps, request, reply, asked, session);
    await endSession(deps, request, reply);
    return finish(deps, request, reply, asked, session);
  });

  for (const [url, methods] of [
    [LOGOUT, ['GET', 'POST']],
    [DECISION, ['POST']],
  ] as const) {
    refusedOtherMethods(app, url, methods, (reply) =>
      noStore(reply)
        .code(405)
        .send({ error: 'invalid_request', error_description: `Use ${methods.join(' or ')}.` }),
    );
  }
}

type Reading = ParameterReading<(typeof LOGOUT_PARAMETERS)[number]>;

const readRequest = (deps: HttpDeps, reading: Reading): Promise<LogoutRequest | RefusedLogout> =>
  readLogoutRequest(
    reading,
    (token) => readIdTokenHint(deps.keyRing, deps.issuer, token),
    (clientId) => findClient(deps.db, clientId),
  );

/** A form is good for the session that it was shown to: whoever signs in afterwards decides for themselves. */
const formOf = ({ sid }: Session): string => `logout of ${sid}`;

function ask(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { client, redirectUri, state }: LogoutRequest,
  session: Session,
): FastifyReply {
  const browser = browserCookie(deps, request, reply);
  return sendPage(
    reply,
    200,
    logoutPage({
      action: pathUnder(deps.issuer, DECISION),
      // The hint has said which client it is; the token itself stands on no page.
      hidden: {
        csrf: csrfToken(deps.keys, formOf(session), browser),
        ...(client && { client_id: client.clientId }),
        ...(redirectUri !== null && { post_logout_redirect_uri: redirectUri }),
        ...(state !== null && { state }),
      },
      username: session.username,
      clientName: client?.clientName ?? null,
      destination: redirectUri === null ? null : destinationOf(redirectUri),
      permissions: pathUnder(deps.issuer, '/permissions'),
    }),
  );
}

/** @param ended the session that was ended; null: there was none. */
function finish(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: LogoutRequest,
  ended: Session | null,
): FastifyReply {
  const facts = { clientId: asked.client?.clientId ?? null, userId: ended?.userId ?? null };
  tell(request, ended ? 'signed out' : 'nobody to sign out', facts);
  const next = afterLogout(asked);
  if (next !== null) return seeOther(reply, next);
  const permissions = pathUnder(deps.issuer, '/permissions');
  return sendPage(reply, 200, signedOutPage({ wasSignedIn: ended !== null, permissions }));
}

function stay(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: LogoutRequest,
  { username, userId }: Session,
): FastifyReply {
  tell(request, 'stays signed in', { clientId: asked.client?.clientId ?? null, userId });
  const href = afterLogout(asked);
  const back = asked.client && href !== null ? { name: asked.client.clientName, href } : null;
  return sendPage(
    reply,
    200,
    stillSignedInPage({ username, back, permissions: pathUnder(deps.issuer, '/permissions') }),
  );
}

function refuse(deps: HttpDeps, request: FastifyRequest, reply: FastifyReply, refused: RefusedLogout): FastifyReply {
  const { kind: _, ...facts } = refused;
  tell(request, 'refused', facts);
  return sendPage(
    reply,
    400,
    refusedLogoutPage({ what: WHAT[refused.reason], signOut: pathUnder(deps.issuer, LOGOUT) }),
  );
}

const WHAT: Readonly<Record<RefusedLogout['reason'], string>> = {
  malformed_request: 'What the app sent is repeated or malformed.',
  id_token_hint_unknown:
    'The app sent an ID Token (id_token_hint) that this server did not make, or cannot check any more.',
  client_mismatch: 'The app named itself (client_id) otherwise than in the ID Token that it sent (id_token_hint).',
  client_unknown: 'No app is registered here under the client_id that was sent.',
  client_missing:
    'The app asks for the browser back (post_logout_redirect_uri), and did not say who it is: that takes id_token_hint or client_id.',
  post_logout_redirect_uri_mismatch: 'The app asks for the browser back at an address that is not registered for it.',
};

const FORM_REFUSED = {
  title: 'This form cannot be accepted',
  what: 'It was not made by this server for this browser and this session, or it was changed on the way. Nothing happened.',
  next: 'Go back to the app and sign out from there, or reload the page that asked.',
};
