/** What a sign-in page offers to those who cannot sign in: where mails are sent, and where people may sign up. */
import type { Configuration } from '../config/configuration.ts';
import { pathUnder } from '../oauth/urls.ts';

export type SignInHelpOptions = {
  readonly issuer: string;
  readonly configuration: () => Configuration;
  /** Null or absent: no mails are sent, so nobody can be helped by mail. */
  readonly email?: unknown;
};

/** Below the path of the issuer. */
export const LOST_FACTORS = '/email/lost-factors';

/** Paths; null: not offered. */
export type SignInHelp = { readonly forgot: string | null; readonly signUp: string | null };

/** Where somebody goes who has lost every factor; null: there is no such page. */
export const lostFactorsPath = ({ issuer, configuration, email }: SignInHelpOptions): string | null =>
  email != null && configuration().signIn.lostFactors === 'email' ? pathUnder(issuer, LOST_FACTORS) : null;

/** @param interaction the name in its URL, which a sign-up leads back to; null: none. */
export function signInHelp(
  { issuer, configuration, email }: SignInHelpOptions,
  interaction: string | null,
): SignInHelp {
  if (email === null || email === undefined) return { forgot: null, signUp: null };
  const leadsTo = interaction === null ? '' : `?for=${encodeURIComponent(interaction)}`;
  const isOpen = configuration().signIn.signUp === 'open';
  return {
    forgot: pathUnder(issuer, '/forgot-password'),
    signUp: isOpen ? pathUnder(issuer, `/sign-up${leadsTo}`) : null,
  };
}
