/** Sessions as the walks of sign-ins and of factors store them. */
import type { Session, SessionLifetimes } from '../../../model/session.ts';
import { BY_PASSWORD } from '../../../oauth/authentication-methods.ts';
import { liveEpochs, type Owners } from '../../../review/proof/owners.ts';

/** The stored row of the session itself; the current epochs are their owners'. */
export type StoredSession = Omit<Session, 'liveUserEpoch' | 'liveServerEpoch'>;

/** The session idles out first, then it is too old, then the interaction ends; each in reach of the one before. */
export const SESSION_LIFETIMES: SessionLifetimes = {
  sessionLifetimeSeconds: 12 * 3600,
  sessionIdleLifetimeSeconds: 20 * 60,
};

export const USER = 'user-a';

type Epochs = Pick<StoredSession, 'userEpoch' | 'serverEpoch'>;
const FIRST_EPOCHS: Epochs = { userEpoch: 0n, serverEpoch: 0n };

/** Of an end-user whose password was right. */
export const newSession = (serial: number, at: Date, userId = USER, epochs = FIRST_EPOCHS): StoredSession => ({
  idHash: new Uint8Array(32).fill(serial),
  sid: `session ${serial}`,
  userId,
  username: userId,
  ...epochs,
  signedInAt: at,
  lastUsedAt: at,
  endsAt: new Date(at.getTime() + SESSION_LIFETIMES.sessionLifetimeSeconds * 1000),
  state: 'active',
  endedReason: null,
  amr: [...BY_PASSWORD],
  userAgent: null,
});

export function asLoaded(session: StoredSession, owners: Owners): Session {
  const { liveUserEpoch, liveServerEpoch } = liveEpochs(owners);
  return { ...session, liveUserEpoch, liveServerEpoch };
}
