/**
 * The sign-in with a code by mail, with and without a client: HTTP around src/people/email/mailed-code.ts. The page for the code is the
 * same for every typed text, and looks nothing up.
 */
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { pathUnder } from '../oauth/urls.ts';
import type { BotCheckDeps } from '../people/bot-check/check.ts';
import {
  askForMailedCode,
  type CodeRefusal,
  isCodeOffered,
  type MailedCodeDeps,
  signInByMailedCode,
} from '../people/email/mailed-code.ts';
import { formPurpose } from '../protocol/form-purpose.ts';
import {
  type InteractionDeps,
  type InteractionRequest,
  openInTime,
  resumeInteraction,
} from '../protocol/interaction.ts';
import type { OpenedInteraction } from '../protocol/interaction-step.ts';
import { codePath, factorPath, signInPath } from './account/sections.ts';
import { addressKey } from './address-key.ts';
import { botCheckPart, refusedAsBot } from './bot-check.ts';
import { callerGone } from './caller-gone.ts';
import type { CodeRoute } from './email-route-names.ts';
import { askedField, sentFields } from './form-body.ts';
import { refuseForm } from './form-refused.ts';
import { interactionPath, sendInteractionRefused, sendInteractionStep } from './interaction-outcome.ts';
import { interactionRequestOf, isInteractionName } from './interaction-request.ts';
import type { Handlers } from './lazy-routes.ts';
import { lookOf } from './look.ts';
import type { PageParts } from './page-parts.ts';
import { completeLink, type PendingLinkOptions } from './pending-link.ts';
import { setLogLine } from './request-log.ts';
import { seeOther, sendPage } from './security-headers.ts';
import { deviceOf, logSignIn, TURN_REFUSALS } from './sign-in-form.ts';
import { destinationOfSignIn } from './sign-in-routes.ts';
import { type AskForCodeView, askForCodePage, type CodeProblem, typeCodePage } from './views/mailed-code.ts';

export type CodeRoutesOptions = InteractionDeps & MailedCodeDeps & BotCheckDeps & PendingLinkOptions & PageParts;

/** In the query of the page for the code: its name. */
const SENT = 'sent';

/** The sign-in that the pages belong to. */
type Place = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Null: no client requested the sign-in. */
  readonly interaction: InteractionRequest | null;
  /** The interaction, as loaded for this request. */
  readonly opened: OpenedInteraction | null;
  readonly formPurpose: string;
  /** The path of the page that asks, or of a form or page below it. */
  readonly path: (below?: string, more?: Readonly<Record<string, string>>) => string;
  readonly back: string;
  readonly uiLocales?: readonly string[];
};

export function codeHandlers(options: CodeRoutesOptions): Handlers<CodeRoute> {
  const { issuer, cookies, csrf } = options;

  function directPlace(request: FastifyRequest, reply: FastifyReply): Place {
    const { name } = destinationOfSignIn(request);
    return {
      request,
      reply,
      interaction: null,
      opened: null,
      formPurpose: formPurpose.signIn(),
      path: (below, more) => pathUnder(issuer, codePath(name, below, more)),
      back: pathUnder(issuer, signInPath(name)),
    };
  }

  type InInteraction = Pick<Place, 'request' | 'reply'> & {
    readonly interaction: InteractionRequest;
    readonly opened: OpenedInteraction;
  };

  function interactionPlace(at: InInteraction): Place {
    const { interaction, opened } = at;
    const named = nameOf(interaction);
    return {
      ...at,
      uiLocales: opened.facts.interaction.uiLocales,
      formPurpose: formPurpose.interaction(interaction.id),
      path: (below = '', more = {}) => {
        const query = new URLSearchParams(more);
        return interactionPath(issuer, named, `/code${below}${query.size === 0 ? '' : `?${query}`}`);
      },
      back: interactionPath(issuer, named, '?account=another'),
    };
  }

  /** Null: the path names no interaction. */
  function interactionOf(request: FastifyRequest): InteractionRequest | null {
    const named = request.params as { readonly name: string };
    return isInteractionName(named.name) ? interactionRequestOf(cookies, request, named) : null;
  }

  type Handle = (place: Place) => Promise<FastifyReply>;

  const directly =
    (isForm: boolean, handle: Handle): RouteHandlerMethod =>
    async (request, reply) => {
      if (!isCodeOffered(options)) return reply.callNotFound();
      const place = directPlace(request, reply);
      if (isForm && !csrf.checkOf(request)(place.formPurpose)) return refuseForm(request, reply);
      return handle(place);
    };

  /** An interaction continues only in its browser, and while it is open. */
  const inInteraction =
    (isForm: boolean, handle: Handle): RouteHandlerMethod =>
    async (request, reply) => {
      const interaction = interactionOf(request);
      if (interaction === null || !isCodeOffered(options)) return reply.callNotFound();
      const isOurForm = isForm ? csrf.checkOf(request) : null;
      const opened = await openInTime(options, { ...interaction, isOurForm });
      if (opened.kind === 'refused') return sendInteractionRefused(request, reply, opened);
      return handle(interactionPlace({ request, reply, interaction, opened }));
    };

  const view: Handle = (place) => {
    const reference = askedField(place.request, SENT);
    return reference === null
      ? showAsk(place, { status: 200, username: '', problem: null })
      : showCode(place, { status: 200, reference, problem: null });
  };

  const ask: Handle = async (place) => {
    const { request, reply } = place;
    const { username } = sentFields(request, ['username']);
    const browser = cookies.hash(request, 'browser');
    if (browser === null) return refuseForm(request, reply);
    const bot = await refusedAsBot(options, request, reply, 'signIn');
    if (bot !== null) return showAsk(place, { ...bot, username: username ?? '' });
    const { locale, language } = await lookOf(request, place);
    const outcome = await askForMailedCode(options, username, {
      network: addressKey(request.ip, request.socket.remoteAddress ?? ''),
      languages: [locale, language],
      deviceCookie: cookies.readDevice(request),
      browser,
      interactionId: place.interaction?.id ?? null,
      userAgent: request.headers['user-agent'] ?? null,
    });
    switch (outcome.kind) {
      case 'asked':
        setLogLine(request, 'asked for a mail', { what: 'mailedCode', interactionId: place.interaction?.id ?? null });
        return seeOther(reply, place.path('', { [SENT]: outcome.reference }));
      case 'addressRefused':
        return showAsk(place, { status: 400, username: username ?? '', problem: 'identifier' });
      case 'throttled':
      case 'queueFull': {
        const isThrottled = outcome.kind === 'throttled';
        const reason = isThrottled ? 'mails_throttled' : 'mails_queue_full';
        setLogLine(request, 'refused', { reason, address: request.ip });
        reply.header('retry-after', String(outcome.retryAfterSeconds));
        const problem = isThrottled ? 'mailsThrottled' : 'queueFull';
        return showAsk(place, { status: 429, username: username ?? '', problem });
      }
    }
  };

  const check: Handle = async (place) => {
    const { request, reply, interaction, opened } = place;
    const cookie = cookies.create();
    const { reference, code } = sentFields(request, ['reference', 'code']);
    const outcome = await signInByMailedCode(options, {
      reference,
      code,
      interactionId: interaction?.id ?? null,
      address: addressKey(request.ip, request.socket.remoteAddress ?? ''),
      cookie: {
        old: cookies.hash(request, 'session'),
        new: cookie.hash,
        browser: cookies.hash(request, 'browser'),
      },
      device: deviceOf(cookies, request, reply),
      userAgent: request.headers['user-agent'] ?? null,
      gone: callerGone(reply),
      requiredClass: opened?.facts.interaction.requiredClass ?? null,
    });
    if (outcome.kind === 'codeRefused') return showRefused(place, reference ?? '', outcome);
    cookies.set(reply, 'session', cookie);
    const { session } = outcome;
    const facts = { interactionId: interaction?.id ?? null };
    const isSignedIn = outcome.kind === 'signedIn';
    if (isSignedIn) await completeLink(options, request, reply, session.userId);
    const message = isSignedIn ? 'signed in with a code by mail' : 'second factor required';
    logSignIn(request, options.signInLedger, session, message, facts);
    if (interaction && opened) {
      if (!isSignedIn) return seeOther(reply, interactionPath(issuer, nameOf(interaction)));
      const step = await resumeInteraction(options, opened, 'signedIn', session);
      return sendInteractionStep(issuer, request, reply, step);
    }
    const { name, path } = destinationOfSignIn(request);
    return seeOther(reply, pathUnder(issuer, isSignedIn ? path : factorPath(name)));
  };

  function showRefused(
    place: Place,
    reference: string,
    { reason, retryAfterSeconds }: { readonly reason: CodeRefusal; readonly retryAfterSeconds: number | null },
  ): Promise<FastifyReply> {
    const { request, reply } = place;
    setLogLine(request, 'refused', { reason, address: request.ip });
    if (retryAfterSeconds !== null) reply.header('retry-after', String(retryAfterSeconds));
    const refusal = REFUSALS[reason];
    if ('again' in refusal) return showAsk(place, { status: 400, username: '', problem: refusal.again });
    const problem = refusal.problem === 'throttled' ? { throttledSeconds: retryAfterSeconds ?? 1 } : refusal.problem;
    return showCode(place, { status: refusal.status, reference, problem });
  }

  async function showAsk(
    place: Place,
    { status, username, problem }: Pick<AskForCodeView, 'username' | 'problem'> & { readonly status: number },
  ): Promise<FastifyReply> {
    const look = await lookOf(place.request, place);
    const widget = botCheckPart(options, look, 'signIn');
    const parts = { ...partsOf(place), botCheck: widget?.markup ?? null };
    const shown = { action: place.path(), ...parts, username, problem };
    return sendPage(place.reply, status, askForCodePage(look, shown), widget?.sources);
  }

  type CodeShown = { readonly status: number; readonly reference: string; readonly problem: CodeProblem | null };

  async function showCode(place: Place, { status, reference, problem }: CodeShown): Promise<FastifyReply> {
    const look = await lookOf(place.request, place);
    const parts = partsOf(place);
    const shown = { action: place.path('/check'), ...parts, reference, another: place.path(), problem };
    return sendPage(place.reply, status, typeCodePage(look, shown));
  }

  const partsOf = ({ request, reply, formPurpose, back }: Place) => ({
    csrf: csrf.token(request, reply, formPurpose),
    identifiers: options.identifiers(),
    back,
  });

  return {
    'GET /sign-in/code': directly(false, view),
    'POST /sign-in/code': directly(true, ask),
    'POST /sign-in/code/check': directly(true, check),
    'GET /interactions/:name/code': inInteraction(false, view),
    'POST /interactions/:name/code': inInteraction(true, ask),
    'POST /interactions/:name/code/check': inInteraction(true, check),
  };
}

const nameOf = ({ id, sealed }: InteractionRequest) => ({ interactionId: id, sealed });

/** `again`: the code has ended, and the page that asks for another one has the problem. */
type Refusal =
  | { readonly status: 400 | 429 | 503; readonly problem: Extract<CodeProblem, string> | 'throttled' }
  | { readonly again: Extract<CodeProblem, string> };

const ELSEWHERE = { again: 'elsewhere' } as const;

const REFUSALS: Readonly<Record<CodeRefusal, Refusal>> = {
  form_incomplete: { status: 400, problem: 'incomplete' },
  code_mismatch: { status: 400, problem: 'mismatch' },
  ...TURN_REFUSALS,
  code_expired: { again: 'expired' },
  code_used: { again: 'used' },
  code_spent: { again: 'spent' },
  code_superseded: { again: 'superseded' },
  code_unknown: ELSEWHERE,
  another_browser: ELSEWHERE,
  another_place: ELSEWHERE,
  not_offered: ELSEWHERE,
};
