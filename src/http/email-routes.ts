/** /forgot-password, /sign-up and /email/link: HTTP around src/people/email and src/people/sign-up. */
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { sameSecretBytes } from '../crypto/digest.ts';
import { hasPassword } from '../oauth/authentication-methods.ts';
import { pathUnder } from '../oauth/urls.ts';
import type { BotCheckDeps, BotCheckForm } from '../people/bot-check/check.ts';
import { type Asked, type Asker, askAboutLostFactors, askForReset } from '../people/email/asking.ts';
import {
  type LinkOutcome,
  type LinkRefusal,
  submitLink,
  type UsableLinkView,
  type UseLinkDeps,
  viewLink,
} from '../people/email/using.ts';
import type { SecondFactorDeps, Session } from '../people/second-factor/deps.ts';
import { firstRecoveryCodes } from '../people/second-factor/set-up.ts';
import { askToSignUp, type Resumption } from '../people/sign-up/sign-up.ts';
import { findAnySession, isRecentSignIn } from '../protocol/browser-session.ts';
import { formPurpose } from '../protocol/form-purpose.ts';
import { type InteractionDeps, resumeSignedIn } from '../protocol/interaction.ts';
import { forgetFailures, rememberBrowser } from '../protocol/sign-in.ts';
import { factorPath, signInPath } from './account/sections.ts';
import { addressKey } from './address-key.ts';
import { botCheckPart, refusedAsBot } from './bot-check.ts';
import { callerGone } from './caller-gone.ts';
import type { EmailRoute } from './email-route-names.ts';
import { showRecoveryCodes } from './factor-pages.ts';
import { askedField, queryOf, sentFields } from './form-body.ts';
import { refuseForm } from './form-refused.ts';
import { sendInteractionStep } from './interaction-outcome.ts';
import { interactionNamed, isInteractionName } from './interaction-request.ts';
import type { Handlers } from './lazy-routes.ts';
import { lookOf } from './look.ts';
import { passkeyOfNewAccount, refuseNewAccount, signInNewAccount } from './new-account.ts';
import type { PageParts } from './page-parts.ts';
import { setLogLine } from './request-log.ts';
import { seeOther, sendPage } from './security-headers.ts';
import { deviceOf } from './sign-in-form.ts';
import { LOST_FACTORS } from './sign-in-help.ts';
import {
  type AskFor,
  type AskView,
  askedPage,
  askPage,
  type LinkPageView,
  type LostFactorsView,
  linkDonePage,
  linkPage,
  lostFactorsAskedPage,
  lostFactorsPage,
  passkeyFields,
  uselessLinkPage,
} from './views/email.ts';
import { PASSWORD_SCRIPT_SOURCE } from './views/password-field.ts';
import type { Progress } from './views/progress.ts';

export type EmailRoutesOptions = UseLinkDeps &
  InteractionDeps &
  BotCheckDeps &
  PageParts &
  Pick<SecondFactorDeps, 'recoveryCodes'>;

const LINK = '/email/link';
const DONE = '/email/done';
const INTERACTIONS = '/interactions/';
const PATHS: Readonly<Record<AskFor, string>> = { forgot: '/forgot-password', signUp: '/sign-up' };
const REASONS = { throttled: 'mails_throttled', queueFull: 'mails_queue_full' } as const;
const PURPOSES: Readonly<Record<AskFor, string>> = {
  forgot: formPurpose.forgotPassword(),
  signUp: formPurpose.signUp(),
};
const BOT_CHECKS: Readonly<Record<AskFor, BotCheckForm>> = { forgot: 'passwordReset', signUp: 'signUp' };
const SENT = 'sent';
/** For a link without effect. The status of the others is 410. */
const STATUS: Readonly<Partial<Record<LinkRefusal, number>>> = { link_unknown: 404, password_not_proven: 403 };
/** The results with a page of their own, after a redirect. */
const SAID = ['verify_address', 'reset_password', 'lost_factors', 'change_address', 'undo_change'] as const;

export function emailHandlers(options: EmailRoutesOptions): Handlers<EmailRoute> {
  const { issuer, cookies, csrf } = options;
  const path = (below: string) => pathUnder(issuer, below);
  const signIn = path('/sign-in');
  const isOpen = (what: AskFor) => what === 'forgot' || options.isOffered('sign_up');

  const ask =
    (what: AskFor): RouteHandlerMethod =>
    async (request, reply) => {
      if (!isOpen(what)) return reply.callNotFound();
      if (queryOf(request) === SENT) return sendPage(reply, 200, askedPage(await lookOf(request), what));
      const name = askedField(request, 'for');
      return showAsk(request, reply, what, { status: 200, address: '', resumption: name, problem: null });
    };

  const submitAsk =
    (what: AskFor): RouteHandlerMethod =>
    async (request, reply) => {
      if (!isOpen(what)) return reply.callNotFound();
      if (!csrf.checkOf(request)(PURPOSES[what])) return refuseForm(request, reply);
      const { email: typed, for: name } = sentFields(request, ['email', 'for']);
      const bot = await refusedAsBot(options, request, reply, BOT_CHECKS[what]);
      if (bot !== null) return showAsk(request, reply, what, { ...bot, address: typed ?? '', resumption: name });
      const asker = await askerOf(request);
      const outcome =
        what === 'forgot'
          ? await askForReset(options, typed, asker)
          : await askToSignUp(options, typed, resumptionOf(request, name), asker);
      return answerAsked(request, reply, what, outcome, typed ?? '', name);
    };

  return {
    'GET /forgot-password': ask('forgot'),
    'POST /forgot-password': submitAsk('forgot'),
    'GET /sign-up': ask('signUp'),
    'POST /sign-up': submitAsk('signUp'),
    'GET /email/lost-factors': async (request, reply) => {
      if (!options.isOffered('lost_factors')) return reply.callNotFound();
      if (queryOf(request) === SENT) return sendPage(reply, 200, lostFactorsAskedPage(await lookOf(request)));
      const session = await whoTypedThePassword(request);
      if (session === null) return seeOther(reply, path(signInPath('sign-in-methods', { another: 'yes' })));
      return showLostFactors(request, reply, session, 200, null);
    },
    'POST /email/lost-factors': async (request, reply) => {
      if (!options.isOffered('lost_factors')) return reply.callNotFound();
      const session = await whoTypedThePassword(request);
      if (session === null) return seeOther(reply, path(signInPath('sign-in-methods', { another: 'yes' })));
      if (!csrf.checkOf(request)(formPurpose.lostFactors(session.sid))) return refuseForm(request, reply);
      const outcome = await askAboutLostFactors(options, session.userId, await askerOf(request));
      if (outcome.kind === 'sent') {
        setLogLine(request, 'asked for a mail', { what: 'lostFactors', userId: session.userId });
        return seeOther(reply, `${path(LOST_FACTORS)}?${SENT}`);
      }
      setLogLine(request, 'refused', { reason: `lost_factors_${outcome.kind}`, userId: session.userId });
      const isLater = 'retryAfterSeconds' in outcome;
      if (isLater) reply.header('retry-after', String(outcome.retryAfterSeconds));
      return showLostFactors(request, reply, session, isLater ? 429 : 400, outcome.kind);
    },
    'GET /email/link': async (request, reply) => {
      const secret = askedField(request, 't');
      const view = await viewLink(options, secret);
      if (view.kind === 'useless') return sendUseless(request, reply, view.reason);
      return showLink(request, reply, 200, { secret: secret ?? '', view, username: '', problem: null });
    },
    'POST /email/link': async (request, reply) => {
      const { t: secret, ...sent } = sentFields(request, ['t', 'username', 'password', 'credential']);
      const { network, languages } = await askerOf(request);
      const outcome = await submitLink(options, {
        secret,
        ...sent,
        browser: cookies.hash(request, 'browser'),
        isOurForm: csrf.checkOf(request),
        passwordIsProvenBy: async (userId) => (await whoTypedThePassword(request))?.userId === userId,
        caller: { network, gone: callerGone(reply) },
        languages,
      });
      return answerLink(request, reply, outcome, secret ?? '');
    },
    'GET /email/done': async (request, reply) => {
      const purpose = SAID.find((said) => said === queryOf(request));
      if (purpose === undefined) return reply.callNotFound();
      const next =
        purpose === 'undo_change'
          ? ({ href: path(PATHS.forgot), text: 'forgot' } as const)
          : ({ href: signIn, text: 'toSignIn' } as const);
      return sendPage(reply, 200, linkDonePage(await lookOf(request), { purpose, next }));
    },
  };

  /**
   * The signed-in user, whose second factor may be missing. Null: no user is signed in, the sign-in used a passkey or
   * another server, or it is not recent. A stolen cookie and the mailbox must not be enough.
   */
  async function whoTypedThePassword(request: FastifyRequest): Promise<Session | null> {
    const cookie = cookies.hash(request, 'session');
    if (cookie === null) return null;
    const loaded = await options.sessions.load({ idHash: cookie });
    const { session, awaiting } = await findAnySession(options, cookie, loaded);
    if (session === null || !hasPassword(session.amr)) return null;
    return awaiting || (await isRecentSignIn(options, session, loaded.now)) ? session : null;
  }

  async function showLostFactors(
    request: FastifyRequest,
    reply: FastifyReply,
    { userId, username, sid }: Session,
    status: number,
    problem: LostFactorsView['problem'],
  ): Promise<FastifyReply> {
    const view = {
      username,
      action: path(LOST_FACTORS),
      csrf: csrf.token(request, reply, formPurpose.lostFactors(sid)),
      back: path(factorPath(null)),
      problem,
    };
    return sendPage(reply, status, lostFactorsPage(await lookOf(request, { userId }), view));
  }

  async function askerOf(request: FastifyRequest): Promise<Asker> {
    const { locale, language } = await lookOf(request);
    return {
      network: addressKey(request.ip, request.socket.remoteAddress ?? ''),
      languages: [locale, language],
      deviceCookie: cookies.readDevice(request),
    };
  }

  /** Only an interaction of this browser, and only by its name: the parameter cannot lead to another site. */
  function resumptionOf(request: FastifyRequest, name: string | null): Resumption | null {
    const browserHash = cookies.hash(request, 'browser');
    if (name === null || browserHash === null || !isInteractionName(name)) return null;
    return { path: path(`${INTERACTIONS}${name}`), browserHash };
  }

  type AskShown = {
    readonly status: number;
    readonly address: string;
    readonly resumption: string | null;
    readonly problem: AskView['problem'];
  };

  /** Recovery codes follow a passkey or a second factor, so the number of steps is not known where the page offers one. */
  function progressOfSignUp(step: number): Progress | null {
    const needsFactor = options.configuration().signIn.secondFactor === 'everyone';
    return needsFactor || options.passkeyIsOffered() ? null : { step, steps: 2 };
  }

  async function showAsk(
    request: FastifyRequest,
    reply: FastifyReply,
    what: AskFor,
    { status, address, resumption, problem }: AskShown,
  ): Promise<FastifyReply> {
    const look = await lookOf(request);
    const widget = botCheckPart(options, look, BOT_CHECKS[what]);
    const goesBackTo = resumption !== null && isInteractionName(resumption) ? resumption : null;
    const view = {
      what,
      action: path(PATHS[what]),
      csrf: csrf.token(request, reply, PURPOSES[what]),
      resumption: goesBackTo,
      address,
      identifiers: options.identifiers(),
      problem,
      signIn: goesBackTo === null ? signIn : path(`${INTERACTIONS}${goesBackTo}`),
      botCheck: widget?.markup ?? null,
      progress: what === 'signUp' && goesBackTo === null ? progressOfSignUp(1) : null,
    };
    return sendPage(reply, status, askPage(look, view), widget?.sources);
  }

  function answerAsked(
    request: FastifyRequest,
    reply: FastifyReply,
    what: AskFor,
    outcome: Asked,
    address: string,
    resumption: string | null,
  ): FastifyReply | Promise<FastifyReply> {
    switch (outcome.kind) {
      case 'asked':
        setLogLine(request, 'asked for a mail', { what });
        return seeOther(reply, `${path(PATHS[what])}?${SENT}`);
      case 'addressRefused':
        return showAsk(request, reply, what, { status: 400, address, resumption, problem: 'addressRefused' });
      case 'throttled':
      case 'queueFull':
        setLogLine(request, 'refused', { reason: REASONS[outcome.kind], address: request.ip });
        reply.header('retry-after', String(outcome.retryAfterSeconds));
        return showAsk(request, reply, what, { status: 429, address, resumption, problem: outcome.kind });
    }
  }

  type LinkShown = {
    readonly secret: string;
    readonly view: UsableLinkView;
    readonly username: string;
    readonly problem: LinkPageView['problem'];
  };

  async function showLink(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    { secret, view, username, problem }: LinkShown,
  ): Promise<FastifyReply> {
    const token = csrf.token(request, reply, view.formPurpose);
    const shown = { ...view, account: view.username, username, action: path(LINK), csrf: token, secret, problem };
    const script = shown.minimumCharacters === null ? undefined : PASSWORD_SCRIPT_SOURCE;
    const look = await lookOf(request, { userId: view.userId ?? undefined });
    const passkey = view.offersPasskey
      ? await passkeyOfNewAccount(options, request, reply, look, {
          action: shown.action,
          csrf: token,
          formPurpose: view.formPurpose,
          secret,
          name: view.address,
          hidden: passkeyFields(shown),
          button: look.words.email.passkey.create,
        })
      : null;
    const html = linkPage(look, {
      ...shown,
      passkey: passkey?.markup ?? null,
      progress: view.purpose === 'sign_up' && !view.resumes ? progressOfSignUp(2) : null,
    });
    return sendPage(reply, status, html, script, passkey?.script);
  }

  async function answerLink(
    request: FastifyRequest,
    reply: FastifyReply,
    outcome: LinkOutcome,
    secret: string,
  ): Promise<FastifyReply> {
    switch (outcome.kind) {
      case 'formRefused':
        return refuseForm(request, reply);
      case 'useless':
        return sendUseless(request, reply, outcome.reason);
      case 'again': {
        const { view, username, problem } = outcome;
        const status = refuseNewAccount(request, reply, problem);
        return showLink(request, reply, status, { secret, view, username, problem });
      }
      case 'done': {
        const { purpose, used, passkey } = outcome;
        const { accountHash: account } = options.signInLedger.originOf(used.user.username);
        setLogLine(request, 'link used', { purpose, userId: used.user.id, account, address: request.ip });
        if (purpose === 'reset_password') {
          const address = addressKey(request.ip, request.socket.remoteAddress ?? '');
          await forgetFailures(options, { address, device: deviceOf(cookies, request, reply) }, used.user.username);
        }
        const said = SAID.find((one) => one === purpose);
        return said === undefined ? begin(request, reply, used, passkey) : seeOther(reply, `${path(DONE)}?${said}`);
      }
    }
  }

  /** In the browser that asked, the interaction continues. */
  async function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    { user, challenge: { resumption } }: Extract<LinkOutcome, { kind: 'done' }>['used'],
    passkey: Extract<LinkOutcome, { kind: 'done' }>['passkey'],
  ): Promise<FastifyReply> {
    const browser = cookies.hash(request, 'browser');
    const isSameBrowser = resumption !== null && browser !== null && sameSecretBytes(browser, resumption.browserHash);
    const signedIn = await signInNewAccount(options, request, reply, user, passkey);
    if (signedIn === null) return seeOther(reply, signIn);
    const { session, cookie } = signedIn;
    const isSignedIn = session.state === 'active';
    if (isSignedIn) rememberBrowser(options, deviceOf(cookies, request, reply), user, session.lastUsedAt);
    const named = isSameBrowser ? interactionNamed(resumption.path.slice(path(INTERACTIONS).length)) : null;
    const codes = passkey && (await firstRecoveryCodes(options, user.id));
    if (codes !== null) {
      const page = { userId: user.id, username: user.username, codes, firstPassword: 'byMail' as const };
      // The page of the codes comes once, so the interaction continues after it.
      const next =
        resumption === null || named === null
          ? { goOn: { href: path('/account') }, formPurpose: formPurpose.signIn() }
          : { goOn: { action: `${resumption.path}/factor/continue` }, formPurpose: formPurpose.interaction(named.id) };
      return showRecoveryCodes(options, request, reply, { ...page, ...next });
    }
    if (resumption === null || named === null) return seeOther(reply, path(isSignedIn ? '/account' : factorPath(null)));
    // Its page asks for the second factor that the policy demands.
    if (!isSignedIn) return seeOther(reply, resumption.path);
    const step = await resumeSignedIn(options, { ...named, browser, session: cookie }, session);
    return sendInteractionStep(issuer, request, reply, step);
  }

  async function sendUseless(
    request: FastifyRequest,
    reply: FastifyReply,
    reason: Extract<LinkOutcome, { kind: 'useless' }>['reason'],
  ): Promise<FastifyReply> {
    setLogLine(request, 'refused', { reason, address: request.ip });
    const status = STATUS[reason] ?? 410;
    return sendPage(reply, status, uselessLinkPage(await lookOf(request), reason, signIn));
  }
}
