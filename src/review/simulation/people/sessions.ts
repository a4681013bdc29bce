/** Signing in, and what a cookie is good for afterwards. */

import { stepOf } from '../../../engine/step.ts';
import {
  type AddedFactor,
  type ProvenFactor,
  type SessionCommit,
  type SessionEnding,
  sessionEndRequest,
  sessionFactorRequest,
  sessionLifecycle,
  sessionUseRequest,
} from '../../../lifecycles/session.ts';
import { type Bytes, sameBytes } from '../../../model/grant.ts';
import { type Session, sessionEndReason, sessionIsAlive, sessionState } from '../../../model/session.ts';
import { authenticationClassOf, classNamed, levelOf, methodsOf } from '../../../oauth/authentication-methods.ts';
import { BEGINNINGS } from '../../proof/sign-ins/beginnings.ts';
import { commitSignIn, type SignIn, type SignInCommit, sessionAsLoaded } from '../../proof/sign-ins/store.ts';
import type { Actor } from '../scenario.ts';
import type { SessionSeen } from '../stage.ts';
import { bytesOf, decided, demandsFactor, gives, idOf, type PersonalAnswer, refused, type World } from './world.ts';

const SEVERAL_FACTORS = levelOf(classNamed('multi-factor'));

/** Nothing but the password was shown. */
export const isByPasswordAlone = ({ amr }: Pick<Session, 'amr'>): boolean =>
  levelOf(authenticationClassOf(amr)) < SEVERAL_FACTORS;

const [BEGINNING] = BEGINNINGS;

/** The rows as the store of the proof has them, whose guarded statements are used. @param of the browser in which an interaction began. */
export function signInRows({ rows }: World, of: Pick<SignIn, 'interaction' | 'isStored'> | null = null): SignIn {
  if (!BEGINNING) throw new Error('The proof has no beginning.');
  const { user, client, sessions, consents, grants, serverEpoch } = rows;
  const { interaction, isStored } = of ?? BEGINNING.stored;
  return {
    interaction,
    isStored,
    client,
    users: [{ id: user.id, epoch: user.epoch, isDisabled: user.disabledAt !== null }],
    sessions,
    consents,
    serverEpoch,
    // Each interaction makes its own.
    grants: grants.filter(({ interactionId }) => interactionId === interaction.id),
    demandsFactor: false,
  };
}

/** @returns what is stored afterwards; null: a guard did not hold. */
export function commitRows(
  world: World,
  commit: SignInCommit,
  of: Parameters<typeof signInRows>[1] = null,
): SignIn | null {
  const before = signInRows(world, of);
  const after = commitSignIn(before, commit, world.now());
  if (after === null) return null;
  const made = after.grants.filter((grant) => !before.grants.includes(grant));
  const { sessions, consents } = after;
  world.rows = { ...world.rows, sessions, consents, grants: [...world.rows.grants, ...made] };
  return after;
}

const sessionOf = (world: World, { sid }: { readonly sid: string }): Session => {
  const row = world.rows.sessions.find((session) => session.sid === sid);
  if (!row) throw new Error(`There is no session ${sid}.`);
  return sessionAsLoaded(signInRows(world), row);
};

/** The session of a cookie; null: there is none, or another cookie has taken its place. */
function sessionOfCookie(world: World, cookie: Bytes | null): Session | null {
  const row = world.rows.sessions.find(({ idHash }) => sameBytes(idHash, cookie));
  return row ? sessionOf(world, row) : null;
}

const settle = (world: World, session: Session) => ({
  load: () => ({ now: world.now(), session: sessionOf(world, session) }),
  commit: (commit: SessionCommit) => commitRows(world, commit) !== null,
});

export type Use =
  | { readonly kind: 'admitted' | 'awaitsFactor'; readonly session: Session }
  | { readonly kind: 'none'; readonly reason: string };

/** A request came with the cookie of this browser. */
export function useCookie(world: World, actor: Actor): Use {
  const { cookie } = world.browserOf(actor);
  if (cookie === null) return { kind: 'none', reason: 'sign_in_required' };
  const session = sessionOfCookie(world, cookie);
  if (session === null) return { kind: 'none', reason: 'session_unknown' };
  const { load, commit } = settle(world, session);
  const used = decided(world, sessionUseRequest(world.signIn), load, commit);
  return used.kind === 'rejected' ? { kind: 'none', reason: used.reason } : used;
}

export type Authentication = {
  readonly amr: readonly string[];
  /** When the end-user authenticated, where that was earlier; absent: now. */
  readonly authenticatedAt?: Date;
};

/** A new session under a new cookie, which takes the place of the session that the browser had. */
export function signIn(
  world: World,
  actor: Actor,
  { amr, authenticatedAt = world.now() }: Authentication,
): PersonalAnswer {
  const browser = world.browserOf(actor);
  const old = sessionOfCookie(world, browser.cookie);
  if (old !== null) endSession(world, old, 'signedInAgain');
  const { user, apps, passkeys, serverEpoch } = world.rows;
  const serial = world.draw();
  const now = world.now();
  const fresh: Session = {
    idHash: bytesOf(serial),
    sid: idOf(serial),
    userId: user.id,
    username: user.username,
    userEpoch: user.epoch,
    serverEpoch,
    signedInAt: authenticatedAt,
    lastUsedAt: now,
    endsAt: new Date(authenticatedAt.getTime() + world.signIn.sessionLifetimeSeconds * 1000),
    state: 'awaitingSecondFactor',
    endedReason: null,
    amr,
    userAgent: null,
    liveUserEpoch: user.epoch,
    liveServerEpoch: serverEpoch,
  };
  const signIn = {
    isMultiFactor: !isByPasswordAlone(fresh),
    isFactorDemanded: demandsFactor(world.signIn),
    hasApp: apps.some(({ state }) => state === 'active'),
    hasPasskey: passkeys.some(({ state }) => state === 'active'),
    passkeyCounts: world.signIn.passkeyAfterPassword === 'required',
    passwordIsFromMail: user.passwordByLinkAt !== null,
  };
  const facts = { now, lifetimes: world.signIn, signIn };
  const { after } = stepOf(sessionLifecycle, fresh, facts, { type: 'signedIn' }, world.machineOf);
  const { liveUserEpoch: _, liveServerEpoch: __, ...stored } = after;
  world.rows = { ...world.rows, sessions: [...world.rows.sessions, stored] };
  browser.cookie = stored.idHash;
  return gives({ kind: 'cookie', idHash: stored.idHash });
}

/** A further factor was proven in this session, which goes on under a new cookie. */
export function strengthen(
  world: World,
  actor: Actor,
  session: Session,
  proven: { readonly factor: ProvenFactor; readonly amr: readonly string[] },
): PersonalAnswer {
  const idHash = bytesOf(world.draw());
  const added: AddedFactor = { factor: proven.factor, amr: methodsOf(session.amr, proven.amr), idHash };
  const { load, commit } = settle(world, session);
  const used = decided(world, sessionFactorRequest(world.signIn, added), load, commit);
  if (used.kind !== 'admitted') return refused(used.kind === 'rejected' ? used.reason : 'second_factor_required');
  world.browserOf(actor).cookie = idHash;
  return gives({ kind: 'cookie', idHash });
}

/** @returns whether this ended it. */
export function endSession(world: World, session: Session, type: SessionEnding): boolean {
  const { load, commit } = settle(world, session);
  return decided(world, sessionEndRequest(world.signIn, type), load, commit);
}

/** Every other session of the end-user that is alive. */
export function endOtherSessions(world: World, own: Session): void {
  for (const row of world.rows.sessions) {
    const session = sessionOf(world, row);
    if (row.sid === own.sid || row.userEpoch !== own.userEpoch) continue;
    if (sessionIsAlive(session, world.signIn, world.now())) endSession(world, session, 'endRequested');
  }
}

/** As it stands in the row. Null: the browser has no cookie. */
export function sessionSeen(world: World, actor: Actor): SessionSeen | null {
  const { cookie } = world.browserOf(actor);
  if (cookie === null) return null;
  const session = sessionOfCookie(world, cookie);
  if (session === null) return { state: 'unknown', reason: null };
  return { state: sessionState(session), reason: sessionEndReason(session) };
}
