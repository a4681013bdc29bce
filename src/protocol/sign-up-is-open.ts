/** Whether any visitor may create an account: the policy allows it, and the server can send the mail that it needs. */
import type { Configuration } from '../config/configuration.ts';

export type SignUpFacts = {
  readonly configuration: () => Configuration;
  /** Null or absent: the server sends no mail. */
  readonly email?: unknown;
};

export const signUpIsOpen = ({ configuration, email }: SignUpFacts): boolean =>
  email != null && configuration().signIn.signUp === 'open';
