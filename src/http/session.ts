/** The session that a browser has with this server: found by its cookie, made at a sign-in, ended at a sign-out. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../model/session.ts';
import { cookieHash, dropCookie, makeCookie, readCookie } from './cookies.ts';
import type { HttpDeps } from './deps.ts';
import type { SignedInUser } from './sign-in.ts';

export async function sessionOf(deps: HttpDeps, request: FastifyRequest): Promise<Session | null> {
  const value = readCookie(deps, request, 'session');
  return value === null ? null : deps.sessions.find(cookieHash(value));
}

/** A new session for every sign-in: none that was planted before can become signed in. */
export async function beginSession(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  user: SignedInUser,
): Promise<Session> {
  await removeSession(deps, request);
  const session = {
    sid: deps.random.uuid(),
    userId: user.id,
    userEpoch: user.epoch,
    serverEpoch: user.serverEpoch,
  };
  const { signedInAt } = await deps.sessions.insert({
    ...session,
    idHash: cookieHash(makeCookie(deps, reply, 'session')),
    lifetimeSeconds: deps.configuration().signIn.sessionLifetimeSeconds,
  });
  return { ...session, username: user.username, signedInAt };
}

/** Removes the session and takes its cookie back. What the person has allowed stays. */
export async function endSession(deps: HttpDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await removeSession(deps, request);
  dropCookie(deps, reply, 'session');
}

async function removeSession(deps: HttpDeps, request: FastifyRequest): Promise<void> {
  const old = readCookie(deps, request, 'session');
  if (old !== null) await deps.sessions.remove(cookieHash(old));
}
