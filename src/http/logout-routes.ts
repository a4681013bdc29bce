/** /oauth/logout (OpenID Connect RP-Initiated Logout 1.0): HTTP around src/protocol/logout.ts. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { uiLocalesIn, uiLocalesParameter } from '../oauth/ui-locales.ts';
import { pathUnder } from '../oauth/urls.ts';
import {
  decideLogout,
  handleLogoutRequest,
  handleLogoutRequestByPost,
  type LogoutDecisionOutcome,
  type LogoutDeps,
  type LogoutOutcome,
} from '../protocol/logout.ts';
import { clearSiteData } from './clear-site-data.ts';
import { destinationOf } from './destination.ts';
import { bodyOf, queryOf } from './form-body.ts';
import { lookOf } from './look.ts';
import { refuseOtherMethods } from './other-methods.ts';
import type { PageParts } from './page-parts.ts';
import { sendProblem } from './problem.ts';
import { setLogLine } from './request-log.ts';
import { noStore, seeOther, sendPage } from './security-headers.ts';
import { logoutPage, refusedLogoutPage, signedOutPage, stillSignedInPage } from './views/logout.ts';

export type LogoutRoutesOptions = LogoutDeps & PageParts;

const LOGOUT = '/oauth/logout';
/** The request that the browser repeats by GET. */
const withQuery = (path: string, query: string, uiLocales: readonly string[]): string => {
  const all = [query, new URLSearchParams(uiLocalesParameter(uiLocales)).toString()].filter((part) => part !== '');
  return all.length === 0 ? path : `${path}?${all.join('&')}`;
};

const DECISION = '/oauth/logout/decision';

type Outcome = LogoutOutcome | LogoutDecisionOutcome | Awaited<ReturnType<typeof handleLogoutRequestByPost>>;

export const logoutRoutes = fp<LogoutRoutesOptions>(
  async (app, options) => {
    const { cookies, csrf } = options;
    const logout = pathUnder(options.issuer, LOGOUT);
    const decision = pathUnder(options.issuer, DECISION);
    const permissions = pathUnder(options.issuer, '/permissions');

    app.get(LOGOUT, async (request, reply) => {
      const encoded = queryOf(request);
      return send(
        request,
        reply,
        await handleLogoutRequest(options, encoded, cookies.hash(request, 'session')),
        encoded,
      );
    });
    app.post(LOGOUT, async (request, reply) => {
      const encoded = bodyOf(request.body);
      return send(request, reply, await handleLogoutRequestByPost(options, encoded), encoded);
    });
    app.post(DECISION, async (request, reply) => {
      const form = {
        encoded: bodyOf(request.body),
        cookie: cookies.hash(request, 'session'),
        isOurForm: csrf.checkOf(request),
      };
      return send(request, reply, await decideLogout(options, form), form.encoded);
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

    async function send(
      request: FastifyRequest,
      reply: FastifyReply,
      outcome: Outcome,
      encoded: string,
    ): Promise<FastifyReply> {
      const asked = { uiLocales: uiLocalesIn(encoded) };
      const look = () => lookOf(request, asked);
      const leave = async (next: string | null, wasSignedIn: boolean): Promise<FastifyReply> =>
        next === null
          ? sendPage(reply, 200, signedOutPage(await look(), { wasSignedIn, permissions }))
          : seeOther(reply, next);
      switch (outcome.kind) {
        case 'refused': {
          const { kind: _, ...facts } = outcome;
          setLogLine(request, 'refused', facts);
          return sendPage(reply, 400, refusedLogoutPage(await look(), { reason: outcome.reason, signOut: logout }));
        }
        case 'repeatByGet':
          return seeOther(reply, withQuery(logout, outcome.query, asked.uiLocales));
        case 'ask':
          return ask(request, reply, outcome, asked);
        case 'signedOut': {
          cookies.clear(reply, 'session');
          clearSiteData(reply, options.issuer);
          const { clientId, userId, next } = outcome;
          setLogLine(request, 'signed out', { clientId, userId });
          return leave(next, true);
        }
        case 'notSignedIn':
          setLogLine(request, 'not signed in', { clientId: outcome.clientId });
          return leave(outcome.next, false);
        case 'staysSignedIn': {
          const { clientId, userId, username, back } = outcome;
          setLogLine(request, 'stays signed in', { clientId, userId });
          return sendPage(reply, 200, stillSignedInPage(await look(), { username, back, permissions }));
        }
        case 'formRefused':
          setLogLine(request, 'refused', { reason: 'form_refused' });
          return sendProblem(request, reply, 403, ({ problems }) => problems.signOutFormRefused, asked);
      }
    }

    async function ask(
      request: FastifyRequest,
      reply: FastifyReply,
      { username, formPurpose, request: { client, redirectUri, state } }: Extract<LogoutOutcome, { kind: 'ask' }>,
      asked: { readonly uiLocales: readonly string[] },
    ): Promise<FastifyReply> {
      const look = await lookOf(request, asked);
      return sendPage(
        reply,
        200,
        logoutPage(look, {
          action: decision,
          // The hint identifies the client. No page contains the ID Token itself.
          hidden: {
            csrf: csrf.token(request, reply, formPurpose),
            ...(client && { client_id: client.clientId }),
            ...(redirectUri !== null && { post_logout_redirect_uri: redirectUri }),
            ...(state !== null && { state }),
            ...uiLocalesParameter(asked.uiLocales),
          },
          username,
          clientName: client?.clientName ?? null,
          destination: redirectUri === null ? null : destinationOf(look, redirectUri),
          permissions,
        }),
      );
    }
  },
  { name: 'logout-routes', dependencies: ['@fastify/cookie'], encapsulate: true },
);
