/** The first checks in every section of the account: the session, the form token, and the age of the sign-in. */
import type { Session } from '../../model/session.ts';
import { type CookieHash, findSession, isRecentSignIn, type SessionDeps } from '../../protocol/browser-session.ts';
import { type FormCheck, formPurpose } from '../../protocol/form-purpose.ts';

export type AccountVisit = {
  readonly session: Session;
  /** The database's time when the session was loaded. */
  readonly now: Date;
  readonly isRecent: boolean;
  /** The purpose of the forms of this section, for this session alone. */
  readonly formPurpose: string;
};

export type AccountEntry =
  | { readonly kind: 'entered'; readonly visit: AccountVisit }
  | { readonly kind: 'signInRequired' }
  /** The session exists, but its sign-in is too long ago for this request. */
  | { readonly kind: 'signInAgainRequired' }
  | { readonly kind: 'formRefused' };

export type AccountRequest = {
  /** The id of the section. */
  readonly section: string;
  readonly cookie: CookieHash | null;
  /** The request needs a recent sign-in. */
  readonly needsRecentSignIn: boolean;
  /** Null: the request has no form. */
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
  const isRecent = await isRecentSignIn(deps, session, loaded.now);
  if (needsRecentSignIn && !isRecent) return { kind: 'signInAgainRequired' };
  return { kind: 'entered', visit: { session, now: loaded.now, isRecent, formPurpose: purpose } };
}
