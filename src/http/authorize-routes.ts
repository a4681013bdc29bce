/** GET and POST /oauth/authorize: prove client and redirect URI, check the rest, begin an interaction. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readIdTokenHint } from '../crypto/id-token-hint.ts';
import { type InteractionWorld, interact } from '../lifecycles/interaction.ts';
import { errorDescription } from '../oauth/errors.ts';
import { asQuery, parseParameters } from '../oauth/parameters.ts';
import { pathUnder } from '../oauth/urls.ts';
import {
  AUTHORIZATION_PARAMETERS,
  checkAuthorizationRequest,
  proveClientAndRedirectUri,
  responseModeOf,
} from '../protocol/authorization-request.ts';
import { findClient } from '../storage/clients.ts';
import { insertInteraction } from '../storage/interaction-store.ts';
import { answerClient } from './authorization-response.ts';
import { browserCookie, cookieHash } from './cookies.ts';
import type { HttpDeps } from './deps.ts';
import { bodyOf, queryOf } from './form-body.ts';
import { answerInteraction, interactionDeps } from './interaction-answer.ts';
import { refusedOtherMethods } from './other-methods.ts';
import { tell } from './request-log.ts';
import { noStore, seeOther, sendPage } from './security-headers.ts';
import { sessionOf } from './session.ts';
import { unprovenPage } from './unproven-page.ts';

export function authorizeRoutes(app: FastifyInstance, deps: HttpDeps): void {
  const interactions = interactionDeps(deps);
  app.get('/oauth/authorize', (request, reply) => authorize(deps, interactions, request, reply, queryOf(request)));
  app.post('/oauth/authorize', (request, reply) => authorize(deps, interactions, request, reply, bodyOf(request.body)));
  refusedOtherMethods(app, '/oauth/authorize', ['GET', 'POST'], (reply) =>
    noStore(reply).code(405).send({ error: 'invalid_request', error_description: 'Use GET or POST.' }),
  );
}

async function authorize(
  deps: HttpDeps,
  interactions: InteractionWorld,
  request: FastifyRequest,
  reply: FastifyReply,
  encoded: string,
): Promise<FastifyReply> {
  const reading = parseParameters(encoded, AUTHORIZATION_PARAMETERS);
  const proven = await proveClientAndRedirectUri(reading, (clientId) => findClient(deps.db, clientId));
  if (proven.kind === 'unproven') {
    const { kind: _, ...facts } = proven;
    tell(request, 'refused', facts);
    return sendPage(reply, 400, unprovenPage(proven, deps.production));
  }
  const { parameters } = reading;
  const state = parameters.get('state');
  const responseMode = responseModeOf(parameters);
  const checked = await checkAuthorizationRequest(reading, proven.client, deps.configuration(), (idToken) =>
    readIdTokenHint(deps.keyRing, deps.issuer, idToken),
  );
  if (checked.kind === 'error') {
    tell(request, 'refused', { reason: checked.reason, clientId: proven.client.clientId, detail: checked.description });
    const { redirectUri } = proven;
    const error = { error: checked.error, error_description: errorDescription(checked.description) };
    return answerClient(reply, deps.issuer, { redirectUri, responseMode, state }, error);
  }
  // A POST from the client's site carries no SameSite=Lax cookie; the GET that follows a redirect does.
  if (request.method === 'POST')
    return seeOther(
      reply,
      `${pathUnder(deps.issuer, '/oauth/authorize')}?${asQuery(parameters, AUTHORIZATION_PARAMETERS)}`,
    );

  const browser = browserCookie(deps, request, reply);
  const session = await sessionOf(deps, request);
  const id = deps.random.uuid();
  await insertInteraction(deps.db, deps.clock, {
    id,
    browserHash: cookieHash(browser),
    clientId: proven.client.clientId,
    clientEpoch: proven.client.epoch,
    redirectUri: proven.redirectUri,
    codeChallenge: checked.codeChallenge,
    scope: checked.access.scope,
    resources: checked.access.resources,
    requestState: state,
    nonce: checked.nonce,
    prompt: checked.prompt,
    maxAgeSeconds: checked.maxAgeSeconds,
    hintedUserId: checked.hintedUserId,
    loginHint: checked.loginHint,
    responseMode,
    lifetimeSeconds: deps.configuration().signIn.interactionLifetimeSeconds,
  });
  const outcome = await interact(interactions, id, 'requested', session);
  return answerInteraction(deps, request, reply, outcome);
}
