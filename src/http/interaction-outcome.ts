/** From the outcome of a step of an interaction to what the browser gets. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathUnder } from '../oauth/urls.ts';
import type { InteractionRefused, InteractionStepOutcome } from '../protocol/interaction-step.ts';
import { sendAuthorizationResponse } from './authorization-response.ts';
import { setLogLine } from './request-log.ts';
import { seeOther, sendPage } from './security-headers.ts';
import { type ProblemView, problemPage } from './views/problem.ts';

type Named = { readonly interactionId: string; readonly sealed: string | null };

/** The id, and after a dot what is sealed, until the interaction is stored. */
export const interactionPath = (issuer: string, { interactionId, sealed }: Named, rest = ''): string =>
  pathUnder(issuer, `/interactions/${interactionId}${sealed === null ? '' : `.${sealed}`}${rest}`);

export function sendInteractionStep(
  issuer: string,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: InteractionStepOutcome,
): FastifyReply {
  if (outcome.kind === 'refused') return sendInteractionRefused(request, reply, outcome);
  const { interactionId, clientId } = outcome;
  const facts = { clientId, interactionId };
  switch (outcome.kind) {
    case 'continued':
      if (outcome.reason !== null) setLogLine(request, 'refused', { ...facts, reason: outcome.reason });
      return seeOther(reply, interactionPath(issuer, outcome));
    case 'approved':
      setLogLine(request, 'approved', facts);
      return sendAuthorizationResponse(reply, outcome.response);
    case 'denied':
      setLogLine(request, 'refused', { ...facts, reason: outcome.error });
      return sendAuthorizationResponse(reply, outcome.response);
  }
}

export function sendInteractionRefused(
  request: FastifyRequest,
  reply: FastifyReply,
  { kind: _, ...facts }: InteractionRefused,
): FastifyReply {
  setLogLine(request, 'refused', facts);
  const { status, ...view } = PAGES[facts.reason];
  return sendPage(reply, status, problemPage(view));
}

const PAGES: Readonly<Record<InteractionRefused['reason'], ProblemView & { readonly status: 400 | 403 | 404 }>> = {
  interaction_unknown: {
    status: 404,
    title: 'This sign-in is not known',
    what: 'It does not exist, or it was cleaned away some time ago.',
    next: 'Go back to the app and start again.',
  },
  another_browser: {
    status: 403,
    title: 'This page belongs to another browser',
    what: 'A sign-in can only go on in the browser in which it began, and that browser keeps a cookie for it. This one sent none, or another.',
    next: 'Allow cookies for this site, go back to the app, and start again.',
  },
  form_refused: {
    status: 403,
    title: 'This form cannot be accepted',
    what: 'It was not made by this server for this browser, or it was changed on the way. Nothing happened.',
    next: 'Go back to the app and start again.',
  },
  interaction_expired: {
    status: 400,
    title: 'This took too long',
    what: 'The sign-in was open for longer than it may be, so it has ended.',
    next: 'Go back to the app and start again.',
  },
  interaction_completed: {
    status: 400,
    title: 'Already answered',
    what: 'You have answered this request before, and that answer stays.',
    next: 'Go back to the app. If it does not let you in, start again from there.',
  },
  client_ended: {
    status: 400,
    title: 'This app is no longer registered',
    what: 'The app that sent you was removed, or all of its access was ended, while this page was open.',
    next: 'Go back to the app and start again, or ask its makers.',
  },
};
