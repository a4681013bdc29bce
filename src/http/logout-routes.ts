/** /oauth/logout (OpenID Connect RP-Initiated Logout 1.0): HTTP around src/protocol/logout.ts. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { pathUnder } from '../oauth/urls.ts';
import {
  decideLogout,
  handleLogoutRequest,
  handleLogoutRequestByPost,
  type LogoutDecisionOutcome,
  type LogoutDeps,
  type LogoutOutcome,
} from '../protocol/logout.ts';
import type { RefusedLogout } from '../protocol/logout-request.ts';
import { destinationOf } from './destination.ts';
import { bodyOf, queryOf } from './form-body.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { setLogLine } from './request-log.ts';
import { noStore, seeOther, sendPage } from './security-headers.ts';
import { logoutPage, refusedLogoutPage, signedOutPage, stillSignedInPage } from './views/logout.ts';
import { problemPage } from './views/problem.ts';

const LOGOUT = '/oauth/logout';
const DECISION = '/oauth/logout/decision';

type Outcome = LogoutOutcome | LogoutDecisionOutcome | Awaited<ReturnType<typeof handleLogoutRequestByPost>>;

export const logoutRoutes = fp<LogoutDeps>(
  async (app, options) => {
    const { browserCookies: cookies, csrf } = app;
    const logout = pathUnder(options.issuer, LOGOUT);
    const decision = pathUnder(options.issuer, DECISION);
    const permissions = pathUnder(options.issuer, '/permissions');

    app.get(LOGOUT, async (request, reply) =>
      send(request, reply, await handleLogoutRequest(options, queryOf(request), cookies.hash(request, 'session'))),
    );
    app.post(LOGOUT, async (request, reply) =>
      send(request, reply, await handleLogoutRequestByPost(options, bodyOf(request.body))),
    );
    app.post(DECISION, async (request, reply) => {
      const form = {
        encoded: bodyOf(request.body),
        cookie: cookies.hash(request, 'session'),
        isOurForm: csrf.checkOf(request),
      };
      return send(request, reply, await decideLogout(options, form));
    });
    for (const [url, methods] of [
      [LOGOUT, ['GET', 'POST']],
      [DECISION, ['POST']],
    ] as const) {
      refuseOtherMethods(app, url, methods, (reply) =>
        noStore(reply)
          .code(405)
          .send({ error: 'invalid_request', error_description: `Use ${methods.join(' or ')}.` }),
      );
    }

    function send(request: FastifyRequest, reply: FastifyReply, outcome: Outcome): FastifyReply {
      switch (outcome.kind) {
        case 'refused': {
          const { kind: _, ...facts } = outcome;
          setLogLine(request, 'refused', facts);
          return sendPage(reply, 400, refusedLogoutPage({ what: WHAT[outcome.reason], signOut: logout }));
        }
        case 'repeatByGet':
          return seeOther(reply, `${logout}${outcome.query && `?${outcome.query}`}`);
        case 'ask':
          return ask(request, reply, outcome);
        case 'signedOut': {
          cookies.clear(reply, 'session');
          const { clientId, userId, next } = outcome;
          setLogLine(request, 'signed out', { clientId, userId });
          return leave(reply, next, true);
        }
        case 'notSignedIn':
          setLogLine(request, 'not signed in', { clientId: outcome.clientId });
          return leave(reply, outcome.next, false);
        case 'staysSignedIn': {
          const { clientId, userId, username, back } = outcome;
          setLogLine(request, 'stays signed in', { clientId, userId });
          return sendPage(reply, 200, stillSignedInPage({ username, back, permissions }));
        }
        case 'formRefused':
          setLogLine(request, 'refused', { reason: 'form_refused' });
          return sendPage(reply, 403, problemPage(FORM_REFUSED));
      }
    }

    const leave = (reply: FastifyReply, next: string | null, wasSignedIn: boolean): FastifyReply =>
      next === null ? sendPage(reply, 200, signedOutPage({ wasSignedIn, permissions })) : seeOther(reply, next);

    function ask(
      request: FastifyRequest,
      reply: FastifyReply,
      { username, formPurpose, request: { client, redirectUri, state } }: Extract<LogoutOutcome, { kind: 'ask' }>,
    ): FastifyReply {
      return sendPage(
        reply,
        200,
        logoutPage({
          action: decision,
          // The hint named the client; the ID Token itself stands on no page.
          hidden: {
            csrf: csrf.token(request, reply, formPurpose),
            ...(client && { client_id: client.clientId }),
            ...(redirectUri !== null && { post_logout_redirect_uri: redirectUri }),
            ...(state !== null && { state }),
          },
          username,
          clientName: client?.clientName ?? null,
          destination: redirectUri === null ? null : destinationOf(redirectUri),
          permissions,
        }),
      );
    }
  },
  { name: 'logout-routes', dependencies: ['browser-cookies', 'csrf'], encapsulate: true },
);

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
