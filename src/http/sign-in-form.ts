/** The sign-in form, at both endpoints that take it: what was typed, and what is said when it is refused. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseParameters } from '../oauth/parameters.ts';
import type { SignInForm, SignInOutcome } from '../protocol/sign-in.ts';
import { addressKey } from './address-key.ts';
import { callerGone } from './caller-gone.ts';
import { bodyOf } from './form-body.ts';
import { setLogLine } from './request-log.ts';

export function signInForm(request: FastifyRequest, reply: FastifyReply, cookie: SignInForm['cookie']): SignInForm {
  const { parameters } = parseParameters(bodyOf(request.body), ['username', 'password']);
  return {
    username: parameters.get('username'),
    password: parameters.get('password'),
    address: addressKey(request.ip, request.socket.remoteAddress ?? ''),
    cookie,
    userAgent: request.headers['user-agent'] ?? null,
    gone: callerGone(reply),
  };
}

type Refused = Extract<SignInOutcome, { kind: 'signInRefused' }>;
type Shown = { readonly status: 400 | 429 | 503; readonly problem: string };

/** @param facts ids for the log. @returns what the form shows when it comes again. */
export function refuseSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { reason, retryAfterSeconds }: Refused,
  facts: Readonly<Record<string, string>>,
): Shown {
  const line = { reason, ...facts, address: request.ip };
  setLogLine(request, 'refused', line);
  // Without a response, the line of the request is never written.
  if (reason === 'caller_gone') request.log.info(line, 'refused');
  if (retryAfterSeconds !== null) reply.header('retry-after', String(retryAfterSeconds));
  return REFUSALS[reason];
}

const THROTTLED = {
  status: 429,
  problem: 'Too many failed attempts from your network. Wait a few minutes, then try again.',
} as const;

const BUSY = {
  status: 503,
  problem: 'Many people are signing in right now, so your password was not checked. Wait a moment, then try again.',
} as const;

const REFUSALS: Readonly<Record<Refused['reason'], Shown>> = {
  form_incomplete: { status: 400, problem: 'Type your username and your password.' },
  credentials_mismatch: { status: 400, problem: 'Username or password is not right. Check both and try again.' },
  throttled_account: THROTTLED,
  throttled_address: THROTTLED,
  busy: BUSY,
  caller_gone: BUSY,
};
