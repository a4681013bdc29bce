/**
 * The purpose of a form. The token of a form is bound to its purpose and to the browser that showed it
 * (src/http/csrf.ts). A use case names the purpose, and rejects a form with another token.
 */
export const formPurpose = {
  interaction: (id: string): string => id,
  /** Bound to the session too: a form that one end-user saw decides nothing for the next. */
  permissions: (sid: string): string => `permissions of ${sid}`,
  /** For a section of the account. */
  account: (section: string, sid: string): string => `${section} of the account of ${sid}`,
  logout: (sid: string): string => `logout of ${sid}`,
  signIn: (): string => 'sign-in',
  forgotPassword: (): string => 'forgot-password',
  signUp: (): string => 'sign-up',
  lostFactors: (sid: string): string => `lost factors of ${sid}`,
  /** Not bound to a session: the user who opens the link may not be signed in. */
  emailLink: (id: string): string => `link of ${id}`,
  /** Likewise. */
  firstOperator: (id: string): string => `first operator by ${id}`,
} as const;

/** Whether this server created the submitted form, for this purpose and this browser. */
export type FormCheck = (purpose: string) => boolean;
