/** The passkey with which a new account may begin: the button of a link's page with its script, and the first sign-in. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BY_PASSWORD, byPasskey } from '../oauth/authentication-methods.ts';
import type { passkeyOfSignUpOptions } from '../people/sign-up/by-passkey.ts';
import type { Look } from './look.ts';
import type { PageParts } from './page-parts.ts';
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

/** Of the session that the link begins. @param passkey null: the account begins with a password. */
export const authenticationOfNewAccount = (
  passkey: { readonly id: string; readonly backupEligible: boolean } | null,
) =>
  passkey === null
    ? ({ amr: BY_PASSWORD, method: 'link', factor: null } as const)
    : ({
        amr: byPasskey(passkey.backupEligible),
        method: 'passkey',
        factor: { kind: 'passkey', id: passkey.id },
      } as const);
