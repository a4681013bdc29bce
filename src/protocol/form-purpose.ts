/**
 * What a form is good for. The token of a form is bound to its purpose and to the browser that showed it (src/http/csrf.ts).
 * A use case names the purpose, and refuses a form with another token.
 */
export const formPurpose = {
  interaction: (id: string): string => id,
  /** Bound to the session too: a form that was shown to one end-user decides nothing for the next. */
  permissions: (sid: string): string => `permissions of ${sid}`,
  /** Of a section of the account. */
  account: (section: string, sid: string): string => `${section} of the account of ${sid}`,
  logout: (sid: string): string => `logout of ${sid}`,
  signIn: (): string => 'sign-in',
  forgotPassword: (): string => 'forgot-password',
  signUp: (): string => 'sign-up',
  lostFactors: (sid: string): string => `lost factors of ${sid}`,
  /** Not bound to a session: who opens the link may not be signed in. */
  emailLink: (id: string): string => `link of ${id}`,
} as const;

/** Whether the submitted form was created by this server, for this purpose and this browser. */
export type FormCheck = (purpose: string) => boolean;
