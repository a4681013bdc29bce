/** A sign-in without a client. It leads to a page of this server only. */
import type { Session } from '../model/session.ts';
import { type CookieHash, findAnySession, isRecentSignIn } from './browser-session.ts';
import { type FormCheck, formPurpose } from './form-purpose.ts';
import { type SignInDeps, type SignInForm, type SignInOutcome, signIn } from './sign-in.ts';

export type DirectSignInView =
  | { readonly kind: 'alreadySignedIn' }
  /** The password was right in this browser, and a second factor is missing. */
  | { readonly kind: 'factorRequired' }
  | {
      readonly kind: 'signIn';
      readonly formPurpose: string;
      /** The signed-in user, who should sign in again. Null: no user is signed in. */
      readonly again: Pick<Session, 'userId' | 'username'> | null;
    };

/**
 * @param needsRecentSignIn rejects a session whose sign-in is too long ago.
 * @param asAnother user than the one whose second factor is missing in this browser.
 * @throws StoreUnavailable
 */
export async function viewDirectSignIn(
  deps: SignInDeps,
  cookie: CookieHash | null,
  { needsRecentSignIn }: { readonly needsRecentSignIn: boolean },
  asAnother = false,
): Promise<DirectSignInView> {
  const purpose = formPurpose.signIn();
  if (cookie === null) return { kind: 'signIn', formPurpose: purpose, again: null };
  const loaded = await deps.sessions.load({ idHash: cookie });
  const { session, awaiting } = await findAnySession(deps, cookie, loaded);
  if (awaiting && !asAnother) return { kind: 'factorRequired' };
  if (session === null || awaiting) return { kind: 'signIn', formPurpose: purpose, again: null };
  const isEnough = !needsRecentSignIn || (await isRecentSignIn(deps, session, loaded.now));
  if (isEnough) return { kind: 'alreadySignedIn' };
  return { kind: 'signIn', formPurpose: purpose, again: { userId: session.userId, username: session.username } };
}

export type DirectSignInOutcome =
  | Extract<SignInOutcome, { kind: 'signedIn' | 'factorRequired' }>
  | (Extract<SignInOutcome, { kind: 'signInRefused' }> & { readonly formPurpose: string })
  | { readonly kind: 'formRefused' };

/** @throws StoreUnavailable */
export async function signInDirectly(
  deps: SignInDeps,
  { isOurForm, ...form }: SignInForm & { readonly isOurForm: FormCheck },
): Promise<DirectSignInOutcome> {
  const purpose = formPurpose.signIn();
  if (!isOurForm(purpose)) return { kind: 'formRefused' };
  const outcome = await signIn(deps, form);
  return outcome.kind === 'signInRefused' ? { ...outcome, formPurpose: purpose } : outcome;
}
