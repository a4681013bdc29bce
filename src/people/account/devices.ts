/** The end-user ends their own sessions, each through its machine. */

import { endUser } from '../../model/actor.ts';
import { type Session, sessionIsAlive } from '../../model/session.ts';
import { isUuid } from '../../oauth/sub.ts';
import { endListedSession, type SessionDeps } from '../../protocol/browser-session.ts';

export type DevicesDeps = SessionDeps;

/**
 * Repeating the request is always safe.
 * @param sid of the session to end, as sent. Null: not sent.
 * @returns `hasEnded` false: the session had ended before, or was not found for this end-user.
 * @throws Unavailable
 */
export async function endDevice(
  deps: DevicesDeps,
  { userId }: Session,
  sid: string | null,
): Promise<{ readonly kind: 'formRefused' } | { readonly kind: 'ended'; readonly hasEnded: boolean }> {
  if (sid === null || !isUuid(sid)) return { kind: 'formRefused' };
  return { kind: 'ended', hasEnded: await endListedSession(deps, userId, sid, endUser(userId)) };
}

/**
 * Ends every other session of the end-user. The store lists the newest sessions, so the function repeats until no other
 * session is left. A session from after a new password stays: a browser from before the password must not end it.
 * Repeating the call is always safe.
 *
 * @returns the number of ended sessions in which the end-user was signed in. @throws Unavailable
 */
export async function endOtherDevices(deps: DevicesDeps, own: Session): Promise<{ readonly ended: number }> {
  let ended = 0;
  for (;;) {
    const { now, sessions } = await deps.sessions.list(own.userId, ['active', 'awaitingSecondFactor']);
    const isAlive = (session: Session) => sessionIsAlive(session, deps.configuration().signIn, now);
    // A session that awaits its second factor ends too.
    const others = sessions.filter(
      (session) =>
        session.sid !== own.sid &&
        session.userEpoch === own.userEpoch &&
        (session.state === 'awaitingSecondFactor' || isAlive(session)),
    );
    let endedNow = 0;
    for (const session of others) {
      if (!(await endListedSession(deps, own.userId, session.sid, endUser(own.userId)))) continue;
      endedNow += 1;
      if (isAlive(session)) ended += 1;
    }
    if (endedNow === 0) return { ended };
  }
}
