/** What comes first in every section of the account: who asks, whether the form is ours, and whether the sign-in is recent enough. */
import { type Session, signedInRecently } from '../../model/session.ts';
import { type CookieHash, findSession, type SessionDeps } from '../../protocol/browser-session.ts';
import { type FormCheck, formPurpose } from '../../protocol/form-purpose.ts';

export type AccountVisit = {
  readonly session: Session;
  /** The database's, when the session was loaded. */
  readonly now: Date;
  readonly isRecent: boolean;
  /** Of the forms of this section, for this session alone. */
  readonly formPurpose: string;
};

export type AccountEntry =
  | { readonly kind: 'entered'; readonly visit: AccountVisit }
  | { readonly kind: 'signInRequired' }
  /** There is a session, but its sign-in is too long ago for what is asked. */
  | { readonly kind: 'signInAgainRequired' }
  | { readonly kind: 'formRefused' };

export type AccountRequest = {
  /** The id of the section. */
  readonly section: string;
  readonly cookie: CookieHash | null;
  /** What is asked needs a recent sign-in. */
  readonly needsRecentSignIn: boolean;
  /** Null: no form was sent. */
  readonly isOurForm: FormCheck | null;
};

/** @throws Unavailable */
export async function enterAccount(
  deps: SessionDeps,
  { section, cookie, needsRecentSignIn, isOurForm }: AccountRequest,
): Promise<AccountEntry> {
  if (cookie === null) return { kind: 'signInRequired' };
  const loaded = await deps.sessions.load({ idHash: cookie });
  const session = await findSession(deps, cookie, loaded);
  if (session === null) return { kind: 'signInRequired' };
  const purpose = formPurpose.account(section, session.sid);
  if (isOurForm !== null && !isOurForm(purpose)) return { kind: 'formRefused' };
  const isRecent = signedInRecently(session, deps.configuration().signIn, loaded.now);
  if (needsRecentSignIn && !isRecent) return { kind: 'signInAgainRequired' };
  return { kind: 'entered', visit: { session, now: loaded.now, isRecent, formPurpose: purpose } };
}
