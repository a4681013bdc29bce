/** The session: a sign-in creates its row, and everything that ends it is decided here. */

import type {
  SessionContext,
  SessionEndReason,
  SessionEvent,
  SessionRejectReason,
  SessionState,
  SignInFacts,
} from '../../../machines/session/facts.ts';
import { sessionGuards } from '../../../machines/session/guards.ts';
import { sessionMachine } from '../../../machines/session/machine.ts';
import { effectOf } from '../../engine/decide.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import type { Lifecycle, Step } from '../../engine/lifecycle.ts';
import { type Request, run, type Sleeping } from '../../engine/run.ts';
import { stepOf } from '../../engine/step.ts';
import type { Actor } from '../../model/actor.ts';
import { type Bytes, sameBytes } from '../../model/grant.ts';
import type { LedgerEntry, SignInOrigin } from '../../model/ledger.ts';
import {
  type Session,
  type SessionLifetimes,
  secondFactorDueAt,
  sessionEndedBy,
  sessionEndsAt,
  sessionIdleEndsAt,
  sessionState,
} from '../../model/session.ts';
import type { FactorKind, SignInMethod } from './sign-in.ts';

export type SessionFacts = {
  readonly now: Date;
  readonly lifetimes: SessionLifetimes;
  /** The administrator, or the end-user in another browser; absent: the browser of the session. */
  readonly actor?: Actor | undefined;
  /** Absent: this is no sign-in. */
  readonly signIn?: SignInFacts | undefined;
  /** Of the factor that is added; absent: it does. */
  readonly factorStands?: boolean | undefined;
  /** The changes that an additional factor makes to the session. */
  readonly added?: AddedFactor | undefined;
};

/** The factor by which a session was signed in, or that was added to it. It has to stand when that is stored. */
export type ProvenFactor = { readonly kind: FactorKind; readonly id: string };

export type AddedFactor = {
  readonly factor: ProvenFactor;
  /** Of the session from then on (RFC 8176). */
  readonly amr: readonly string[];
  /** SHA-256 of the new cookie. */
  readonly idHash: Bytes;
  /** For the ledger. */
  readonly origin?: SignInOrigin | undefined;
};

/**
 * One guarded statement about one row of `sessions`. An end requires only that the row has not ended; the others, that the cookie is
 * as loaded, too.
 */
export type SessionCommit =
  /** Requires that the session is active. Never moves `lastUsedAt` back. */
  | { readonly kind: 'recordUse'; readonly loaded: Session; readonly now: Date }
  | {
      readonly kind: 'end';
      readonly loaded: Session;
      readonly now: Date;
      readonly reason: SessionEndReason;
      readonly entry: LedgerEntry;
    }
  /** Requires the state as loaded, that the session is in time, and that the factor stands. */
  | {
      readonly kind: 'addFactor';
      readonly loaded: Session;
      readonly now: Date;
      /** When the session ends unless the factor comes before. */
      readonly dueAt: Date;
      readonly added: AddedFactor;
      readonly entry: LedgerEntry;
    };

/** A session is found by its cookie, or by its public name among those of its user. */
export type SessionKey = { readonly idHash: Bytes } | { readonly sid: string; readonly userId: string };
export type LoadedSession = { readonly now: Date; readonly session: Session | null } & Pick<
  SessionFacts,
  'factorStands'
>;

export type NewSession = Pick<
  Session,
  'idHash' | 'sid' | 'userId' | 'userEpoch' | 'serverEpoch' | 'userAgent' | 'amr' | 'state'
> & {
  /** Null or absent: none that could have been removed since. */
  readonly factor?: ProvenFactor | null;
  /** When the end-user authenticated, where that was earlier, at the identity provider; absent: now. */
  readonly authenticatedAt?: Date | undefined;
  /** As in a session. Absent: true. */
  readonly signInTimeIsKnown?: boolean | undefined;
  readonly lifetimeSeconds: number;
  /** By the database's clock, where a statement of this sign-in has read it just before; absent: it is asked. */
  readonly now?: Date | undefined;
  /** For its line in the ledger; absent: it has none. */
  readonly signIn?: { readonly method: SignInMethod; readonly origin: SignInOrigin } | undefined;
};

export type SessionStore = {
  /** @param factor of a session by its name: whether a passkey or an app is active, or a recovery code was used, is read with it. */
  readonly load: (key: SessionKey, factor?: ProvenFactor) => Promise<LoadedSession>;
  /** The user's sessions that neither a decision nor an epoch has ended; last used first. */
  readonly list: (
    userId: string,
    /** Absent: those in which the end-user is signed in. */
    states?: readonly Exclude<SessionState, 'ended'>[],
  ) => Promise<{ readonly now: Date; readonly sessions: readonly Session[] }>;
  /** Null: the end-user has ended since, or the factor was removed, and the server stores nothing. */
  readonly insert: (session: NewSession) => Promise<Pick<Session, 'signedInAt' | 'lastUsedAt' | 'endsAt'> | null>;
  /** False: a fact that the commit depends on no longer held, and nothing changed. */
  readonly commit: (commit: SessionCommit) => Promise<boolean>;
};

/** A use is recorded at most once per this time, or per tenth of the idle lifetime where that is shorter. */
const USE_RECORDED_EVERY_MILLISECONDS = 60_000;

const useDueAt = (session: Session, lifetimes: SessionLifetimes): number => {
  const idleMilliseconds = sessionIdleEndsAt(session, lifetimes) - session.lastUsedAt.getTime();
  return session.lastUsedAt.getTime() + Math.min(USE_RECORDED_EVERY_MILLISECONDS, idleMilliseconds / 10);
};

/** One factor was shown, by an end-user who has no other. */
export const SINGLE_FACTOR: SignInFacts = {
  isMultiFactor: false,
  isFactorDemanded: false,
  hasApp: false,
  hasPasskey: false,
  passkeyCounts: true,
  passwordIsFromMail: false,
  browserIsTrusted: false,
};
/** Where the sign-in is unknown, a factor is missing. */
const NO_SIGN_IN: SignInFacts = { ...SINGLE_FACTOR, isFactorDemanded: true };

export const sessionLifecycle: Lifecycle<Session, SessionFacts, SessionCommit> = {
  machine: sessionMachine,
  stateOf: sessionState,
  contextOf: (session, { lifetimes, signIn, factorStands }): SessionContext => ({
    endsAt: sessionEndsAt(session, lifetimes),
    idleEndsAt: sessionIdleEndsAt(session, lifetimes),
    useDueAt: useDueAt(session, lifetimes),
    factorDueAt: secondFactorDueAt(session),
    signIn: signIn ?? NO_SIGN_IN,
    factorStands: factorStands ?? null,
    endedBy: sessionEndedBy(session),
    endReason: session.endedReason,
  }),
  answers: { used: ['admit', 'reject'], factorAdded: ['admit', 'reject'] },
  changes: {
    beginSession: (session) => ({ ...session, state: 'active' }),
    addFactor: (session, { now, added }) => {
      if (!added) throw new InvariantViolation('session: a factor was added, and nothing says which');
      return { ...session, state: 'active', amr: added.amr, idHash: added.idHash, lastUsedAt: now };
    },
    recordUse: (session, { now }) => ({ ...session, lastUsedAt: now }),
    endSession: (session, { now }, { reason }) => ({ ...session, state: 'ended', endedReason: reason, endsAt: now }),
    // Once the epoch is raised, every session is read with the new value.
    raiseEpoch: (session, _, { of }) =>
      of === 'user'
        ? { ...session, liveUserEpoch: (session.liveUserEpoch ?? 0n) + 1n }
        : { ...session, liveServerEpoch: session.liveServerEpoch + 1n },
  },
  // A sign-in is stored by its own statement, with the state that the machine decided (`begunState`).
  notAudited: ['recordUse', 'beginSession'],
  ledgerFacts: ({ sid }, { actor }) => ({ sessionId: sid, ...(actor && { actor }) }),
  commitOf: ({ before, after, entries: [entry] }, { now, lifetimes, added }) => {
    if (after.endedReason !== null && entry)
      return { kind: 'end', loaded: before, now, reason: after.endedReason, entry };
    if (!added || !entry) return { kind: 'recordUse', loaded: before, now };
    const dueAt = before.state === 'active' ? sessionIdleEndsAt(before, lifetimes) : secondFactorDueAt(before);
    const latest = Math.min(dueAt, sessionEndsAt(before, lifetimes));
    return { kind: 'addFactor', loaded: before, now, dueAt: new Date(latest), added, entry };
  },
};

/** Whether a sign-in with these facts awaits a second factor. */
export const isFactorMissing = (signIn: SignInFacts): boolean => sessionGuards.factorIsMissing({ context: { signIn } });

/** The state that a sign-in is stored in. */
export const begunState = (
  session: Omit<Session, 'state' | 'endedReason'>,
  lifetimes: SessionLifetimes,
  signIn: SignInFacts,
): SessionState => {
  const fresh: Session = { ...session, state: 'awaitingSecondFactor', endedReason: null };
  const facts = { now: session.signedInAt, lifetimes, signIn };
  return stepOf(sessionLifecycle, fresh, facts, { type: 'signedIn' }).after.state;
};

type WithSession = { readonly now: Date; readonly session: Session } & Pick<SessionFacts, 'factorStands'>;

const request = <Answer>(
  lifetimes: SessionLifetimes,
  type: SessionEvent['type'],
  answer: Request<WithSession, Session, SessionFacts, SessionCommit, Answer>['answer'],
  { actor, added }: Pick<SessionFacts, 'actor' | 'added'> = {},
): Request<WithSession, Session, SessionFacts, SessionCommit, Answer> => ({
  lifecycle: sessionLifecycle,
  read: ({ session, now, factorStands }) => ({
    row: session,
    facts: { now, lifetimes, actor, added, factorStands },
    event: { type, now: now.getTime() } as SessionEvent,
  }),
  answer,
});

export type SessionUse =
  | { readonly kind: 'admitted'; readonly session: Session }
  /** A second factor is missing: the browser is not signed in. */
  | { readonly kind: 'awaitsFactor'; readonly session: Session }
  | { readonly kind: 'rejected'; readonly reason: SessionRejectReason };

const useOf = ({ after, decisions: [decision] }: Step<Session>): SessionUse => {
  const reason = (decision && effectOf(decision, 'reject'))?.params.reason as SessionRejectReason | undefined;
  if (reason === undefined) return { kind: 'admitted', session: after };
  return reason === 'second_factor_required' ? { kind: 'awaitsFactor', session: after } : { kind: 'rejected', reason };
};

/** A request came with the cookie of this session. */
export const sessionUseRequest = (lifetimes: SessionLifetimes) => request<SessionUse>(lifetimes, 'used', useOf);

/** The end-user has proven an additional factor in this session. */
export const sessionFactorRequest = (lifetimes: SessionLifetimes, added: AddedFactor) => ({
  ...request<SessionUse>(lifetimes, 'factorAdded', useOf, { added }),
  // After a lost answer: no other request drew this cookie.
  isIn: ({ session }: WithSession) => sameBytes(session.idHash, added.idHash),
});

export type SessionEnding = 'signOutRequested' | 'endRequested' | 'endRequestedByAdministrator' | 'signedInAgain';

/** The answer: whether this request ended the session. */
export const sessionEndRequest = (lifetimes: SessionLifetimes, type: SessionEnding, actor?: Actor) =>
  request<boolean>(lifetimes, type, ({ before, after }) => after !== before, { actor });

export type SessionPorts = Sleeping & {
  readonly sessions: Pick<SessionStore, 'load' | 'commit'>;
  readonly lifetimes: () => SessionLifetimes;
};

/** @param loaded absent: it is loaded. @returns null: the session is not found. @throws Unavailable */
export const useSession = (ports: SessionPorts, key: SessionKey, loaded?: LoadedSession): Promise<SessionUse | null> =>
  runFor(ports, key, sessionUseRequest(ports.lifetimes()), loaded);

/**
 * @param session as its cookie found it. A factor that was removed since is rejected. Where another factor has renewed that cookie since, the session counts as ended.
 * @returns null: the session is no longer found. @throws Unavailable
 */
export function addFactor(
  { sessions, sleep, lifetimes }: SessionPorts,
  session: Session,
  added: AddedFactor,
): Promise<SessionUse | null> {
  const { sid, userId, idHash } = session;
  const load = async (key: SessionKey): Promise<LoadedSession> => {
    const loaded = await sessions.load(key, added.factor);
    const isKnown = [idHash, added.idHash].some((one) => sameBytes(one, loaded.session?.idHash ?? null));
    return isKnown ? loaded : { ...loaded, session: null };
  };
  const ports = { sessions: { load, commit: sessions.commit }, sleep, lifetimes };
  return runFor(ports, { sid, userId }, sessionFactorRequest(lifetimes(), added));
}

/** @returns false: the session had ended already, or is not found. @throws Unavailable: calling again is always safe. */
export const endSession = async (
  ports: SessionPorts,
  key: SessionKey,
  type: Exclude<SessionEnding, 'endRequestedByAdministrator'>,
  actor?: Actor,
): Promise<boolean> => (await runFor(ports, key, sessionEndRequest(ports.lifetimes(), type, actor))) ?? false;

/** An administrator ends it: its ledger entry names them. @returns and throws as `endSession`. */
export const endSessionByAdministrator = async (ports: SessionPorts, key: SessionKey, actor: Actor): Promise<boolean> =>
  (await runFor(ports, key, sessionEndRequest(ports.lifetimes(), 'endRequestedByAdministrator', actor))) ?? false;

async function runFor<Answer>(
  { sessions, sleep }: SessionPorts,
  key: SessionKey,
  requested: Request<WithSession, Session, SessionFacts, SessionCommit, Answer>,
  loaded?: LoadedSession,
): Promise<Answer | null> {
  const first = loaded ?? (await sessions.load(key));
  if (first.session === null) return null;
  const load = async () => {
    const { session, ...loaded } = await sessions.load(key);
    // Housekeeping may have removed a session that had ended.
    return { ...loaded, session: session ?? { ...found, state: 'ended' as const } };
  };
  const found = first.session;
  return run({ load, commit: sessions.commit, sleep }, requested, { ...first, session: found });
}
