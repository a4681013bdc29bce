/** The password, and what becomes of the account. */
import { type UserChange, userRequest } from '../../../lifecycles/user.ts';
import { type Actor as Author, commandLine, endUser } from '../../../model/actor.ts';
import type { RegisteredUser } from '../../../model/user.ts';
import type { Actor, Typed } from '../scenario.ts';
import { enter, isSession } from './enter.ts';
import { isPassword } from './password.ts';
import { endOtherSessions, endSession, isByPasswordAlone, signIn, useCookie } from './sessions.ts';
import { DONE, decided, hashOfPassword, type PersonalAnswer, refused, type World } from './world.ts';

type Asked = { readonly author: Author; readonly change: UserChange; readonly expectedEpoch?: bigint };

/** @returns false: the machine of the registration rejected it. */
export function changeUser(world: World, { author, change, expectedEpoch }: Asked): boolean {
  const { id } = world.rows.user;
  const expects = ({ user }: { readonly user: { readonly epoch: bigint } | null }) =>
    expectedEpoch === undefined || user?.epoch === expectedEpoch;
  const load = () => ({
    now: world.now(),
    row: { user: world.rows.user },
    version: String(world.rows.userVersion),
    usernameOf: null,
  });
  const changed = decided(world, userRequest({ id, actor: author, change, expects }), load, ({ after }) => {
    storeUser(world, after);
    return true;
  });
  return changed.kind === 'done';
}

export function storeUser(world: World, after: RegisteredUser): void {
  const erased = after.deletedAt === null ? {} : ERASED;
  world.rows = { ...world.rows, user: after, userVersion: world.rows.userVersion + 1, ...erased };
}

/** What goes with an account, in the same statement (src/storage/personal-data.ts). */
const ERASED = { sessions: [], consents: [], apps: [], recoveryCodes: [], passkeys: [] } as const;

/** This browser goes on in a session of its own, and no other does. */
export function setPassword(world: World, actor: Actor, typed: Typed): PersonalAnswer {
  const session = enter(world, actor, false);
  if (!isSession(session)) return session;
  if (!isPassword(world, typed)) return refused('credentials_mismatch');
  const passwordHash = hashOfPassword(world.passwordSerial + 1);
  const byPasswordAlone = isByPasswordAlone(session);
  const change = { type: 'passwordChangeRequested', passwordHash, byPasswordAlone } as const;
  if (!changeUser(world, { author: endUser(session.userId), change, expectedEpoch: session.userEpoch }))
    return refused('user_ended');
  world.passwordSerial += 1;
  return signIn(world, actor, { amr: session.amr, authenticatedAt: session.signedInAt });
}

export function signOut(world: World, actor: Actor): PersonalAnswer {
  const used = useCookie(world, actor);
  if (used.kind !== 'none') endSession(world, used.session, 'signOutRequested');
  world.browserOf(actor).cookie = null;
  return DONE;
}

export function signOutElsewhere(world: World, actor: Actor): PersonalAnswer {
  const session = enter(world, actor, false);
  if (!isSession(session)) return session;
  endOtherSessions(world, session);
  return DONE;
}

export function deleteAccount(world: World, actor: Actor): PersonalAnswer {
  const session = enter(world, actor, true);
  if (!isSession(session)) return session;
  const asked = { author: endUser(session.userId), change: { type: 'deletionRequested' } as const };
  if (!changeUser(world, { ...asked, expectedEpoch: session.userEpoch })) return refused('user_ended');
  world.browserOf(actor).cookie = null;
  return DONE;
}

export const byOperator = (world: World, type: 'disableRequested' | 'enableRequested'): boolean =>
  changeUser(world, { author: commandLine, change: { type } });
