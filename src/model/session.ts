/** A browser in which an end-user has signed in, and when that ends. */
import type { EndedBy, SessionEndReason, SessionState } from '../../machines/vocabulary.ts';
import type { Bytes } from './grant.ts';

/** One row of `sessions`, with its owner and the epochs of today beside those of the sign-in. */
export type Session = {
  /** SHA-256 of the cookie. */
  readonly idHash: Bytes;
  /** Its public name: `sid` of ID Tokens. */
  readonly sid: string;
  readonly userId: string;
  readonly username: string;
  readonly userEpoch: bigint;
  readonly serverEpoch: bigint;
  readonly signedInAt: Date;
  readonly lastUsedAt: Date;
  /** As it was stored at the sign-in, and the end itself once it has ended by decision. */
  readonly endsAt: Date;
  readonly state: SessionState;
  readonly endedReason: SessionEndReason | null;
  /** As the browser introduced itself; null: it did not. */
  readonly userAgent: string | null;
  /** Of today; null when the user is disabled. */
  readonly liveUserEpoch: bigint | null;
  readonly liveServerEpoch: bigint;
};

/** Seconds throughout; the bounds are in policies/schema.ts. */
export type SessionLifetimes = {
  readonly sessionLifetimeSeconds: number;
  /** Absent: a session idles for as long as it lives. */
  readonly sessionIdleLifetimeSeconds?: number | undefined;
};

export function sessionEndedBy(session: Session): EndedBy {
  if (session.liveUserEpoch !== session.userEpoch) return 'user';
  if (session.liveServerEpoch !== session.serverEpoch) return 'server';
  return null;
}

export const sessionState = (session: Session): SessionState =>
  session.state === 'ended' || sessionEndedBy(session) !== null ? 'ended' : 'active';

const after = (instant: Date, seconds: number): number => instant.getTime() + seconds * 1000;

/** Milliseconds since 1970: today's policy, and never later than the stored end. */
export const sessionEndsAt = (session: Session, { sessionLifetimeSeconds }: SessionLifetimes): number =>
  Math.min(session.endsAt.getTime(), after(session.signedInAt, sessionLifetimeSeconds));

/** Milliseconds since 1970; Infinity: it may idle for as long as it lives. */
export const sessionIdleEndsAt = (
  session: Session,
  { sessionIdleLifetimeSeconds = Number.POSITIVE_INFINITY }: SessionLifetimes,
): number => after(session.lastUsedAt, sessionIdleLifetimeSeconds);
