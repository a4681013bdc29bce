/** Two cookies: one that binds interactions to the browser, one that holds the session. Only their hashes are stored. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../crypto/digest.ts';
import type { HttpDeps } from './deps.ts';

export type CookieName = 'browser' | 'session';

const VALUE = /^[A-Za-z0-9_-]{43}$/;

/** `__Host-` and Secure under https; whether that is so is the issuer's word, never a header's. */
const isSecure = (deps: HttpDeps) => deps.issuer.startsWith('https:');
const nameOf = (deps: HttpDeps, name: CookieName) => `${isSecure(deps) ? '__Host-' : ''}statehouse-${name}`;
const optionsOf = (deps: HttpDeps) => ({ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(deps) }) as const;

/** @returns null when there is none, or none that we made. */
export function readCookie(deps: HttpDeps, request: FastifyRequest, name: CookieName): string | null {
  const value = request.cookies[nameOf(deps, name)];
  return value !== undefined && VALUE.test(value) ? value : null;
}

export function makeCookie(deps: HttpDeps, reply: FastifyReply, name: CookieName): string {
  const value = deps.random.bytes(32).toString('base64url');
  reply.setCookie(nameOf(deps, name), value, optionsOf(deps));
  return value;
}

export const dropCookie = (deps: HttpDeps, reply: FastifyReply, name: CookieName): FastifyReply =>
  reply.clearCookie(nameOf(deps, name), optionsOf(deps));

/** The cookie that binds forms to this browser; made where there is none yet. */
export const browserCookie = (deps: HttpDeps, request: FastifyRequest, reply: FastifyReply): string =>
  readCookie(deps, request, 'browser') ?? makeCookie(deps, reply, 'browser');

export const cookieHash = (value: string): Buffer => sha256(value);
