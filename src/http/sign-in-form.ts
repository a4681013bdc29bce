/** The sign-in form as it comes back: ours or not, complete or not, right or not. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../model/session.ts';
import { parseParameters } from '../oauth/parameters.ts';
import { isCsrfToken } from './csrf.ts';
import type { HttpDeps } from './deps.ts';
import { bodyOf } from './form-body.ts';
import { tell } from './request-log.ts';
import { beginSession } from './session.ts';
import { signIn } from './sign-in.ts';

export type SubmittedSignIn =
  | { readonly kind: 'signedIn'; readonly session: Session }
  /** Not made by this server for this browser and purpose. */
  | { readonly kind: 'forged' }
  /** To be shown again, with what was wrong. */
  | { readonly kind: 'again'; readonly status: 400 | 429; readonly username: string; readonly problem: string };

/**
 * @param form what the form is for, and the cookie of the browser that it was made for.
 * @param facts ids for the log.
 */
export async function submitSignIn(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  form: { readonly purpose: string; readonly browser: string },
  facts: Readonly<Record<string, string>>,
): Promise<SubmittedSignIn> {
  const { problem, parameters } = parseParameters(bodyOf(request.body), ['csrf', 'username', 'password']);
  if (!isCsrfToken(deps.keys, form.purpose, form.browser, parameters.get('csrf'))) return { kind: 'forged' };
  const username = parameters.get('username') ?? '';
  const password = parameters.get('password') ?? '';
  if (problem || username === '' || password === '') {
    tell(request, 'refused', { reason: 'form_incomplete', ...facts });
    return { kind: 'again', status: 400, username, problem: 'Type your username and your password.' };
  }
  const result = await signIn(deps, request, username, password);
  if (result.kind === 'refused') {
    tell(request, 'refused', { reason: result.reason, ...facts, address: request.ip });
    if (result.retryAfterSeconds !== null) reply.header('retry-after', String(result.retryAfterSeconds));
    return { kind: 'again', status: result.retryAfterSeconds === null ? 400 : 429, username, problem: result.words };
  }
  const session = await beginSession(deps, request, reply, result.user);
  request.log.info({ userId: session.userId, ...facts }, 'signed in');
  return { kind: 'signedIn', session };
}
