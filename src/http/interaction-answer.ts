/** From what the interaction machine decided to what the browser gets. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthorizationRefusal, RejectReason } from '../../machines/vocabulary.ts';
import { policyOf } from '../config/configuration.ts';
import { authorizationCodeOf, repeatedAuthorizationCode } from '../crypto/authorization-code.ts';
import type { InteractionOutcome, InteractionWorld } from '../lifecycles/interaction.ts';
import { sessionEndsAt, sessionIdleEndsAt } from '../model/session.ts';
import { isRegisteredRedirectUri } from '../oauth/redirect-uri.ts';
import { pathUnder } from '../oauth/urls.ts';
import { answerClient } from './authorization-response.ts';
import type { HttpDeps } from './deps.ts';
import { tell } from './request-log.ts';
import { seeOther, sendPage } from './security-headers.ts';
import { problemPage } from './views/problem.ts';

export const interactionDeps = (deps: HttpDeps): InteractionWorld => ({
  store: deps.interactions,
  makeGrantId: deps.random.uuid,
  makeCode: (grantId) => authorizationCodeOf(deps.keys, grantId),
  remakeCode: (grantId, storedHash) => repeatedAuthorizationCode(deps.keys, grantId, storedHash),
  sleep: deps.sleep,
  lifetimesOf: (client) => policyOf(deps.configuration(), client),
  sessionEndsAt: (session) => {
    const { signIn } = deps.configuration();
    return Math.min(sessionEndsAt(session, signIn), sessionIdleEndsAt(session, signIn));
  },
  isStillRegistered: (client, { redirectUri }) =>
    client.grantTypes.includes('authorization_code') && isRegisteredRedirectUri(client, redirectUri),
});

export const interactionPath = (deps: HttpDeps, id: string, rest = ''): string =>
  pathUnder(deps.issuer, `/interactions/${id}${rest}`);

export function answerInteraction(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: InteractionOutcome | null,
): FastifyReply {
  if (!outcome) {
    tell(request, 'refused', { reason: 'interaction_unknown' });
    return sendPage(reply, 404, problemPage(UNKNOWN));
  }
  const { interaction, client } = outcome;
  const facts = { clientId: client.clientId, interactionId: interaction.id };
  switch (outcome.kind) {
    case 'signIn':
    case 'consent':
      return seeOther(reply, interactionPath(deps, interaction.id));
    case 'approved':
      tell(request, 'approved', facts);
      return toClient(deps, reply, outcome, { code: outcome.code });
    case 'denied':
      tell(request, 'refused', { ...facts, reason: outcome.error });
      return toClient(deps, reply, outcome, {
        error: outcome.error,
        error_description: WHY_DENIED[outcome.error],
      });
    case 'rejected':
      tell(request, 'refused', { ...facts, reason: outcome.reason });
      if (outcome.reason === 'sign_in_required' || outcome.reason === 'user_changed') {
        return seeOther(reply, interactionPath(deps, interaction.id));
      }
      return sendPage(reply, 400, problemPage(PROBLEMS[outcome.reason] ?? UNKNOWN));
  }
}

function toClient(
  deps: HttpDeps,
  reply: FastifyReply,
  { interaction }: InteractionOutcome,
  answer: Readonly<Record<string, string>>,
): FastifyReply {
  const { redirectUri, responseMode, requestState: state } = interaction;
  return answerClient(reply, deps.issuer, { redirectUri, responseMode, state }, answer);
}

const WHY_DENIED: Readonly<Record<AuthorizationRefusal, string>> = {
  access_denied: 'The resource owner denied the request.',
  login_required: 'The resource owner has to sign in: nobody is signed in, too long ago, or as another person.',
  consent_required: 'The resource owner has to consent.',
};

export const UNKNOWN = {
  title: 'This sign-in is not known',
  what: 'It does not exist, or it was cleaned away some time ago.',
  next: 'Go back to the app and start again.',
};

export const PROBLEMS: Readonly<Partial<Record<RejectReason, typeof UNKNOWN>>> = {
  interaction_expired: {
    title: 'This took too long',
    what: 'The sign-in was open for longer than it may be, so it has ended.',
    next: 'Go back to the app and start again.',
  },
  interaction_completed: {
    title: 'Already answered',
    what: 'You have answered this request before, and that answer stays.',
    next: 'Go back to the app. If it does not let you in, start again from there.',
  },
  client_ended: {
    title: 'This app is no longer registered',
    what: 'The app that sent you was removed, or all of its access was ended, while this page was open.',
    next: 'Go back to the app and start again, or ask its makers.',
  },
};
