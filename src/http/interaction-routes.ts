/** The pages between the authorization request and the redirect: sign in, decide. Bound to the browser that began. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sameSecretBytes } from '../crypto/digest.ts';
import { interact, type LoadedInteraction } from '../lifecycles/interaction.ts';
import type { Session } from '../model/session.ts';
import { parseParameters } from '../oauth/parameters.ts';
import { leadsToThisDevice } from '../oauth/redirect-uri.ts';
import { describeAccess, OFFLINE_ACCESS } from '../protocol/requested-access.ts';
import { cookieHash, readCookie } from './cookies.ts';
import { csrfToken, isCsrfToken } from './csrf.ts';
import type { HttpDeps } from './deps.ts';
import { destinationOf } from './destination.ts';
import { bodyOf } from './form-body.ts';
import { answerInteraction, interactionDeps, interactionPath, UNKNOWN } from './interaction-answer.ts';
import { tell } from './request-log.ts';
import { noStore, seeOther, sendPage } from './security-headers.ts';
import { sessionOf } from './session.ts';
import { submitSignIn } from './sign-in-form.ts';
import { consentPage } from './views/consent.ts';
import { problemPage } from './views/problem.ts';
import { signInPage } from './views/sign-in.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
type Params = { Params: { id: string }; Querystring: { account?: string } };
type Opened = { readonly facts: LoadedInteraction; readonly browser: string };

export function interactionRoutes(app: FastifyInstance, deps: HttpDeps): void {
  const machine = interactionDeps(deps);

  app.get<Params>('/interactions/:id', async (request, reply) => {
    const session = await sessionOf(deps, request);
    const opened = await open(deps, request, reply, session?.userId ?? null);
    if (!opened) return reply;
    const { browser } = opened;
    const event = request.query.account === 'another' ? 'switchRequested' : 'viewed';
    const outcome = await interact(machine, request.params.id, event, session);
    if (outcome?.kind === 'signIn') {
      return showSignIn(deps, reply, 200, opened, outcome.interaction.loginHint ?? '', null, outcome.account);
    }
    // What the machine turns down has its page; a consent that nobody can give never comes out of it.
    if (outcome?.kind !== 'consent' || session === null) return answerInteraction(deps, request, reply, outcome);
    const { interaction, client } = outcome;
    const configuration = deps.configuration();
    return sendPage(
      reply,
      200,
      consentPage({
        action: interactionPath(deps, interaction.id, '/consent'),
        csrf: csrfToken(deps.keys, interaction.id, browser),
        clientName: client.clientName,
        username: session.username,
        destination: destinationOf(interaction.redirectUri),
        onThisDevice: client.redirectUris.every(leadsToThisDevice),
        access: describeAccess(configuration, interaction),
        whileAway: interaction.scope.includes(OFFLINE_ACCESS),
        switchUser: interactionPath(deps, interaction.id, '?account=another'),
      }),
    );
  });

  app.post<Params>('/interactions/:id/sign-in', async (request, reply) => {
    const opened = await open(deps, request, reply, null);
    if (!opened) return reply;
    const { id } = request.params;
    const form = { purpose: id, browser: opened.browser };
    const submitted = await submitSignIn(deps, request, reply, form, { interactionId: id });
    if (submitted.kind === 'forged') return refuseForm(request, reply);
    if (submitted.kind === 'again') {
      return showSignIn(deps, reply, submitted.status, opened, submitted.username, submitted.problem);
    }
    const { session } = submitted;
    return answerInteraction(deps, request, reply, await interact(machine, id, 'signedIn', session));
  });

  /** prompt=select_account: to go on as the person who is signed in. */
  app.post<Params>('/interactions/:id/account', async (request, reply) => {
    const opened = await open(deps, request, reply, null);
    if (!opened) return reply;
    const { problem, parameters } = parseParameters(bodyOf(request.body), ['csrf']);
    if (problem || !isCsrfToken(deps.keys, request.params.id, opened.browser, parameters.get('csrf'))) {
      return refuseForm(request, reply);
    }
    const session = await sessionOf(deps, request);
    const outcome = await interact(machine, request.params.id, 'accountChosen', session);
    // The session that was on the page is gone, or will not do: what is left is the form.
    if (outcome?.kind === 'rejected' && outcome.reason === 'sign_in_required') {
      tell(request, 'refused', { reason: outcome.reason, interactionId: request.params.id });
      return seeOther(reply, interactionPath(deps, request.params.id, '?account=another'));
    }
    return answerInteraction(deps, request, reply, outcome);
  });

  app.post<Params>('/interactions/:id/consent', async (request, reply) => {
    const opened = await open(deps, request, reply, null);
    if (!opened) return reply;
    const { problem, parameters } = parseParameters(bodyOf(request.body), ['csrf', 'decision']);
    const event = DECISIONS.get(parameters.get('decision') ?? '');
    if (problem || !event || !isCsrfToken(deps.keys, request.params.id, opened.browser, parameters.get('csrf'))) {
      return refuseForm(request, reply);
    }
    const session = await sessionOf(deps, request);
    return answerInteraction(deps, request, reply, await interact(machine, request.params.id, event, session));
  });
}

const DECISIONS: ReadonlyMap<string, 'consented' | 'refused'> = new Map([
  ['approve', 'consented'],
  ['deny', 'refused'],
]);

/** @returns null when the reply has been sent: no such interaction, or another browser's. */
async function open(
  deps: HttpDeps,
  request: FastifyRequest<Params>,
  reply: FastifyReply,
  userId: string | null,
): Promise<Opened | null> {
  noStore(reply);
  const { id } = request.params;
  const facts = UUID.test(id) ? await deps.interactions.load({ id, userId }) : null;
  const browser = readCookie(deps, request, 'browser');
  if (!facts) {
    tell(request, 'refused', { reason: 'interaction_unknown' });
    sendPage(reply, 404, problemPage(UNKNOWN));
    return null;
  }
  if (browser === null || !sameSecretBytes(cookieHash(browser), facts.interaction.browserHash)) {
    tell(request, 'refused', { reason: 'another_browser', interactionId: id });
    sendPage(reply, 403, problemPage(ANOTHER_BROWSER));
    return null;
  }
  return { facts, browser };
}

function showSignIn(
  deps: HttpDeps,
  reply: FastifyReply,
  status: number,
  { facts, browser }: Opened,
  username: string,
  problem: string | null,
  signedIn: Session | null = null,
): FastifyReply {
  const { interaction, client } = facts;
  const action = interactionPath(deps, interaction.id, '/sign-in');
  const csrf = csrfToken(deps.keys, interaction.id, browser);
  const goOn = signedIn && {
    action: interactionPath(deps, interaction.id, '/account'),
    username: signedIn.username,
  };
  return sendPage(reply, status, signInPage({ action, csrf, clientName: client.clientName, username, problem, goOn }));
}

function refuseForm(request: FastifyRequest<Params>, reply: FastifyReply): FastifyReply {
  tell(request, 'refused', { reason: 'form_refused', interactionId: request.params.id });
  return sendPage(reply, 403, problemPage(FORM_REFUSED));
}

const ANOTHER_BROWSER = {
  title: 'This page belongs to another browser',
  what: 'A sign-in can only go on in the browser in which it began, and that browser keeps a cookie for it. This one sent none, or another.',
  next: 'Allow cookies for this site, go back to the app, and start again.',
};
const FORM_REFUSED = {
  title: 'This form cannot be accepted',
  what: 'It was not made by this server for this browser, or it was changed on the way. Nothing happened.',
  next: 'Go back to the app and start again.',
};
