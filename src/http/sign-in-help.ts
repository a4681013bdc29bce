/** What a sign-in page offers to those who cannot sign in: where mails are sent, and where people may sign up. */
import { pathUnder } from '../oauth/urls.ts';
import { type SignUpFacts, signUpIsOpen } from '../protocol/sign-up-is-open.ts';

export type SignInHelpOptions = SignUpFacts & { readonly issuer: string };

/** Below the path of the issuer. */
export const LOST_FACTORS = '/email/lost-factors';

/** Paths; null: not offered. */
export type SignInHelp = { readonly forgot: string | null; readonly signUp: string | null };

/** Where somebody goes who has lost every factor; null: there is no such page. */
export const lostFactorsPath = ({ issuer, configuration, email }: SignInHelpOptions): string | null =>
  email != null && configuration().signIn.lostFactors === 'email' ? pathUnder(issuer, LOST_FACTORS) : null;

/** @param interaction the name in its URL, which a sign-up leads back to; null: none. */
export const signUpPath = (issuer: string, interaction: string | null): string =>
  pathUnder(issuer, `/sign-up${interaction === null ? '' : `?for=${encodeURIComponent(interaction)}`}`);

/** @param interaction as in `signUpPath`. */
export const signInHelp = (options: SignInHelpOptions, interaction: string | null): SignInHelp => ({
  forgot: options.email == null ? null : pathUnder(options.issuer, '/forgot-password'),
  signUp: signUpIsOpen(options) ? signUpPath(options.issuer, interaction) : null,
});
