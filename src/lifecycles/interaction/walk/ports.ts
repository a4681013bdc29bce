/**
 * The model of sign-in and consent: one interaction, its client, its users and the sessions of one browser, under the
 * same contract as in Postgres (src/storage/interaction-store.ts, src/storage/sessions.ts). Loads take no lock, and every change is one
 * guarded statement.
 */
import type { InteractionEvent } from '../../../../machines/interaction/facts.ts';
import type { SessionEvent } from '../../../../machines/session/facts.ts';
import type { Client } from '../../../model/client.ts';
import { sameBytes } from '../../../model/grant.ts';
import type { Interaction } from '../../../model/interaction.ts';
import type { Session } from '../../../model/session.ts';
import { type Owners, ownersStand } from '../../../review/proof/owners.ts';
import type { StoredGrant } from '../../grant/walk/ports.ts';
import type { PushedRequest } from '../../pushed-request/entity.ts';
import type { SessionCommit, SessionUse } from '../../session/lifecycle.ts';
import { asLoaded, type StoredSession, USER } from '../../session/walk/stored-session.ts';
import type {
  Approval,
  InteractionCommit,
  InteractionMove,
  InteractionOutcome,
  LoadedInteraction,
  SpentRequest,
  StoredInteraction,
} from '../lifecycle.ts';

type StoredUser = { readonly id: string; readonly epoch: bigint; readonly isDisabled: boolean };
type StoredConsent = {
  readonly userId: string;
  readonly userEpoch: bigint;
  readonly clientEpoch: bigint;
  readonly scope: readonly string[];
  readonly resources: readonly string[];
  readonly grantedAt: Date;
};

export type SignIn = {
  /** As stored or, before that, as the browser carries it. Approved without a row: its grant stands for it. */
  readonly interaction: Interaction;
  readonly isStored: boolean;
  /** That the client pushed; null: it pushed none. */
  readonly pushed: PushedRequest | null;
  readonly client: Client;
  readonly users: readonly StoredUser[];
  /** Of the browser that the interaction began in; the last one is that of its cookie. */
  readonly sessions: readonly StoredSession[];
  readonly consents: readonly StoredConsent[];
  readonly serverEpoch: bigint;
  readonly grants: readonly StoredGrant[];
  /** Account or policy demand a second factor of every end-user. */
  readonly demandsFactor: boolean;
};

type SignInCommit = InteractionCommit | SessionCommit;

export type InteractionEventType = InteractionEvent['type'];
/** Those that a request is about; the others are raised epochs. */
export type SessionEventType = Extract<
  SessionEvent['type'],
  'used' | 'factorAdded' | 'signOutRequested' | 'endRequested' | 'endRequestedByAdministrator' | 'signedInAgain'
>;

export type Asked =
  /** `session`: as it was admitted when the request came. It may have ended since. */
  | { readonly kind: 'interaction'; readonly event: InteractionEventType; readonly session: Session | null }
  | { readonly kind: 'session'; readonly event: SessionEventType; readonly sid: string };

type LoadedSession = { readonly now: Date; readonly session: Session };

type Known = {
  /** Users who were asked for their consent in this interaction. */
  readonly askedForConsent: readonly string[];
  /** `sid`s of sessions whose end has been acknowledged. */
  readonly ended: readonly string[];
};

export type Terms = {
  readonly stored: SignIn;
  readonly asked: Asked;
  readonly loaded: LoadedInteraction | LoadedSession;
  readonly commit: SignInCommit;
  readonly answer: InteractionOutcome | SessionUse | boolean;
  readonly known: Known;
};

const userOf = ({ users }: SignIn, id: string): StoredUser => {
  const user = users.find((one) => one.id === id);
  if (user === undefined) throw new Error(`There is no end-user ${id}.`);
  return user;
};

export const ownersOf = (stored: SignIn, userId: string): Owners => ({
  client: { epoch: stored.client.epoch, isDeleted: stored.client.deletedAt !== null },
  user: userOf(stored, userId),
  serverEpoch: stored.serverEpoch,
});

/** Of the end-user who was asked about it. */
export function withOwners(stored: SignIn, { client, user, serverEpoch }: Partial<Owners>, now: Date): SignIn {
  return {
    ...stored,
    ...(client && {
      client: { ...stored.client, epoch: client.epoch, deletedAt: client.isDeleted ? now : null },
    }),
    ...(user && { users: stored.users.map((one) => (one.id === USER ? { ...one, ...user } : one)) }),
    ...(serverEpoch !== undefined && { serverEpoch }),
  };
}

/** With the current epochs. */
export const sessionAsLoaded = (stored: SignIn, session: StoredSession): Session =>
  asLoaded(session, ownersOf(stored, session.userId));

export function loadInteraction(stored: SignIn, userId: string | null, now: Date): StoredInteraction {
  const { interaction, isStored, pushed, client, grants } = stored;
  const [grant] = grants;
  const consent = stored.consents.find(
    (one) => one.userId === userId && one.resources.join() === interaction.resources.join(),
  );
  const stands =
    consent && consent.userEpoch === userOf(stored, consent.userId).epoch && consent.clientEpoch === client.epoch;
  return {
    now,
    interaction: isStored ? interaction : { ...interaction, state: 'awaitingSignIn', userId: null },
    isStored,
    client,
    pushed,
    remembered: stands ? consent : null,
    grant: grant
      ? {
          id: grant.id,
          userId: grant.userId,
          codeHash: grant.codeHash,
          codeIsUnused: grant.state === 'active' && grant.refreshGeneration === null,
          codeEndsAt: grant.codeEndsAt,
        }
      : null,
  };
}

type Fact<Commit> = (stored: SignIn, commit: Commit, now: Date) => boolean;
type Guard<Commit> = Readonly<Record<string, Fact<Commit>>>;

/** Every fact that each statement compares, by name, so that a test can leave out each and see the consequences. */
const WHAT_IS_LOADED: Guard<InteractionMove> = {
  /** An INSERT, and nothing where the row is there already. */
  isStoredOnce: (stored, { isStored }) => isStored || !stored.isStored,
  /** Where the grant was stored alone, nothing else is stored for the interaction. */
  isGrantedOnce: ({ grants }, { isStored }) => isStored || grants.length === 0,
  stateIsLoaded: ({ interaction }, { isStored, loaded }) => !isStored || interaction.state === loaded.state,
  userIsLoaded: ({ interaction }, { isStored, loaded }) => !isStored || interaction.userId === loaded.userId,
  /** Of two answers to a pushed request, one finds it used. */
  requestIsPushed: ({ pushed }, { spends }) => spends === undefined || pushed?.state === 'pushed',
};

export const SPENDING_GUARD: Guard<SpentRequest> = {
  requestIsPushed: ({ pushed }) => pushed?.state === 'pushed',
};

export const MOVE_GUARD: Guard<InteractionMove> = {
  ...WHAT_IS_LOADED,
  isStoredInTime: (_, { isStored, loaded }, now) => isStored || now < loaded.endsAt,
};

const covers = (all: readonly string[], asked: readonly string[]) => asked.every((one) => all.includes(one));

export const APPROVAL_GUARD: Guard<Approval> = {
  ...WHAT_IS_LOADED,
  ...ownersStand<SignIn, Approval>(
    (stored, { session }) => ownersOf(stored, session.userId),
    ({ interaction }, { session }) => ({ ...session, clientEpoch: interaction.clientEpoch }),
  ),
  timeIsNotOver: (_, { endsAt }, now) => now < endsAt,
  sessionIsActive: (stored, { session }) => rowOf(stored, session)?.state === 'active',
  registrationSkipsConsent: ({ client }, { reliesOn }) => reliesOn !== 'registration' || client.consent === 'skip',
  consentStands: ({ consents, interaction }, { session, reliesOn, scope }) =>
    reliesOn !== 'consent' ||
    consents.some(
      (one) =>
        one.userId === session.userId &&
        one.resources.join() === interaction.resources.join() &&
        covers(one.scope, scope) &&
        one.userEpoch === session.userEpoch &&
        one.clientEpoch === interaction.clientEpoch,
    ),
};

export const SESSION_GUARD: Guard<SessionCommit> = {
  /** By the cookie as it was loaded, which an additional factor renews; an end by the session's own name. */
  sessionIsAlive: (stored, { loaded, kind }) => {
    if (kind === 'end') return stored.sessions.some(({ sid, state }) => sid === loaded.sid && state !== 'ended');
    return rowOf(stored, loaded)?.state === (kind === 'addFactor' ? loaded.state : 'active');
  },
  factorIsInTime: (_, commit, now) => commit.kind !== 'addFactor' || now < commit.dueAt,
};

export type Guards = {
  readonly move: Guard<InteractionMove>;
  readonly approval: Guard<Approval>;
  readonly spending: Guard<SpentRequest>;
  readonly session: Guard<SessionCommit>;
};
const GUARDS: Guards = {
  move: MOVE_GUARD,
  approval: APPROVAL_GUARD,
  spending: SPENDING_GUARD,
  session: SESSION_GUARD,
};

const holds = <Commit>(guard: Guard<Commit>, stored: SignIn, commit: Commit, now: Date): boolean =>
  Object.values(guard).every((fact) => fact(stored, commit, now));

const rowOf = ({ sessions }: SignIn, { idHash }: Pick<Session, 'idHash'>): StoredSession | undefined =>
  sessions.find((one) => sameBytes(one.idHash, idHash));

/** @returns null when a guard did not hold: nothing changed. */
export function commitSignIn(stored: SignIn, commit: SignInCommit, now: Date, guards = GUARDS): SignIn | null {
  switch (commit.kind) {
    case 'move':
      return holds(guards.move, stored, commit.move, now) ? moved(stored, commit.move) : null;
    case 'approve':
      return holds(guards.approval, stored, commit.approval, now) ? approved(stored, commit.approval) : null;
    case 'spend':
      return holds(guards.spending, stored, commit.spent, now) ? spent(stored) : null;
    default:
      return holds(guards.session, stored, commit, now) ? withSession(stored, commit) : null;
  }
}

const spent = (stored: SignIn): SignIn => ({
  ...stored,
  pushed: stored.pushed && { ...stored.pushed, state: 'used', sealed: '' },
});

const moved = (
  stored: SignIn,
  { to, userId, spends }: Pick<InteractionMove, 'to' | 'userId' | 'spends'>,
  isStored = true,
): SignIn => ({
  ...(spends ? spent(stored) : stored),
  isStored,
  interaction: { ...stored.interaction, state: to, userId },
});

function approved(stored: SignIn, approval: Approval): SignIn {
  const { session, now, remembers, scope } = approval;
  const { resources, clientId, clientEpoch } = stored.interaction;
  const { userId, userEpoch, serverEpoch } = session;
  const grant: StoredGrant = {
    id: stored.interaction.id,
    clientId,
    userId,
    clientEpoch,
    userEpoch,
    serverEpoch,
    scope,
    resources,
    codeHash: approval.codeHash,
    codeChallenge: stored.interaction.codeChallenge,
    dpopJkt: stored.interaction.dpopJkt,
    redirectUri: stored.interaction.redirectUri,
    identity: approval.identity,
    codeEndsAt: approval.codeEndsAt,
    state: 'active',
    revokedReason: null,
    refreshGeneration: null,
    refreshNonce: null,
    createdAt: now,
    lastUsedAt: null,
    chainEndsAt: null,
  };
  const after = moved(stored, { ...approval, userId }, !approval.grantAlone);
  const consents = remembers
    ? withConsent(stored.consents, { userId, userEpoch, clientEpoch, scope, resources, grantedAt: now })
    : stored.consents;
  return { ...after, consents, grants: [...stored.grants, grant] };
}

/** The union of the earlier and the new approval; an approval under other epochs no longer counts. */
function withConsent(consents: readonly StoredConsent[], given: StoredConsent): readonly StoredConsent[] {
  const isSame = (one: StoredConsent) => one.userId === given.userId && one.resources.join() === given.resources.join();
  const old = consents.find(isSame);
  const isAlive = old?.userEpoch === given.userEpoch && old.clientEpoch === given.clientEpoch;
  const scope = isAlive ? [...new Set([...old.scope, ...given.scope])].sort() : given.scope;
  return [...consents.filter((one) => !isSame(one)), { ...given, scope }];
}

function withSession(stored: SignIn, commit: SessionCommit): SignIn {
  const changed = (session: StoredSession): StoredSession => {
    if (session.sid !== commit.loaded.sid) return session;
    const { now } = commit;
    if (commit.kind === 'recordUse') return { ...session, lastUsedAt: later(session.lastUsedAt, now) };
    if (commit.kind === 'addFactor') {
      const { idHash, amr } = commit.added;
      return { ...session, state: 'active', idHash, amr, lastUsedAt: later(session.lastUsedAt, now) };
    }
    return { ...session, state: 'ended', endedReason: commit.reason, endsAt: earlier(session.endsAt, now) };
  };
  return { ...stored, sessions: stored.sessions.map(changed) };
}

const later = (one: Date, other: Date) => (one > other ? one : other);
const earlier = (one: Date, other: Date) => (one < other ? one : other);
