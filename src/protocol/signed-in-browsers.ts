/** The active sessions of an end-user, and how to end each. */

import { endUser } from '../model/actor.ts';
import { type Session, sessionIsAlive } from '../model/session.ts';
import { type CookieHash, endListedSession, findSession, type SessionDeps } from './browser-session.ts';
import { type FormCheck, formPurpose } from './form-purpose.ts';

export type SignedInBrowser = Pick<Session, 'sid' | 'userAgent' | 'signedInAt' | 'amr' | 'lastUsedAt'> & {
  /** Whether it is the requesting browser. */
  readonly isThis: boolean;
};

/** Most recently used first. @throws StoreUnavailable */
export async function signedInBrowsers(
  { sessions, configuration }: SessionDeps,
  { userId, sid: own }: Session,
): Promise<SignedInBrowser[]> {
  const { now, sessions: stored } = await sessions.list(userId);
  return stored
    .filter((session) => sessionIsAlive(session, configuration().signIn, now))
    .map(({ sid, userAgent, signedInAt, amr, lastUsedAt }) => ({
      sid,
      userAgent,
      signedInAt,
      amr,
      lastUsedAt,
      isThis: sid === own,
    }));
}

export type EndSessionOutcome =
  | { readonly kind: 'signInRequired' | 'formRefused' }
  /** `hasEnded` false: the session had ended before, or was not found for this end-user. */
  | { readonly kind: 'ended'; readonly userId: string; readonly sid: string; readonly hasEnded: boolean };

/** Repeating the request is always safe. @throws Unavailable */
export async function submitEndSession(
  deps: SessionDeps,
  form: { readonly sid: string | null; readonly cookie: CookieHash | null; readonly isOurForm: FormCheck },
): Promise<EndSessionOutcome> {
  const session = await findSession(deps, form.cookie);
  if (session === null) return { kind: 'signInRequired' };
  const { sid } = form;
  const isSessionName = sid !== null && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(sid);
  if (!isSessionName || !form.isOurForm(formPurpose.permissions(session.sid))) return { kind: 'formRefused' };
  const { userId } = session;
  return { kind: 'ended', userId, sid, hasEnded: await endListedSession(deps, userId, sid, endUser(userId)) };
}
