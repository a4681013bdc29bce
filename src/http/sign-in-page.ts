/** The sign-in page of both endpoints, with the other methods beside its form. `signInPage` of the policy says which form. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BotCheckDeps } from '../people/bot-check/check.ts';
import { EVERY_METHOD, identifierOf, type OfferDeps, offerFor } from '../people/offered-methods/offer.ts';
import { botCheckPart } from './bot-check.ts';
import { externalPlaces } from './external-places.ts';
import { lookOf } from './look.ts';
import type { PageParts } from './page-parts.ts';
import { type PasskeyPartDeps, passkeyPart } from './passkey-part.ts';
import { sendPage } from './security-headers.ts';
import { type SignInHelpOptions, signInHelp } from './sign-in-help.ts';
import { externalButtons } from './views/external-sign-in.ts';
import { PASSWORD_SCRIPT_SOURCE } from './views/password-field.ts';
import { identifierPage, methodsPage, type SignInView, signInPage } from './views/sign-in.ts';

export type SignInPageDeps = OfferDeps & PasskeyPartDeps & SignInHelpOptions & PageParts & BotCheckDeps;

export type ShownSignIn = Pick<SignInView, 'clientName' | 'username' | 'problem' | 'goOn' | 'again'> & {
  readonly status: number;
  readonly formPurpose: string;
  /** The form asks for this alone where the policy divides the page. */
  readonly asks: 'identifier' | 'methods';
  /** Paths: of the form, of its page for another identifier, and of the other methods. */
  readonly at: Readonly<Record<'form' | 'change' | 'passkey' | 'external' | 'code', string>>;
  /** The name of the interaction, to which a sign-up returns. Null: none. */
  readonly interaction: string | null;
  readonly uiLocales?: readonly string[] | undefined;
};

const isDivided = ({ configuration }: Pick<OfferDeps, 'configuration'>): boolean =>
  configuration().signIn.signInPage === 'identifierFirst';

/**
 * Whether a rejected form was only the first of two pages: it has an identifier, and no password yet.
 * @param refused as the use case rejects it.
 */
export const isFirstPage = (
  deps: Pick<OfferDeps, 'configuration'>,
  refused: { readonly reason: string; readonly username: string },
): boolean => refused.reason === 'form_incomplete' && isIdentifier(refused.username) && isDivided(deps);

/** The second page follows. */
export const FIRST_PAGE_SENT = { status: 200, problem: null } as const;

const isIdentifier = (text: string): boolean => text.trim() !== '';

/**
 * The page as it opens. Where the policy divides it: the second page for a user whom the request or the session names.
 * @param again the signed-in user, who has to sign in again. Null: none.
 * @param isAsAnother the user wants to type another identifier.
 * @throws StoreUnavailable
 */
export async function openSignIn(
  deps: SignInPageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  shown: Omit<ShownSignIn, 'status' | 'asks'>,
  again: Parameters<typeof identifierOf>[1] | null,
  isAsAnother: boolean,
): Promise<FastifyReply> {
  const opened = { ...shown, status: 200, asks: shown.goOn === null ? 'methods' : 'identifier' } as const;
  if (!isDivided(deps)) return showSignIn(deps, request, reply, opened);
  if (isAsAnother) return showSignIn(deps, request, reply, { ...opened, username: '' });
  if (again === null) return showSignIn(deps, request, reply, opened);
  return showSignIn(deps, request, reply, { ...opened, username: await identifierOf(deps, again) });
}

/** @throws StoreUnavailable */
export async function showSignIn(
  deps: SignInPageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  shown: ShownSignIn,
): Promise<FastifyReply> {
  const { status, formPurpose, at, interaction, uiLocales, username, problem } = shown;
  const csrf = deps.csrf.token(request, reply, formPurpose);
  const look = await lookOf(request, { uiLocales });
  const asksMethods = shown.asks === 'methods' && isIdentifier(username);
  const form = !isDivided(deps) ? 'together' : asksMethods ? 'methods' : 'identifier';
  const offer = form === 'methods' ? await offerFor(deps, username, deps.cookies.readDevice(request)) : EVERY_METHOD;
  // Not immediately after a rejection: the browser would send the same passkey.
  const autofill = problem === null && form !== 'methods';
  const passkey =
    offer.passkey === 'none'
      ? null
      : await passkeyPart(deps, request, reply, look, { action: at.passkey, formPurpose, csrf, autofill });
  const isFirst = passkey !== null && offer.passkey === 'first';
  const places = externalPlaces(deps.configuration(), at.external, offer.upstreams);
  // The texts of problems name the password.
  const password = offer.password || problem !== null || (passkey === null && places === null);
  const isAlternative = password || passkey !== null;
  const help = signInHelp(deps, interaction, at.code);
  const bots = form === 'identifier' || !password ? null : botCheckPart(deps, look, 'signIn');
  const view = {
    ...shown,
    action: at.form,
    csrf,
    identifiers: deps.configuration().signIn.identifiers,
    help,
    botCheck: bots?.markup ?? null,
    more: [
      ...(passkey && !isFirst ? [passkey.markup] : []),
      ...(places ? [externalButtons(look, csrf, places, isAlternative)] : []),
    ],
  };
  const methods = {
    change: at.change,
    first: isFirst ? passkey.markup : null,
    password,
    help: { ...help, forgot: password ? help.forgot : null, signUp: null },
  };
  const pages = {
    together: () => signInPage(look, view),
    identifier: () => identifierPage(look, view),
    methods: () => methodsPage(look, { ...view, ...methods }),
  };
  return sendPage(reply, status, pages[form](), passkey?.script, PASSWORD_SCRIPT_SOURCE, bots?.sources);
}
