/** The session that a browser has with this server: found by its cookie, made at a sign-in, ended at a sign-out. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { endSession as end, type SessionEnding, type SessionWorld, useSession } from '../lifecycles/session.ts';
import type { Session } from '../model/session.ts';
import { cookieHash, dropCookie, makeCookie, readCookie } from './cookies.ts';
import type { HttpDeps } from './deps.ts';
import type { SignedInUser } from './sign-in.ts';

const worldOf = ({ sessions, sleep, configuration }: HttpDeps): SessionWorld => ({
  sessions,
  sleep,
  lifetimes: () => configuration().signIn,
});

/** @returns null: the browser holds none, or one that has ended. */
export async function sessionOf(deps: HttpDeps, request: FastifyRequest): Promise<Session | null> {
  const value = readCookie(deps, request, 'session');
  const used = value === null ? null : await useSession(worldOf(deps), { idHash: cookieHash(value) });
  return used?.kind === 'admitted' ? used.session : null;
}

/** A browser may say anything; what is stored of it is bounded. */
const MAX_USER_AGENT_CHARACTERS = 256;

/** A new session for every sign-in: none that was planted before can become signed in. */
export async function beginSession(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  user: SignedInUser,
): Promise<Session> {
  await endSessionOf(deps, request, 'signedInAgain');
  const session = {
    idHash: cookieHash(makeCookie(deps, reply, 'session')),
    sid: deps.random.uuid(),
    userId: user.id,
    userEpoch: user.epoch,
    serverEpoch: user.serverEpoch,
    userAgent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null,
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

/** Ends the session and takes its cookie back. What the end-user has allowed stays. */
export async function endSession(deps: HttpDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await endSessionOf(deps, request, 'signOutRequested');
  dropCookie(deps, reply, 'session');
}

/** From the list of places where the end-user is signed in. @returns false: it had ended before, or is not theirs. */
export const endListedSession = (deps: HttpDeps, { userId }: Session, sid: string): Promise<boolean> =>
  end(worldOf(deps), { sid, userId }, 'endRequested');

async function endSessionOf(deps: HttpDeps, request: FastifyRequest, type: SessionEnding): Promise<void> {
  const value = readCookie(deps, request, 'session');
  if (value !== null) await end(worldOf(deps), { idHash: cookieHash(value) }, type);
}
