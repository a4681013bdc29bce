/** The links of a sign-in page for users who cannot sign in: to the mail forms, and to the sign-up. */
import { pathUnder } from '../oauth/urls.ts';
import { type SignUpFacts, sendsMail, signUpIsOpen } from '../protocol/sign-up-is-open.ts';

export type SignInHelpOptions = SignUpFacts & { readonly issuer: string };

/** Below the path of the issuer. */
export const LOST_FACTORS = '/email/lost-factors';

/** Paths. Null: not offered. `code`: of the sign-in with a code by mail. */
export type SignInHelp = {
  readonly forgot: string | null;
  readonly signUp: string | null;
  readonly code: string | null;
};

/** The page for a user who has lost every factor. Null: the server has none. */
export const lostFactorsPath = (options: SignInHelpOptions): string | null =>
  sendsMail(options) && options.configuration().signIn.lostFactors === 'email'
    ? pathUnder(options.issuer, LOST_FACTORS)
    : null;

/** @param interaction the name in its URL, to which the sign-up returns. Null: none. */
export const signUpPath = (issuer: string, interaction: string | null): string =>
  pathUnder(issuer, `/sign-up${interaction === null ? '' : `?for=${encodeURIComponent(interaction)}`}`);

/** @param interaction as in `signUpPath`. @param code the path of the sign-in with a code by mail, where it is offered. */
export const signInHelp = (options: SignInHelpOptions, interaction: string | null, code: string): SignInHelp => ({
  code: sendsMail(options) && options.configuration().signIn.codeByMail ? code : null,
  forgot: sendsMail(options) ? pathUnder(options.issuer, '/forgot-password') : null,
  signUp: signUpIsOpen(options) ? signUpPath(options.issuer, interaction) : null,
});
