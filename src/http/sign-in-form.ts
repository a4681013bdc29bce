/** The sign-in form of both endpoints: its values, and its texts after a rejection. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BotCheckDeps } from '../people/bot-check/check.ts';
import type { SignInForm, SignInOutcome, TurnRefusal } from '../protocol/sign-in.ts';
import type { SignInLedger } from '../protocol/sign-in-ledger.ts';
import { addressKey } from './address-key.ts';
import { BOT_REFUSALS, botRefusal } from './bot-check.ts';
import { callerGone } from './caller-gone.ts';
import type { BrowserCookies } from './cookies.ts';
import { sentFields } from './form-body.ts';
import { setLogLine } from './request-log.ts';
import type { SignInView } from './views/sign-in.ts';

/** The device cookie of this browser. */
export function deviceOf(
  cookies: BrowserCookies,
  request: FastifyRequest,
  reply: FastifyReply,
): NonNullable<SignInForm['device']> {
  return {
    cookie: cookies.readDevice(request),
    remember: (value, lifetimeSeconds) => cookies.setDevice(reply, value, lifetimeSeconds),
  };
}

/**
 * @param newCookie of the session that the sign-in begins.
 * @param bots Null: the form asks no challenge service.
 */
export function signInForm(
  cookies: BrowserCookies,
  request: FastifyRequest,
  reply: FastifyReply,
  newCookie: SignInForm['cookie']['new'],
  bots: BotCheckDeps | null,
): SignInForm {
  return {
    ...sentFields(request, ['username', 'password']),
    address: addressKey(request.ip, request.socket.remoteAddress ?? ''),
    cookie: {
      old: cookies.hash(request, 'session'),
      new: newCookie,
      browser: cookies.hash(request, 'browser'),
      trusted: cookies.readTrusted(request).map(({ hash }) => hash),
    },
    device: deviceOf(cookies, request, reply),
    userAgent: request.headers['user-agent'] ?? null,
    gone: callerGone(reply),
    ...(bots && { refusedAsBot: () => botRefusal(bots, request, 'signIn') }),
  };
}

/** For the ledger: the keyed hash of the account, and the address. */
export function logSignIn(
  request: FastifyRequest,
  ledger: Pick<SignInLedger, 'originOf'>,
  { userId, username }: { readonly userId: string; readonly username: string },
  message: string,
  facts: Readonly<Record<string, string | null>> = {},
): void {
  const { accountHash: account } = ledger.originOf(username);
  request.log.info({ userId, account, address: request.ip, ...facts }, message);
}

type Refused = Extract<SignInOutcome, { kind: 'signInRefused' }>;
type Shown = { readonly status: 400 | 429 | 503; readonly problem: NonNullable<SignInView['problem']> };

/** @param facts ids for the log. @returns the text of the repeated form, as a key of its words. */
export function refuseSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { reason, username, retryAfterSeconds }: Refused,
  facts: Readonly<Record<string, string>>,
  ledger: Pick<SignInLedger, 'originOf'>,
): Shown {
  const account = username === '' ? null : ledger.originOf(username).accountHash;
  const line = { reason, ...facts, account, address: request.ip };
  setLogLine(request, 'refused', line);
  // Without a response, the server never writes the line of the request.
  if (reason === 'caller_gone') request.log.info(line, 'refused');
  if (retryAfterSeconds !== null) reply.header('retry-after', String(retryAfterSeconds));
  const { status, problem } = REFUSALS[reason];
  return { status, problem: problem === 'throttled' ? { throttledSeconds: retryAfterSeconds ?? 1 } : problem };
}

const THROTTLED = { status: 429, problem: 'throttled' } as const;
const BUSY = { status: 503, problem: 'busy' } as const;

/** Of every form with a proof that is checked in turn. */
export const TURN_REFUSALS = {
  throttled_account: THROTTLED,
  throttled_address: THROTTLED,
  busy: BUSY,
  caller_gone: BUSY,
} as const satisfies Readonly<Record<TurnRefusal, unknown>>;

type Refusal = { readonly status: Shown['status']; readonly problem: Shown['problem'] | 'throttled' };

const REFUSALS: Readonly<Record<Refused['reason'], Refusal>> = {
  form_incomplete: { status: 400, problem: 'incomplete' },
  credentials_mismatch: { status: 400, problem: 'mismatch' },
  ...TURN_REFUSALS,
  ...BOT_REFUSALS,
};
