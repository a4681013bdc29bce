/** Turns the outcome of a step of an interaction into the response to the browser. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathUnder } from '../oauth/urls.ts';
import type { InteractionRefused, InteractionStepOutcome } from '../protocol/interaction-step.ts';
import { sendAuthorizationResponse } from './authorization-response.ts';
import { sendProblem } from './problem.ts';
import { setLogLine } from './request-log.ts';
import { seeOther } from './security-headers.ts';
import { signUpPath } from './sign-in-help.ts';

type Named = { readonly interactionId: string; readonly sealed: string | null };

/** The id, and after a dot the sealed state, until the interaction is stored. */
export const interactionName = ({ interactionId, sealed }: Named): string =>
  sealed === null ? interactionId : `${interactionId}.${sealed}`;

export const interactionPath = (issuer: string, named: Named, rest = ''): string =>
  pathUnder(issuer, `/interactions/${interactionName(named)}${rest}`);

export async function sendInteractionStep(
  issuer: string,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: InteractionStepOutcome,
): Promise<FastifyReply> {
  if (outcome.kind === 'refused') return sendInteractionRefused(request, reply, outcome);
  const { interactionId, clientId, uiLocales } = outcome;
  const facts = { clientId, interactionId };
  switch (outcome.kind) {
    case 'continued':
      if (outcome.reason !== null) setLogLine(request, 'refused', { ...facts, reason: outcome.reason });
      return seeOther(reply, interactionPath(issuer, outcome));
    case 'signUp':
      return seeOther(reply, signUpPath(issuer, interactionName(outcome)));
    case 'approved':
      setLogLine(request, 'approved', facts);
      return sendAuthorizationResponse(request, reply, outcome.response, { uiLocales });
    case 'denied':
      setLogLine(request, 'refused', { ...facts, reason: outcome.error });
      return sendAuthorizationResponse(request, reply, outcome.response, { uiLocales });
  }
}

export function sendInteractionRefused(
  request: FastifyRequest,
  reply: FastifyReply,
  { kind: _, uiLocales, wayBack, ...facts }: InteractionRefused,
): Promise<FastifyReply> {
  setLogLine(request, 'refused', facts);
  const { reason } = facts;
  return sendProblem(
    request,
    reply,
    STATUS[reason],
    ({ interaction }) => ({ ...interaction[reason], ...(wayBack && { wayBack }) }),
    {
      uiLocales,
    },
  );
}

const STATUS: Readonly<Record<InteractionRefused['reason'], 400 | 403 | 404>> = {
  interaction_unknown: 404,
  another_browser: 403,
  form_refused: 403,
  interaction_expired: 400,
  interaction_completed: 400,
  client_ended: 400,
  request_answered: 400,
};
