/** A browser in which an end-user has signed in, and when that ends. */
import type { EndedBy, SessionEndReason, SessionState } from '../../machines/vocabulary.ts';
import type { Bytes } from './grant.ts';

/** One row of `sessions`, with its user and today's epochs beside those of the sign-in. */
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
  /** As stored at the sign-in; once the session has ended by decision, the instant of that. */
  readonly endsAt: Date;
  readonly state: SessionState;
  readonly endedReason: SessionEndReason | null;
  /** The User-Agent of the sign-in; null: none was sent. */
  readonly userAgent: string | null;
  /** Today's epoch; null when the user is disabled. */
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

/** Milliseconds since 1970: under today's policy, but never later than the stored end. */
export const sessionEndsAt = (session: Session, { sessionLifetimeSeconds }: SessionLifetimes): number =>
  Math.min(session.endsAt.getTime(), after(session.signedInAt, sessionLifetimeSeconds));

/** Milliseconds since 1970; Infinity: it may idle for as long as it lives. */
export const sessionIdleEndsAt = (
  session: Session,
  { sessionIdleLifetimeSeconds = Number.POSITIVE_INFINITY }: SessionLifetimes,
): number => after(session.lastUsedAt, sessionIdleLifetimeSeconds);
