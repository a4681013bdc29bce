/** A sign-in that no client asked for: it leads to a page of this server and nowhere else. */
import { signedInRecently } from '../model/session.ts';
import { type CookieHash, findAnySession } from './browser-session.ts';
import { type FormCheck, formPurpose } from './form-purpose.ts';
import { type SignInDeps, type SignInForm, type SignInOutcome, signIn } from './sign-in.ts';

export type DirectSignInView =
  | { readonly kind: 'alreadySignedIn' }
  /** The password was right in this browser, and the second factor is missing. */
  | { readonly kind: 'factorRequired' }
  | {
      readonly kind: 'signIn';
      readonly formPurpose: string;
      /** Who is signed in, and should show again who they are; null: nobody is. */
      readonly again: { readonly username: string } | null;
    };

/**
 * @param needsRecentSignIn a session whose sign-in is too long ago is not enough. @param asAnother than the person whose second factor
 * is missing in this browser. @throws StoreUnavailable
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
  const isEnough = !needsRecentSignIn || signedInRecently(session, deps.configuration().signIn, loaded.now);
  if (isEnough) return { kind: 'alreadySignedIn' };
  return { kind: 'signIn', formPurpose: purpose, again: { username: session.username } };
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
