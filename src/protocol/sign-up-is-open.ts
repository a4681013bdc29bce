/** Whether everybody may create an account: the policy says so, and the mail that this takes can be sent. */
import type { Configuration } from '../config/configuration.ts';

export type SignUpFacts = {
  readonly configuration: () => Configuration;
  /** Null or absent: no mails are sent. */
  readonly email?: unknown;
};

export const signUpIsOpen = ({ configuration, email }: SignUpFacts): boolean =>
  email != null && configuration().signIn.signUp === 'open';
