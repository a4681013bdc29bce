/** The handlers of the pages of the second factor (factor-routes.ts), which the first use loads. */

import { isDeepStrictEqual } from 'node:util';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BY_PASSWORD, classNamed, levelOf } from '../oauth/authentication-methods.ts';
import type { PresentDeps } from '../people/passkeys/present.ts';
import { isRecentSession, type SecondFactorDeps, type Session } from '../people/second-factor/deps.ts';
import { hasFactor, methodsOfUser } from '../people/second-factor/methods.ts';
import { type CodeRefusal, proveByCode } from '../people/second-factor/prove.ts';
import {
  beginSetUp,
  type ConfirmOutcome,
  confirmSetUp,
  continueSetUp,
  type SetUp,
} from '../people/second-factor/set-up.ts';
import { offeredTrust, secretsAfter, type TrustAsked, trustBrowser } from '../people/trust/trust.ts';
import { rememberBrowser } from '../protocol/sign-in.ts';
import { callerGone } from './caller-gone.ts';
import type { NewCookie } from './cookies.ts';
import type { FactorPlace } from './factor-place.ts';
import { lookOf } from './look.ts';
import type { PageParts } from './page-parts.ts';
import { passkeyPart } from './passkey-part.ts';
import { completeLink, type PendingLinkOptions } from './pending-link.ts';
import { type RecoveryCodesDeps, type RecoveryCodesShown, sendRecoveryCodes } from './recovery-codes.ts';
import { setLogLine } from './request-log.ts';
import { seeOther, sendPage } from './security-headers.ts';
import { deviceOf, logSignIn } from './sign-in-form.ts';
import { lostFactorsPath, type SignInHelpOptions } from './sign-in-help.ts';
import { isPasskeyRefused } from './sign-in-routes.ts';
import { type FactorProblem, factorPage, setUpPage, trustBox } from './views/factor.ts';
import type { Progress } from './views/progress.ts';

/** A request for a page of the second factor. */
type At = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly place: FactorPlace;
  readonly session: Session;
};
export type FactorSent = Readonly<Record<'code' | 'factor' | 'credential' | 'trust', string | null>>;
type Submitted = At & { readonly form: FactorSent };
export type FactorPagesDeps = SecondFactorDeps &
  PresentDeps &
  PendingLinkOptions &
  SignInHelpOptions &
  PageParts & {
    /** Absent: the server sends no mail. */
    readonly mayRecoverByMail?: (userId: string) => Promise<boolean>;
  };

const PHISHING_RESISTANT = levelOf(classNamed('phishing-resistant'));

/** The page that asks for the missing factor. */
export async function showFactor(
  deps: FactorPagesDeps,
  { request, reply, place, session }: At,
  { problem = null, status = 200 }: { readonly problem?: FactorProblem | null; readonly status?: number } = {},
): Promise<FastifyReply> {
  const methods = await methodsOfUser(deps, session);
  const needsPasskey = levelOf(place.requiredClass) >= PHISHING_RESISTANT && place.isStepUp;
  const asks = needsPasskey ? 'passkey' : hasFactor(methods) ? 'factor' : 'setUp';
  const look = await lookOf(request, { userId: session.userId });
  const csrf = deps.csrf.token(request, reply, place.formPurpose);
  const hasPasskey = methods.passkeys.length > 0;
  const { formPurpose } = place;
  const secondFactorOf = { session, allowed: methods.passkeys };
  const trustSeconds = asks === 'factor' ? offeredTrust(deps, session) : null;
  const fields = trustSeconds === null ? undefined : trustBox(look, trustSeconds, 'trust-with-passkey');
  const button = { action: place.path('/passkey'), formPurpose, csrf, autofill: false, secondFactorOf, fields };
  const passkey = hasPasskey ? await passkeyPart(deps, request, reply, look, button) : null;
  const view = {
    ...place,
    action: place.path,
    csrf,
    username: session.username,
    asks,
    hasPasskey,
    hasApp: methods.apps.length > 0,
    hasRecoveryCodes: methods.recoveryCodesLeft > 0,
    lost: (await deps.mayRecoverByMail?.(session.userId)) === false ? null : lostFactorsPath(deps),
    problem: problem ?? (isPasskeyRefused(request) ? 'passkeyRefused' : null),
    passkey: passkey?.markup ?? null,
    trustSeconds,
    progress: progressOf(deps, place, session, asks),
  } as const;
  return sendPage(reply, status, factorPage(look, view), passkey?.script);
}

/**
 * After the password, which has shown the account to be theirs. In an interaction a consent page may follow, so the
 * number of steps is not known there. Nor is it after two pages of a sign-in, or before the set-up of a factor.
 */
const progressOf = (
  { configuration }: Pick<FactorPagesDeps, 'configuration'>,
  { clientName, isStepUp }: FactorPlace,
  { amr }: Session,
  asks: 'factor' | 'setUp' | 'passkey',
): Progress | null =>
  asks === 'factor' &&
  clientName === null &&
  !isStepUp &&
  isDeepStrictEqual(amr, BY_PASSWORD) &&
  configuration().signIn.signInPage === 'together'
    ? { step: 2, steps: 2 }
    : null;

export type FactorAction = 'code' | 'passkey' | 'set-up' | 'confirm';

export const submitFactor: Readonly<
  Record<FactorAction, (deps: FactorPagesDeps, at: Submitted) => Promise<FastifyReply>>
> = {
  code: async (deps, at) => {
    const { request, reply, place, session, form } = at;
    const cookie = deps.cookies.create();
    const deviceCookie = deps.cookies.readDevice(request);
    const sent = { code: form.code, deviceCookie, newCookie: cookie.hash, gone: callerGone(reply) };
    const outcome = await proveByCode(deps, session, sent);
    if (outcome.kind === 'proven') {
      await begin(deps, at, cookie, outcome.session);
      await trust(deps, at, outcome);
      logSignIn(request, deps.signInLedger, session, 'second factor proven');
      return place.proven(reply, outcome.session);
    }
    const { reason, retryAfterSeconds, method } = outcome;
    const { accountHash: account } = deps.signInLedger.originOf(session.username);
    setLogLine(request, 'refused', { reason, userId: session.userId, account, address: request.ip });
    if (reason === 'session_ended') return seeOther(reply, place.again);
    if (retryAfterSeconds !== null) reply.header('retry-after', String(retryAfterSeconds));
    return showFactor(deps, at, REFUSALS[method][reason]);
  },
  passkey: async (deps, at) => {
    const { request, reply, place, session, form } = at;
    const browser = deps.cookies.hash(request, 'browser');
    if (browser === null) return seeOther(reply, place.again);
    const cookie = deps.cookies.create();
    const { proveByPasskey } = await import('../people/passkeys/prove.ts');
    const sent = { credential: form.credential, browser, newCookie: cookie.hash };
    const outcome = await proveByPasskey(deps, session, sent);
    if (outcome.kind === 'proven') {
      await begin(deps, at, cookie, outcome.session);
      await trust(deps, at, outcome);
      logSignIn(request, deps.signInLedger, session, 'second factor proven');
      return place.proven(reply, outcome.session);
    }
    const { reason } = outcome;
    setLogLine(request, 'refused', { reason, userId: session.userId, address: request.ip });
    if (reason === 'session_ended') return seeOther(reply, place.again);
    return showFactor(deps, at, { problem: 'passkeyRefused', status: 400 });
  },
  'set-up': async (deps, at) => {
    const { reply, place, session } = at;
    const methods = await methodsOfUser(deps, session);
    if (place.isStepUp && !(await isRecentSession(deps, session))) return seeOther(reply, place.another);
    // A password alone adds no factor where the account has one. The machine enforces this, and the page says so before
    // it shows a secret.
    if (hasFactor(methods)) return showFactor(deps, at, { problem: 'notProven', status: 400 });
    const setUp = await beginSetUp(deps, session);
    if (setUp === null) return seeOther(reply, place.again);
    return showSetUp(deps, at, setUp, null);
  },
  confirm: async (deps, at) => {
    const { request, reply, place, session, form } = at;
    if (place.isStepUp && !(await isRecentSession(deps, session))) return seeOther(reply, place.another);
    const cookie = deps.cookies.create();
    const sent = { id: form.factor, code: form.code, newCookie: cookie.hash };
    const outcome = await confirmSetUp(deps, session, sent);
    if (outcome.kind === 'confirmed') {
      await begin(deps, at, cookie, outcome.session);
      request.log.info({ userId: session.userId }, 'second factor set up');
      if (outcome.recoveryCodes === null) return place.proven(reply, outcome.session);
      return showRecoveryCodes(deps, request, reply, {
        formPurpose: place.formPurpose,
        goOn: place.goOn,
        userId: session.userId,
        username: session.username,
        codes: outcome.recoveryCodes,
      });
    }
    const { reason } = outcome;
    setLogLine(request, 'refused', { reason, userId: session.userId });
    if (reason === 'session_ended') return seeOther(reply, place.again);
    const setUp = reason === 'code_mismatch' ? await continueSetUp(deps, session, form.factor ?? '') : null;
    const problem = CONFIRM_PROBLEMS[reason];
    return setUp === null ? showFactor(deps, at, { problem, status: 400 }) : showSetUp(deps, at, setUp, problem);
  },
};

/** The stronger session, under its new cookie. */
async function begin(
  deps: FactorPagesDeps,
  { request, reply }: At,
  cookie: NewCookie,
  { userId, username, lastUsedAt }: Session,
): Promise<void> {
  deps.cookies.set(reply, 'session', cookie);
  rememberBrowser(deps, deviceOf(deps.cookies, request, reply), { id: userId, username }, lastUsedAt);
  await completeLink(deps, request, reply, userId);
}

/** The box was sent with the proof of the factor. A box that the page does not offer has no effect. */
async function trust(
  deps: FactorPagesDeps,
  { request, reply, session: before, form }: Submitted,
  { session, factor }: { readonly session: Session; readonly factor: TrustAsked['factor'] },
): Promise<void> {
  if (form.trust === null || offeredTrust(deps, before) === null) return;
  const secret = deps.cookies.create();
  const sent = deps.cookies.readTrusted(request);
  const trusted = await trustBrowser(deps, session, {
    factor,
    userAgent: request.headers['user-agent'] ?? null,
    secretHash: secret.hash,
    sent: sent.map(({ hash }) => hash),
  });
  if (trusted === null) return;
  const { lifetimeSeconds, replaced } = trusted;
  deps.cookies.setTrusted(reply, secretsAfter(secret.value, sent, replaced), lifetimeSeconds);
  request.log.info({ userId: session.userId }, 'browser trusted');
}

async function showSetUp(
  { csrf }: PageParts,
  { request, reply, place, session }: At,
  setUp: SetUp,
  problem: FactorProblem | null,
): Promise<FastifyReply> {
  const look = await lookOf(request, { userId: session.userId });
  const view = { action: place.path('/confirm'), csrf: csrf.token(request, reply, place.formPurpose), setUp, problem };
  return sendPage(reply, problem === null ? 200 : 400, setUpPage(look, view));
}

/** Shown once: the server cannot show them again. */
export async function showRecoveryCodes(
  deps: PageParts & RecoveryCodesDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    userId,
    formPurpose,
    goOn,
    ...shown
  }: Pick<FactorPlace, 'formPurpose' | 'goOn'> & Omit<RecoveryCodesShown, 'goOn'> & { readonly userId: string },
): Promise<FastifyReply> {
  const look = await lookOf(request, { userId });
  const form = 'href' in goOn ? goOn : { ...goOn, csrf: deps.csrf.token(request, reply, formPurpose) };
  return sendRecoveryCodes(deps, reply, look, { ...shown, goOn: form });
}

type Refused = { readonly problem: FactorProblem; readonly status: 400 | 429 | 503 };

const CODE_REFUSALS: Readonly<Record<Exclude<CodeRefusal, 'session_ended'>, Refused>> = {
  form_incomplete: { problem: 'incomplete', status: 400 },
  code_mismatch: { problem: 'mismatch', status: 400 },
  code_reused: { problem: 'reused', status: 400 },
  throttled_account: { problem: 'throttled', status: 429 },
  busy: { problem: 'busy', status: 503 },
};

/** A recovery code does not change with the time. */
const REFUSALS: Readonly<Record<'secondFactor' | 'recoveryCode', typeof CODE_REFUSALS>> = {
  secondFactor: CODE_REFUSALS,
  recoveryCode: {
    ...CODE_REFUSALS,
    code_mismatch: { problem: 'recoveryCodeMismatch', status: 400 },
    code_reused: { problem: 'recoveryCodeUsed', status: 400 },
  },
};

const CONFIRM_PROBLEMS: Readonly<
  Record<Exclude<Extract<ConfirmOutcome, { kind: 'confirmRefused' }>['reason'], 'session_ended'>, FactorProblem>
> = { code_mismatch: 'mismatch', set_up_over: 'setUpOver', factor_not_proven: 'notProven' };
