/**
 * What a form is good for. Its token is bound to the purpose and to the browser that it was shown in; how, is for src/http to know.
 * A use case names the purpose and refuses what was submitted when the token is not for it.
 */
export const formPurpose = {
  interaction: (id: string): string => id,
  /** For one session: whoever signs in afterwards decides anew. */
  permissions: (sid: string): string => `permissions of ${sid}`,
  logout: (sid: string): string => `logout of ${sid}`,
  signIn: (): string => 'sign-in',
} as const;

/** Whether the submitted form was created by this server, for this purpose and this browser. */
export type FormCheck = (purpose: string) => boolean;
