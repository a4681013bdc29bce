/** Whether any visitor may create an account: the policy allows it, and the server can send the mail that it needs. */
import type { Configuration } from '../config/configuration.ts';

export type SignUpFacts = {
  readonly configuration: () => Configuration;
  /** Null or absent: the server sends no mail. */
  readonly email?: { readonly isOn: () => boolean } | null | undefined;
};

export const sendsMail = ({ email }: Pick<SignUpFacts, 'email'>): boolean => email?.isOn() ?? false;

export const signUpIsOpen = (facts: SignUpFacts): boolean =>
  sendsMail(facts) && facts.configuration().signIn.signUp === 'open';
