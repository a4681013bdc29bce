/** Whether a sign-in came from a browser that the end-user does not use, and the mail about it. */
import type { SessionStore } from '../../lifecycles/session/lifecycle.ts';
import type { Session } from '../../model/session.ts';
import { actingBrowser } from './acting-browser.ts';
import { type NotifyDeps, notify } from './notify.ts';

export type NewDeviceDeps = NotifyDeps & {
  readonly sessions: Pick<SessionStore, 'list'>;
  /** Whether somebody has signed in to this account with the cookie before, and it is in time. */
  readonly isKnownDevice: (cookie: string | null, username: string, now: Date) => boolean;
};

/**
 * The browser was never signed in to this account, and the end-user is signed in elsewhere, and nowhere with such a browser. Whose only session this is gets no mail: otherwise everybody
 * would get a mail each morning. Returns at once.
 */
export function tellOfNewDevice(deps: NewDeviceDeps, session: Session): void {
  const { userId, username, userAgent, signedInAt, lastUsedAt, sid } = session;
  const browser = actingBrowser();
  if (browser !== null && deps.isKnownDevice(browser.deviceCookie, username, lastUsedAt)) return;
  const wishes = browser?.languages;
  void deps.outbox.later(async () => {
    const { sessions } = await deps.sessions.list(userId);
    const others = sessions.filter((other) => other.sid !== sid);
    if (others.length === 0 || others.some((other) => other.userAgent === userAgent)) return;
    void notify(deps, userId, { kind: 'new_device', at: signedInAt, userAgent }, (await wishes?.()) ?? []);
  });
}
