/** Whether a sign-in came from a new device, and the mail about it. */
import type { SessionStore } from '../../lifecycles/session/lifecycle.ts';
import type { Session } from '../../model/session.ts';
import type { User } from '../../model/user.ts';
import { actingBrowser } from './acting-browser.ts';
import { type NotifyDeps, notify } from './notify.ts';

export type NewDeviceDeps = NotifyDeps & {
  readonly sessions: Pick<SessionStore, 'list'>;
  /** Whether a user has signed in to this account with the cookie before, and the cookie has not expired. */
  readonly isKnownDevice: (cookie: string | null, user: Pick<User, 'id' | 'username'>, now: Date) => boolean;
};

/**
 * Sends a mail if the browser is new to this account, and the end-user has other sessions, none of them in such a
 * browser. An end-user whose only session this is gets no mail: otherwise many would get one each morning. Returns
 * immediately.
 */
export function notifyOfNewDevice(deps: NewDeviceDeps, session: Session): void {
  const { userId, username, userAgent, signedInAt, lastUsedAt, sid } = session;
  const browser = actingBrowser();
  if (browser !== null && deps.isKnownDevice(browser.deviceCookie, { id: userId, username }, lastUsedAt)) return;
  const languages = browser?.languages;
  void deps.outbox.later(async () => {
    const { sessions } = await deps.sessions.list(userId);
    // The lookup may run after a later sign-in, whose session does not make this device a new one.
    const others = sessions.filter((other) => other.sid !== sid && other.signedInAt <= signedInAt);
    if (others.length === 0 || others.some((other) => other.userAgent === userAgent)) return;
    void notify(deps, userId, { kind: 'new_device', at: signedInAt, userAgent }, (await languages?.()) ?? []);
  });
}
