/** GET and POST /oauth/authorize: HTTP around src/protocol/authorize.ts. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { pathUnder } from '../oauth/urls.ts';
import { type AuthorizeDeps, type AuthorizeOutcome, handleAuthorizationRequest } from '../protocol/authorize.ts';
import { sendAuthorizationResponse } from './authorization-response.ts';
import { bodyOf, queryOf } from './form-body.ts';
import { sendInteractionStep } from './interaction-outcome.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { setLogLine } from './request-log.ts';
import { noStore, seeOther, sendPage } from './security-headers.ts';
import { unverifiedRequestPage } from './unverified-request-page.ts';
import { problemPage } from './views/problem.ts';

export type AuthorizeRoutesOptions = AuthorizeDeps & {
  /** Development shows on pages what production only logs. */
  readonly production: boolean;
};

const AUTHORIZE = '/oauth/authorize';

export const authorizeRoutes = fp<AuthorizeRoutesOptions>(
  async (app, options) => {
    app.get(AUTHORIZE, (request, reply) => authorizeByGet(app, options, request, reply));
    // A POST from the client's site carries no SameSite=Lax cookie; the GET that follows a redirect does.
    app.post(AUTHORIZE, async (request, reply) => {
      const encoded = bodyOf(request.body);
      const outcome = await handleAuthorizationRequest(options, { encoded, cookies: null });
      return send(options, request, reply, outcome);
    });
    refuseOtherMethods(app, AUTHORIZE, ['GET', 'POST'], (reply) =>
      noStore(reply).code(405).send({ error: 'invalid_request', error_description: 'Use GET or POST.' }),
    );
  },
  { name: 'authorize-routes', dependencies: ['browser-cookies'], encapsulate: true },
);

async function authorizeByGet(
  { browserCookies: cookies }: FastifyInstance,
  options: AuthorizeRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const known = cookies.hash(request, 'browser');
  const created = cookies.create();
  const outcome = await handleAuthorizationRequest(options, {
    encoded: queryOf(request),
    cookies: { browser: known ?? created.hash, session: cookies.hash(request, 'session') },
  });
  if (known === null && 'interactionId' in outcome) cookies.set(reply, 'browser', created);
  return send(options, request, reply, outcome);
}

function send(
  { issuer, production }: AuthorizeRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: AuthorizeOutcome,
): FastifyReply {
  switch (outcome.kind) {
    case 'unverified': {
      const { kind: _, ...facts } = outcome;
      setLogLine(request, 'refused', facts);
      return sendPage(reply, 400, unverifiedRequestPage(outcome, production));
    }
    case 'invalid': {
      const { kind: _, response, ...facts } = outcome;
      setLogLine(request, 'refused', facts);
      return sendAuthorizationResponse(reply, response);
    }
    case 'keptHere': {
      const { kind: _, ...facts } = outcome;
      setLogLine(request, 'refused', facts);
      return sendPage(reply, 400, problemPage({ ...KEPT_HERE, what: `${KEPT_HERE.what} ${outcome.detail}` }));
    }
    case 'repeatByGet':
      return seeOther(reply, `${pathUnder(issuer, AUTHORIZE)}?${outcome.query}`);
    default:
      return sendInteractionStep(issuer, request, reply, outcome);
  }
}

const KEPT_HERE = {
  title: 'This app asked for something that it cannot have',
  what: 'It registered itself here, and nobody has checked where it would send you, so you stay here. What was wrong:',
  next: 'Go back to the app. If it is yours, compare its request with its registration.',
};
