/** GET and POST /oauth/authorize: HTTP around src/protocol/authorize.ts. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { uiLocalesIn, uiLocalesParameter } from '../oauth/ui-locales.ts';
import { pathUnder } from '../oauth/urls.ts';
import { type AuthorizeDeps, type AuthorizeOutcome, handleAuthorizationRequest } from '../protocol/authorize.ts';
import type { DocumentRefused } from '../protocol/described-client.ts';
import type { PushedRefused } from '../protocol/pushed-parameters.ts';
import { REQUEST_OBJECT_WORDS, type RequestObjectRefused } from '../protocol/request-object.ts';
import { addressKey } from './address-key.ts';
import { sendAuthorizationResponse } from './authorization-response.ts';
import { bodyOf, queryOf } from './form-body.ts';
import { sendInteractionStep } from './interaction-outcome.ts';
import { lookOf } from './look.ts';
import { refuseOtherMethods } from './other-methods.ts';
import type { PageParts } from './page-parts.ts';
import { sendProblem } from './problem.ts';
import { setLogLine } from './request-log.ts';
import { noStore, seeOther, sendPage } from './security-headers.ts';
import { unverifiedRequestPage } from './unverified-request-page.ts';
import type { ProblemView } from './views/problem.ts';
import type { Words } from './words/words.ts';

export type AuthorizeRoutesOptions = AuthorizeDeps &
  Pick<PageParts, 'cookies'> & {
    /** Development shows on pages the details that production only logs. */
    readonly production: boolean;
  };

const AUTHORIZE = '/oauth/authorize';

export const authorizeRoutes = fp<AuthorizeRoutesOptions>(
  async (app, options) => {
    app.get(AUTHORIZE, (request, reply) => authorizeByGet(options, request, reply));
    // A POST from the client's site carries no SameSite=Lax cookie. The GET that follows a redirect does.
    app.post(AUTHORIZE, async (request, reply) => {
      const encoded = bodyOf(request.body);
      const outcome = await handleAuthorizationRequest(options, {
        encoded,
        cookies: null,
        address: addressOf(request),
      });
      return send(options, request, reply, outcome, encoded);
    });
    refuseOtherMethods(app, AUTHORIZE, ['GET', 'POST'], (reply) =>
      noStore(reply).code(405).send({ error: 'invalid_request', error_description: 'Use GET or POST.' }),
    );
  },
  { name: 'authorize-routes', dependencies: ['@fastify/cookie'], encapsulate: true },
);

async function authorizeByGet(
  options: AuthorizeRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { cookies } = options;
  const encoded = queryOf(request);
  const known = cookies.hash(request, 'browser');
  const created = cookies.create();
  const outcome = await handleAuthorizationRequest(options, {
    encoded,
    address: addressOf(request),
    cookies: { browser: known ?? created.hash, session: cookies.hash(request, 'session') },
  });
  if (known === null && 'interactionId' in outcome) cookies.set(reply, 'browser', created);
  return send(options, request, reply, outcome, encoded);
}

/** @param encoded the request, where the response precedes the reading of its parameters. */
async function send(
  { issuer, production }: AuthorizeRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: AuthorizeOutcome,
  encoded: string,
): Promise<FastifyReply> {
  const asked = { uiLocales: uiLocalesIn(encoded) };
  switch (outcome.kind) {
    case 'unverified': {
      const { kind: _, ...facts } = outcome;
      setLogLine(request, 'refused', facts);
      return sendPage(reply, 400, unverifiedRequestPage(await lookOf(request, asked), outcome, production));
    }
    case 'invalid': {
      const { kind: _, response, ...facts } = outcome;
      setLogLine(request, 'refused', facts);
      return sendAuthorizationResponse(request, reply, response, asked);
    }
    case 'shownLocally': {
      const { kind: _, ...facts } = outcome;
      setLogLine(request, 'refused', facts);
      return sendProblem(request, reply, 400, shownLocally(outcome.detail), asked);
    }
    case 'pushedRefused': {
      const { kind: _, ...facts } = outcome;
      setLogLine(request, 'refused', facts);
      return sendProblem(request, reply, 400, pushedRefused(outcome.reason), asked);
    }
    case 'documentRefused': {
      const { kind: _, ...facts } = outcome;
      setLogLine(request, 'refused', facts);
      return sendProblem(
        request,
        reply,
        outcome.reason === 'too_many_fetches' ? 429 : 400,
        documentRefused(outcome),
        asked,
      );
    }
    case 'requestObjectRefused': {
      const { kind: _, ...facts } = outcome;
      setLogLine(request, 'refused', facts);
      return sendProblem(request, reply, 400, requestObjectRefused(outcome.reason), asked);
    }
    case 'repeatByGet':
      return seeOther(reply, `${pathUnder(issuer, AUTHORIZE)}?${outcome.query}${spoken(asked.uiLocales)}`);
    default:
      return sendInteractionStep(issuer, request, reply, outcome);
  }
}

const spoken = (uiLocales: readonly string[]): string =>
  uiLocales.length === 0 ? '' : `&${new URLSearchParams(uiLocalesParameter(uiLocales))}`;

const addressOf = (request: FastifyRequest) => () => addressKey(request.ip, request.socket.remoteAddress ?? '');

const documentRefused =
  ({ reason, problem }: DocumentRefused) =>
  ({ clientDocument }: Words): ProblemView => ({
    title: clientDocument.title,
    what: clientDocument.reasons[reason],
    next: clientDocument.next,
    technical: problem === null ? reason : `${reason}: ${problem}`,
  });

const pushedRefused =
  (reason: PushedRefused['reason']) =>
  ({ pushed }: Words): ProblemView => ({ ...pushed, what: pushed.reasons[reason], technical: reason });

const requestObjectRefused =
  (reason: RequestObjectRefused['reason']) =>
  ({ unverified: { title, requestObject, next } }: Words): ProblemView => ({
    title,
    what: requestObject,
    next,
    technical: `invalid_request_object: ${REQUEST_OBJECT_WORDS[reason]}`,
  });

const shownLocally =
  (technical: string) =>
  ({ problems }: Words): ProblemView => ({ ...problems.shownLocally, technical });
