/** A sign-in that no client asked for: it leads to the permissions page and nowhere else. */
import { type CookieHash, findSession } from './browser-session.ts';
import { type FormCheck, formPurpose } from './form-purpose.ts';
import { type SignInDeps, type SignInForm, type SignInOutcome, signIn } from './sign-in.ts';

export type DirectSignInView =
  | { readonly kind: 'alreadySignedIn' }
  | { readonly kind: 'signIn'; readonly formPurpose: string };

/** @throws StoreUnavailable */
export async function viewDirectSignIn(deps: SignInDeps, cookie: CookieHash | null): Promise<DirectSignInView> {
  const session = await findSession(deps, cookie);
  return session === null ? { kind: 'signIn', formPurpose: formPurpose.signIn() } : { kind: 'alreadySignedIn' };
}

export type DirectSignInOutcome =
  | Extract<SignInOutcome, { kind: 'signedIn' }>
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
  return outcome.kind === 'signedIn' ? outcome : { ...outcome, formPurpose: purpose };
}
