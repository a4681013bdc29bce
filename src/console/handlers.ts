/**
 * The handlers of the console: they find the signed-in user, check the origin of forms, and turn the result of a page
 * into a response. The pages are data (screens.ts).
 */
import { Readable } from 'node:stream';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { html } from 'ghtml';
import { bodyOf, queryOf } from '../http/form-body.ts';
import type { Handlers } from '../http/lazy-routes.ts';
import type { PageParts } from '../http/page-parts.ts';
import { setLogLine } from '../http/request-log.ts';
import { seeOther } from '../http/security-headers.ts';
import { isStorable } from '../oauth/sent-text.ts';
import { pathUnder, urlUnder } from '../oauth/urls.ts';
import { comesFromThisServer } from './came-from.ts';
import { credentialIn } from './credential.ts';
import { REFUSED_TOKEN } from './find.ts';
import { CONSOLE_STYLES, framed, scriptPolicy, scriptsOf } from './frame.ts';
import { type LiveDeps, liveNumbers } from './live.ts';
import { type ManagementApi, managementApi, type Problem } from './management-api.ts';
import { readMetadata } from './metadata.ts';
import { type Notice, noticePage, problemNotice, SIGN_IN_NOTICES } from './notices.ts';
import type { ConsoleRoute, OtherRoute } from './route-names.ts';
import { ACTIONS, SCREENS } from './screens.ts';
import {
  type BrowserOf,
  beginConsoleSession,
  type ConsoleSession,
  type ConsoleSessionStore,
  findConsoleSession,
  type SessionDeps,
} from './session.ts';
import type { Action, Area, Fields, Screen, Shown, ShownPage, Viewer } from './shown.ts';
import { finishSignIn, type Me, revoke, type SignInDeps, signInPath } from './sign-in.ts';

export type ConsoleOptions = SignInDeps &
  LiveDeps &
  PageParts & {
    readonly sessions: ConsoleSessionStore;
    readonly signInOf: SessionDeps['signInOf'];
    /** Whether any user may administer this server. */
    readonly isOpen: () => boolean;
  };

/** The signed-in user, or the response that was sent instead. */
type Entered =
  | { readonly kind: 'viewer'; readonly viewer: Viewer; readonly session: ConsoleSession }
  | { readonly kind: 'answered' };

/** The handlers of all routes, and the function that a closing server calls. */
export type ConsolePages = { readonly handlers: Handlers<ConsoleRoute>; readonly endStreams: () => void };

export function consolePages(options: ConsoleOptions, log: FastifyBaseLogger): ConsolePages {
  const { issuer, isOpen, cookies, csrf: forms } = options;
  const path = (rest: string) => pathUnder(issuer, rest);
  const home = path('/console');
  const browserOf = (request: FastifyRequest): BrowserOf => ({
    idHash: cookies.hash(request, 'console'),
    signedIn: cookies.hash(request, 'session'),
  });
  const live = liveNumbers(options, log);

  const handlerOfScreen =
    ({ area, scope, show, needsRecentSignIn }: Screen): RouteHandlerMethod =>
    async (request, reply) => {
      // Before a sign-in, which would carry the address on.
      if (hasCredential(queryOf(request))) {
        setLogLine(request, 'refused', { reason: 'token_in_address' });
        return seeOther(reply, path(REFUSED_TOKEN));
      }
      const entered = await enter(request, reply, needsRecentSignIn === true);
      if (entered.kind === 'answered') return reply;
      const { viewer, session } = entered;
      if (scope !== null && !viewer.may(scope)) return sendNotice(reply, viewer, notAllowed(scope));
      return send(request, reply, { viewer, session, area, shown: await show(viewer, fieldsOf(queryOf(request))) });
    };

  const handlerOfAction =
    ({ area, scope, act, recentSignInFor }: Action): RouteHandlerMethod =>
    async (request, reply) => {
      const entered = await enterByForm(request, reply);
      if (entered.kind === 'answered') return reply;
      const { viewer, session } = entered;
      // The API refuses too. This check comes before anything is sent.
      if (scope !== null && !viewer.may(scope)) return sendNotice(reply, viewer, notAllowed(scope));
      const fields = fieldsOf(bodyOf(request.body));
      if (recentSignInFor && !session.signInIsRecent) {
        setLogLine(request, 'refused', { reason: 'sign_in_not_recent', userId: session.userId });
        return toSignIn(request, reply, path(recentSignInFor(fields)), { recent: true });
      }
      setLogLine(request, 'console form', { userId: session.userId });
      return send(request, reply, { viewer, session, area, shown: await act(viewer, fields) });
    };

  const others: Handlers<OtherRoute> = {
    'GET /console/events': async (request, reply) => {
      const session = await find(request, reply);
      if (!isOpen() || session === null) return reply.code(204).send();
      return live.watch(reply, {
        isSignedIn: async () => (await findConsoleSession(options, browserOf(request))).kind === 'found',
        machine: fieldsOf(queryOf(request)).get('machine'),
        renewalIsDue: session.renewalIsDue,
        api: managementApi(options, { token: session.token, address: request.ip }),
      });
    },

    'GET /console/sign-in': async (request, reply) => {
      if (!isOpen()) return sendNotice(reply, null, SIGN_IN_NOTICES.closed);
      return toSignIn(request, reply, home, { another: fieldsOf(queryOf(request)).get('as') === 'another' });
    },

    'GET /console/callback': async (request, reply) => {
      const browser = cookies.hash(request, 'browser');
      const outcome = await finishSignIn(options, { browser, query: queryOf(request), address: request.ip });
      if (outcome.kind === 'failed') {
        const { reason, error } = outcome;
        setLogLine(request, 'refused', { reason: `console_${reason}`, ...(error !== null && { error }) });
        return sendNotice(reply, null, SIGN_IN_NOTICES[reason]);
      }
      const before = await find(request, reply);
      // Always a new value: a person who planted the old cookie does not know the cookie of the new session.
      const cookie = cookies.create();
      await beginConsoleSession(options, { ...browserOf(request), idHash: cookie.hash, outcome, before });
      if (before) await revoke(options, before.token, request.ip);
      cookies.set(reply, 'console', cookie);
      setLogLine(request, 'signed in to the console', { userId: outcome.me.user_id });
      return seeOther(reply, outcome.to);
    },

    'POST /console/sign-out': async (request, reply) => {
      const session = await find(request, reply);
      if (session === null || !isOurForm(request, session))
        return sendNotice(reply, null, SIGN_IN_NOTICES.form_refused);
      await endSession(request, reply, session);
      return sendNotice(reply, null, SIGN_IN_NOTICES.signed_out);
    },
  };

  return {
    handlers: {
      ...Object.fromEntries(SCREENS.map((screen) => [`GET ${screen.path}`, handlerOfScreen(screen)])),
      ...Object.fromEntries(ACTIONS.map((action) => [`POST ${action.path}`, handlerOfAction(action)])),
      ...others,
    } as Handlers<ConsoleRoute>,
    endStreams: live.end,
  };

  /** The console session of this browser. It ends, with row and token, when the session of its sign-in ends. */
  async function find(request: FastifyRequest, reply: FastifyReply): Promise<ConsoleSession | null> {
    const found = await findConsoleSession(options, browserOf(request));
    if (found.kind === 'signInEnded') await endSession(request, reply, found);
    return found.kind === 'found' ? found.session : null;
  }

  /** For a page: without a valid token, the browser goes through the authorization endpoint first. */
  async function enter(request: FastifyRequest, reply: FastifyReply, recent: boolean): Promise<Entered> {
    if (!isOpen()) return answered(sendNotice(reply, null, SIGN_IN_NOTICES.closed));
    const session = await find(request, reply);
    if (session === null || session.renewalIsDue || (recent && !session.signInIsRecent))
      return answered(toSignIn(request, reply, placeOf(request), { recent }));
    return viewerOf(request, reply, session, () => toSignIn(request, reply, placeOf(request)));
  }

  /** For a form: carried out only if its token and the access token are valid. Otherwise it changes nothing. */
  async function enterByForm(request: FastifyRequest, reply: FastifyReply): Promise<Entered> {
    if (!isOpen()) return answered(sendNotice(reply, null, SIGN_IN_NOTICES.closed));
    const session = await find(request, reply);
    if (session === null) return answered(sendNotice(reply, null, SIGN_IN_NOTICES.renew));
    if (!isOurForm(request, session)) {
      setLogLine(request, 'refused', { reason: 'form_refused' });
      return answered(sendNotice(reply, null, SIGN_IN_NOTICES.form_refused));
    }
    if (session.tokenHasEnded) return answered(sendNotice(reply, null, SIGN_IN_NOTICES.renew));
    return viewerOf(request, reply, session, () => sendNotice(reply, null, SIGN_IN_NOTICES.renew));
  }

  /** Asks the API for the user at each request, so the loss of a role takes effect immediately. */
  async function viewerOf(
    request: FastifyRequest,
    reply: FastifyReply,
    session: ConsoleSession,
    signInAgain: () => FastifyReply,
  ): Promise<Entered> {
    const api: ManagementApi = managementApi(options, { token: session.token, address: request.ip });
    const answer = await api.get<{ readonly me: Me }>('');
    if (answer.ok) {
      const { me } = answer.value;
      const hidden = hiddenFields(request, reply, session);
      const { random } = options;
      const may = (scope: string) => me.scopes.includes(scope);
      const metadata = () => readMetadata(options, request.ip);
      const viewer: Viewer = { me, api, issuer, metadata, random, path, hidden, may };
      if (me.scopes.length > 0) return { kind: 'viewer', viewer, session };
      return answered(sendNotice(reply, viewer, SIGN_IN_NOTICES.no_role));
    }
    if (answer.problem.status !== 401) return answered(sendNotice(reply, null, SIGN_IN_NOTICES.api_unavailable));
    // The grant, the user or the client has ended, and therefore this session too.
    await options.sessions.end(session.idHash);
    cookies.clear(reply, 'console');
    return answered(signInAgain());
  }

  function hiddenFields(request: FastifyRequest, reply: FastifyReply, session: ConsoleSession) {
    const token = forms.token(request, reply, formPurpose(session));
    const once = options.random.bytes(16).toString('base64url');
    return html`<input type="hidden" name="csrf" value="${token}"><input type="hidden" name="once" value="${once}">`;
  }

  function isOurForm(request: FastifyRequest, session: ConsoleSession): boolean {
    return comesFromThisServer(issuer, request.headers) && forms.checkOf(request)(formPurpose(session));
  }

  function toSignIn(
    request: FastifyRequest,
    reply: FastifyReply,
    to: string,
    asked: { readonly another?: boolean; readonly recent?: boolean } = {},
  ): FastifyReply {
    let browser = cookies.hash(request, 'browser');
    if (browser === null) {
      const cookie = cookies.create();
      cookies.set(reply, 'browser', cookie);
      browser = cookie.hash;
    }
    return seeOther(reply, signInPath(options, { browser, to, ...asked }));
  }

  /** The route and the query, never the host or the path as sent. */
  function placeOf(request: FastifyRequest): string {
    const query = queryOf(request);
    return `${request.routeOptions.url ?? home}${query === '' ? '' : `?${query}`}`;
  }

  async function endSession(
    request: FastifyRequest,
    reply: FastifyReply,
    session: Pick<ConsoleSession, 'idHash' | 'token'>,
  ): Promise<void> {
    await options.sessions.end(session.idHash);
    cookies.clear(reply, 'console');
    await revoke(options, session.token, request.ip);
  }

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    { viewer, session, area, shown }: { viewer: Viewer; session: ConsoleSession; area: Area | null; shown: Shown },
  ): Promise<FastifyReply> {
    switch (shown.kind) {
      case 'page':
        return sendFramed(reply, viewer, area, shown);
      case 'goTo':
        return seeOther(reply, path(shown.path));
      case 'file':
        return reply
          .type(shown.type)
          .header('content-disposition', `attachment; filename="${shown.fileName}"`)
          .send(Readable.from(shown.lines));
      case 'mailFrame':
        return reply.headers(MAIL_FRAME_HEADERS).type('text/html; charset=utf-8').send(shown.html);
      case 'problem':
        return sendProblem(request, reply, viewer, session, shown.problem);
    }
  }

  async function sendProblem(
    request: FastifyRequest,
    reply: FastifyReply,
    viewer: Viewer,
    session: ConsoleSession,
    problem: Problem,
  ): Promise<FastifyReply> {
    setLogLine(request, 'refused', { reason: problem.reason, userId: session.userId });
    if (problem.status === 401) {
      await options.sessions.end(session.idHash);
      cookies.clear(reply, 'console');
      return sendNotice(reply, null, SIGN_IN_NOTICES.renew);
    }
    return sendNotice(reply, viewer, problemNotice(problem));
  }

  function sendNotice(reply: FastifyReply, viewer: Viewer | null, notice: Notice): FastifyReply {
    return sendFramed(reply, viewer, null, noticePage(notice, path));
  }

  function sendFramed(reply: FastifyReply, viewer: Viewer | null, area: Area | null, shown: ShownPage): FastifyReply {
    const { title, body, status = 200, styles = [], frames } = shown;
    const scripts = scriptsOf(shown);
    const frame = {
      title,
      area,
      scripts,
      viewer: viewer && {
        username: viewer.me.username ?? '',
        may: viewer.may,
        changesNothing: viewer.me.scopes.every((scope) => scope.endsWith(':read')),
        path,
        hidden: viewer.hidden,
      },
    };
    const policy = [
      "default-src 'none'",
      `style-src ${[CONSOLE_STYLES, ...styles].join(' ')}`,
      ...scriptPolicy(scripts),
      ...(frames === undefined ? [] : [`frame-src ${urlUnder(issuer, frames)}`]),
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; ');
    return reply
      .code(status)
      .header('content-security-policy', policy)
      .type('text/html; charset=utf-8')
      .send(framed(frame, body));
  }
}

/** A mail runs and loads nothing, and its links lead nowhere: the policy allows its inline styles and its logo alone. */
const MAIL_FRAME_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src-attr 'unsafe-inline'",
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    'sandbox',
  ].join('; '),
  'x-frame-options': 'SAMEORIGIN',
} as const;

/** A pasted token in a filter, in any parameter. */
const hasCredential = (query: string): boolean =>
  [...new URLSearchParams(query).values()].some((value) => credentialIn(value) !== null);

const answered = (_: FastifyReply): Entered => ({ kind: 'answered' });

const formPurpose = ({ formId }: ConsoleSession): string => `console ${formId}`;

const notAllowed = (scope: string): Notice => ({
  title: 'Your role does not allow this',
  status: 403,
  words: [`This needs the scope ${scope}. policies/operators.yaml assigns the scopes. Nothing was changed.`],
  links: [],
});

/** Treats a field as absent if it is malformed, or has a character that Postgres cannot store. */
function fieldsOf(encoded: string): Fields {
  const fields = new URLSearchParams(encoded);
  return {
    get: (name) => fields.getAll(name).filter(isStorable).at(0) ?? '',
    all: (name) => fields.getAll(name).filter(isStorable),
  };
}
