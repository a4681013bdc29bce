/** A new account of a link: the passkey with which it may begin, its page with a problem, and the first sign-in. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BY_PASSWORD, byPasskey } from '../oauth/authentication-methods.ts';
import type { passkeyOfSignUpOptions } from '../people/sign-up/by-passkey.ts';
import { createSessionBy } from '../protocol/browser-session.ts';
import type { SignInDeps } from '../protocol/sign-in.ts';
import type { Look } from './look.ts';
import type { PageParts } from './page-parts.ts';
import { setLogLine } from './request-log.ts';
import type { Markup } from './views/page.ts';

type Asked = {
  readonly action: string;
  readonly csrf: string;
  readonly formPurpose: string;
  /** Of the link. */
  readonly secret: string;
  /** The name of the account, for the device; empty: it is not chosen yet. */
  readonly name: string;
  readonly hidden: Markup;
  /** The words of the button. */
  readonly button: string;
};

/** @returns null: the site cannot have passkeys. */
export async function passkeyOfNewAccount(
  options: Parameters<typeof passkeyOfSignUpOptions>[0] & Pick<PageParts, 'cookies'>,
  request: FastifyRequest,
  reply: FastifyReply,
  look: Look,
  { action, csrf, formPurpose, secret, name, hidden, button }: Asked,
): Promise<{ readonly markup: Markup; readonly script: string } | null> {
  const { cookies } = options;
  const browser = cookies.hash(request, 'browser') ?? cookies.justSet(reply, 'browser');
  const { passkeyOfSignUpOptions } = await import('../people/sign-up/by-passkey.ts');
  const asked = browser && (await passkeyOfSignUpOptions(options, { secret, formPurpose, browser }, name));
  if (!asked) return null;
  const { passkeyButton, PASSKEY_SCRIPT_SOURCE } = await import('./views/passkey.ts');
  const { passkey, problems } = look.words.email;
  const form = { action, csrf, options: asked, autofill: false, hidden };
  const words = { button, about: passkey.about, failed: problems.passkeyRefused };
  return { markup: passkeyButton(look, form, words), script: PASSKEY_SCRIPT_SOURCE };
}

/** The page appears again with the problem. @returns its status. */
export function refuseNewAccount(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: string | { readonly reason: string },
): number {
  setLogLine(request, 'refused', { reason: typeof problem === 'string' ? problem : `password_${problem.reason}` });
  if (problem !== 'busy') return 400;
  reply.header('retry-after', '2');
  return 503;
}

/** Null: the account begins with a password. */
type BegunWith = { readonly id: string; readonly backupEligible: boolean } | null;

/**
 * Signs the browser in, where the password of the account was set or its passkey was made.
 * @param user as the link made them. @returns null: the account or its sessions have ended since, or its passkey was removed.
 * @throws StoreUnavailable
 */
export async function signInNewAccount(
  options: SignInDeps & Pick<PageParts, 'cookies'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, epoch }: { readonly id: string; readonly epoch: bigint },
  passkey: BegunWith,
  requiredClass: string | null = null,
) {
  const { cookies, users } = options;
  const user = await users.findToVerify(id);
  // Since the link was used, every session of the end-user may have ended.
  if (user === null || user.disabledAt !== null || user.epoch !== epoch) return null;
  const cookie = cookies.create();
  const places = { old: cookies.hash(request, 'session'), new: cookie.hash };
  const userAgent = request.headers['user-agent'] ?? null;
  const authentication = { ...authenticationBy(passkey), requiredClass };
  const session = await createSessionBy(options, user, places, userAgent, authentication);
  if (session === null) return null;
  cookies.set(reply, 'session', cookie);
  return { session, cookie: cookie.hash };
}

const authenticationBy = (passkey: BegunWith) =>
  passkey === null
    ? ({ amr: BY_PASSWORD, method: 'link', factor: null } as const)
    : ({
        amr: byPasskey(passkey.backupEligible),
        method: 'passkey',
        factor: { kind: 'passkey', id: passkey.id },
      } as const);
