/** The session of a browser: found by the hash of its cookie, created at a sign-in, ended at a sign-out. */
import type { Configuration } from '../config/configuration.ts';
import type { Random } from '../crypto/random.ts';
import type { Session } from '../model/session.ts';
import type { User } from '../model/user.ts';

/** SHA-256 of a cookie's value. Values themselves never leave src/http. */
export type CookieHash = Buffer;

export type SessionDeps = {
  readonly random: Random;
  readonly configuration: () => Configuration;
  readonly sessions: {
    /** Null: no such session, or it has ended. */
    readonly find: (idHash: CookieHash) => Promise<Session | null>;
    readonly insert: (session: {
      readonly idHash: CookieHash;
      readonly sid: string;
      readonly userId: string;
      readonly userEpoch: bigint;
      readonly serverEpoch: bigint;
      readonly lifetimeSeconds: number;
    }) => Promise<{ readonly signedInAt: Date }>;
    readonly remove: (idHash: CookieHash) => Promise<unknown>;
  };
};

/** With the server's epoch, which a new session carries. */
export type SignedInUser = User & { readonly serverEpoch: bigint };

/** @param cookie null: the browser sent none. */
export async function findSession({ sessions }: SessionDeps, cookie: CookieHash | null): Promise<Session | null> {
  return cookie === null ? null : sessions.find(cookie);
}

/** A new session, and a new cookie, for every sign-in: a cookie that was planted before can never become signed in. */
export async function createSession(
  deps: SessionDeps,
  user: SignedInUser,
  cookie: { readonly old: CookieHash | null; readonly new: CookieHash },
): Promise<Session> {
  await endSession(deps, cookie.old);
  const session = {
    sid: deps.random.uuid(),
    userId: user.id,
    userEpoch: user.epoch,
    serverEpoch: user.serverEpoch,
  };
  const { signedInAt } = await deps.sessions.insert({
    ...session,
    idHash: cookie.new,
    lifetimeSeconds: deps.configuration().signIn.sessionLifetimeSeconds,
  });
  return { ...session, username: user.username, signedInAt };
}

/** The grants that the end-user approved in it live on. */
export async function endSession({ sessions }: SessionDeps, cookie: CookieHash | null): Promise<void> {
  if (cookie !== null) await sessions.remove(cookie);
}
