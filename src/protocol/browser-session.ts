/** The session of a browser: found by the hash of its cookie, created at a sign-in, ended at a sign-out or from a list. */
import type { Configuration } from '../config/configuration.ts';
import type { Random } from '../crypto/random.ts';
import {
  endSession as end,
  type LoadedSession,
  type SessionStore,
  type SessionWorld,
  useSession,
} from '../lifecycles/session.ts';
import type { Session } from '../model/session.ts';
import type { User } from '../model/user.ts';

/** SHA-256 of a cookie's value. Values themselves never leave src/http. */
export type CookieHash = Uint8Array;

export type SessionDeps = {
  readonly random: Random;
  readonly configuration: () => Configuration;
  /** Milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly sessions: SessionStore;
};

/** With the server's epoch, which a new session carries. */
export type SignedInUser = User & { readonly serverEpoch: bigint };

const worldOf = ({ sessions, sleep, configuration }: SessionDeps): SessionWorld => ({
  sessions,
  sleep,
  lifetimes: () => configuration().signIn,
});

/**
 * A request came with this cookie.
 * @param cookie null: the browser sent none.
 * @param loaded the session of the cookie; absent: it is loaded.
 * @returns null: no such session, or it has ended. @throws Unavailable
 */
export async function findSession(
  deps: SessionDeps,
  cookie: CookieHash | null,
  loaded?: LoadedSession,
): Promise<Session | null> {
  const used = cookie === null ? null : await useSession(worldOf(deps), { idHash: cookie }, loaded);
  return used?.kind === 'admitted' ? used.session : null;
}

/** A browser may say anything; what is stored of it is bounded. */
const MAX_USER_AGENT_CHARACTERS = 256;

/** A new session, and a new cookie, for every sign-in: a cookie that an attacker planted before stays worthless. */
export async function createSession(
  deps: SessionDeps,
  user: SignedInUser,
  cookie: { readonly old: CookieHash | null; readonly new: CookieHash },
  userAgent: string | null,
): Promise<Session> {
  if (cookie.old !== null) await end(worldOf(deps), { idHash: cookie.old }, 'signedInAgain');
  const session = {
    idHash: cookie.new,
    sid: deps.random.uuid(),
    userId: user.id,
    userEpoch: user.epoch,
    serverEpoch: user.serverEpoch,
    userAgent: userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null,
  };
  const { signedInAt, endsAt } = await deps.sessions.insert({
    ...session,
    lifetimeSeconds: deps.configuration().signIn.sessionLifetimeSeconds,
  });
  return {
    ...session,
    username: user.username,
    signedInAt,
    lastUsedAt: signedInAt,
    endsAt,
    state: 'active',
    endedReason: null,
    liveUserEpoch: user.epoch,
    liveServerEpoch: user.serverEpoch,
  };
}

/** The end-user signs out in this browser. The grants that they approved in it live on. @throws Unavailable */
export async function endSession(deps: SessionDeps, cookie: CookieHash | null): Promise<void> {
  if (cookie !== null) await end(worldOf(deps), { idHash: cookie }, 'signOutRequested');
}

/** From the list of places where the end-user is signed in. @returns false: it had ended before, or is not theirs. */
export const endListedSession = (deps: SessionDeps, userId: string, sid: string): Promise<boolean> =>
  end(worldOf(deps), { sid, userId }, 'endRequested');
