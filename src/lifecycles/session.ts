/** The session: a sign-in creates its row, and everything that ends it is decided here. */
import { sessionMachine } from '../../machines/session.machine.ts';
import type { SessionContext, SessionEndReason, SessionEvent, SessionRejectReason } from '../../machines/vocabulary.ts';
import { effectOf } from '../engine/decide.ts';
import type { Lifecycle } from '../engine/lifecycle.ts';
import { type Request, run } from '../engine/run.ts';
import type { Bytes } from '../model/grant.ts';
import type { LedgerEntry } from '../model/ledger.ts';
import {
  type Session,
  type SessionLifetimes,
  sessionEndedBy,
  sessionEndsAt,
  sessionIdleEndsAt,
  sessionState,
} from '../model/session.ts';

export type SessionFacts = { readonly now: Date; readonly lifetimes: SessionLifetimes };

/** One guarded statement about one row of `sessions`. Both kinds require that the session is still active. */
export type SessionCommit =
  /** Never moves `lastUsedAt` back. */
  | { readonly kind: 'recordUse'; readonly loaded: Session; readonly now: Date }
  | {
      readonly kind: 'end';
      readonly loaded: Session;
      readonly now: Date;
      readonly reason: SessionEndReason;
      readonly entry: LedgerEntry;
    };

/** A session is found by its cookie, or by its public name among those of its user. */
export type SessionKey = { readonly idHash: Bytes } | { readonly sid: string; readonly userId: string };
export type LoadedSession = { readonly now: Date; readonly session: Session | null };

export type NewSession = Pick<Session, 'idHash' | 'sid' | 'userId' | 'userEpoch' | 'serverEpoch' | 'userAgent'> & {
  readonly lifetimeSeconds: number;
};

export type SessionStore = {
  readonly load: (key: SessionKey) => Promise<LoadedSession>;
  /** The user's sessions whose row has not ended; last used first. */
  readonly list: (userId: string) => Promise<{ readonly now: Date; readonly sessions: readonly Session[] }>;
  readonly insert: (session: NewSession) => Promise<Pick<Session, 'signedInAt' | 'endsAt'>>;
  /** False: a fact that the commit depends on no longer held, and nothing changed. */
  readonly commit: (commit: SessionCommit) => Promise<boolean>;
};

/** A use is recorded at most once per this time, or per tenth of the idle lifetime where that is shorter. */
const USE_RECORDED_EVERY_MILLISECONDS = 60_000;

const useDueAt = (session: Session, lifetimes: SessionLifetimes): number => {
  const idleMilliseconds = sessionIdleEndsAt(session, lifetimes) - session.lastUsedAt.getTime();
  return session.lastUsedAt.getTime() + Math.min(USE_RECORDED_EVERY_MILLISECONDS, idleMilliseconds / 10);
};

export const sessionLifecycle: Lifecycle<Session, SessionFacts, SessionCommit> = {
  machine: sessionMachine,
  stateOf: sessionState,
  contextOf: (session, { lifetimes }): SessionContext => ({
    endsAt: sessionEndsAt(session, lifetimes),
    idleEndsAt: sessionIdleEndsAt(session, lifetimes),
    useDueAt: useDueAt(session, lifetimes),
    endedBy: sessionEndedBy(session),
    endReason: session.endedReason,
  }),
  answers: { used: ['admit', 'reject'] },
  changes: {
    recordUse: (session, { now }) => ({ ...session, lastUsedAt: now }),
    endSession: (session, { now }, { reason }) => ({ ...session, state: 'ended', endedReason: reason, endsAt: now }),
    // Once the epoch is raised, every session is read with the new value.
    raiseEpoch: (session, _, { of }) =>
      of === 'user'
        ? { ...session, liveUserEpoch: (session.liveUserEpoch ?? 0n) + 1n }
        : { ...session, liveServerEpoch: session.liveServerEpoch + 1n },
  },
  unrecorded: ['recordUse'],
  ledgerFacts: ({ sid }) => ({ sessionId: sid }),
  commitOf: ({ before, after, entries: [entry] }, { now }) =>
    after.endedReason !== null && entry
      ? { kind: 'end', loaded: before, now, reason: after.endedReason, entry }
      : { kind: 'recordUse', loaded: before, now },
};

type WithSession = { readonly now: Date; readonly session: Session };

const request = <Answer>(
  lifetimes: SessionLifetimes,
  type: SessionEvent['type'],
  answer: Request<WithSession, Session, SessionFacts, SessionCommit, Answer>['answer'],
): Request<WithSession, Session, SessionFacts, SessionCommit, Answer> => ({
  lifecycle: sessionLifecycle,
  read: ({ session, now }) => ({
    row: session,
    facts: { now, lifetimes },
    event: { type, now: now.getTime() } as SessionEvent,
  }),
  answer,
});

export type SessionUse =
  | { readonly kind: 'admitted'; readonly session: Session }
  | { readonly kind: 'rejected'; readonly reason: SessionRejectReason };

/** A request came with the cookie of this session. */
export const sessionUseRequest = (lifetimes: SessionLifetimes) =>
  request<SessionUse>(lifetimes, 'used', ({ after, decisions: [decision] }) => {
    const rejected = decision && effectOf(decision, 'reject');
    return rejected
      ? { kind: 'rejected', reason: rejected.params.reason as SessionRejectReason }
      : { kind: 'admitted', session: after };
  });

export type SessionEnding = 'signOutRequested' | 'endRequested' | 'signedInAgain';

/** The answer: whether this request ended the session. */
export const sessionEndRequest = (lifetimes: SessionLifetimes, type: SessionEnding) =>
  request<boolean>(lifetimes, type, ({ before, after }) => after !== before);

export type SessionWorld = {
  readonly sessions: Pick<SessionStore, 'load' | 'commit'>;
  readonly lifetimes: () => SessionLifetimes;
  /** Milliseconds; waits between reloads after a lost commit. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/** @param loaded absent: it is loaded. @returns null: there is no such session. @throws Unavailable */
export const useSession = (world: SessionWorld, key: SessionKey, loaded?: LoadedSession): Promise<SessionUse | null> =>
  runFor(world, key, sessionUseRequest(world.lifetimes()), loaded);

/** @returns false: it had ended already, or there is no such session. @throws Unavailable: calling again is always safe. */
export const endSession = async (world: SessionWorld, key: SessionKey, type: SessionEnding): Promise<boolean> =>
  (await runFor(world, key, sessionEndRequest(world.lifetimes(), type))) ?? false;

async function runFor<Answer>(
  { sessions, sleep }: SessionWorld,
  key: SessionKey,
  requested: Request<WithSession, Session, SessionFacts, SessionCommit, Answer>,
  loaded?: LoadedSession,
): Promise<Answer | null> {
  const first = loaded ?? (await sessions.load(key));
  if (first.session === null) return null;
  const load = async () => {
    const { now, session } = await sessions.load(key);
    // Housekeeping may have removed a session that had ended.
    return { now, session: session ?? { ...found, state: 'ended' as const } };
  };
  const found = first.session;
  return run({ load, commit: sessions.commit, sleep }, requested, { now: first.now, session: found });
}
