/** A browser in which an end-user has signed in, and when that ends. */

import type { SessionEndReason, SessionState } from '../../machines/session/facts.ts';
import type { EndedBy } from '../../machines/shared/facts.ts';
import type { Bytes } from './grant.ts';

/** One row of `sessions`, with its user and today's epochs beside those of the sign-in. */
export type Session = {
  /** SHA-256 of the cookie. */
  readonly idHash: Bytes;
  /** Its public name: `sid` of ID Tokens. */
  readonly sid: string;
  readonly userId: string;
  /** The `sub` of the end-user that was imported; null or absent: the `userId`. */
  readonly sub?: string | null;
  readonly username: string;
  readonly userEpoch: bigint;
  readonly serverEpoch: bigint;
  /** When the end-user authenticated: `auth_time`. */
  readonly signedInAt: Date;
  /** False: the identity provider does not say when, and the sign-in satisfies no `max_age`. Absent: true. */
  readonly signInTimeIsKnown?: boolean | undefined;
  /** How, by the names of RFC 8176. */
  readonly amr: readonly string[];
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

/** The `sub` of ID Tokens of the session. */
export const subOfSession = ({ userId, sub }: Pick<Session, 'userId' | 'sub'>): string => sub ?? userId;

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
  sessionEndedBy(session) === null ? session.state : 'ended';

/** From the password to the second factor, or to its set-up. */
export const SECOND_FACTOR_SECONDS = 600;

const after = (instant: Date, seconds: number): number => instant.getTime() + seconds * 1000;

/** Milliseconds since 1970: under today's policy, but never later than the stored end. */
export const sessionEndsAt = (session: Session, { sessionLifetimeSeconds }: SessionLifetimes): number =>
  Math.min(session.endsAt.getTime(), after(session.signedInAt, sessionLifetimeSeconds));

/** Milliseconds since 1970: when a session that awaits a second factor ends. No use is recorded before that factor. */
export const secondFactorDueAt = ({ lastUsedAt }: Session): number => after(lastUsedAt, SECOND_FACTOR_SECONDS);

/** Milliseconds since 1970; Infinity: it may idle for as long as it lives. */
export const sessionIdleEndsAt = (
  session: Session,
  { sessionIdleLifetimeSeconds = Number.POSITIVE_INFINITY }: SessionLifetimes,
): number => after(session.lastUsedAt, sessionIdleLifetimeSeconds);

/** Why a decision or an epoch ended it; null: neither did. */
export function sessionEndReason(session: Session): SessionEndReason | 'user_ended' | 'server_epoch_raised' | null {
  const by = sessionEndedBy(session);
  if (session.state === 'ended') return session.endedReason;
  return by === null ? null : by === 'user' ? 'user_ended' : 'server_epoch_raised';
}

/** Neither a decision nor time has ended it. */
export const sessionIsAlive = (session: Session, lifetimes: SessionLifetimes, now: Date): boolean =>
  sessionState(session) === 'active' &&
  now.getTime() < Math.min(sessionEndsAt(session, lifetimes), sessionIdleEndsAt(session, lifetimes));

/**
 * A session outlives the moment in which the end-user authenticated: the browser may be left alone, and its cookie may be
 * stolen. An action that locks people out, or gives their account away, takes a recent sign-in (`auth_time`).
 */
export const signedInRecently = (
  { signedInAt }: Pick<Session, 'signedInAt'>,
  { recentSignInSeconds }: { readonly recentSignInSeconds: number },
  now: Date,
): boolean => now.getTime() <= after(signedInAt, recentSignInSeconds);
