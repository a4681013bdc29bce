/**
 * One cookie binds interactions and forms to the browser, one holds the session, and one the console's session. The
 * server stores only their hashes. The device cookie names the accounts that trust the browser, and the server stores
 * none of it. The cookie of a trusted browser has a secret for each of the last accounts that trust it.
 */
import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../crypto/digest.ts';
import type { Random } from '../crypto/random.ts';

type CookieName = 'browser' | 'session' | 'console';

/** A value for a cookie. */
export type NewCookie = { readonly value: string; readonly hash: Buffer };

export type BrowserCookies = {
  /** @returns the cookie's value. Null: the browser sent none, or none of this server's. */
  readonly read: (request: FastifyRequest, name: CookieName) => string | null;
  /** @returns the hash of the cookie's value, or null. */
  readonly hash: (request: FastifyRequest, name: CookieName) => Buffer | null;
  readonly create: () => NewCookie;
  readonly set: (reply: FastifyReply, name: CookieName, cookie: NewCookie) => void;
  /** The device cookie (src/crypto/device-cookie.ts). Null: not sent. */
  readonly readDevice: (request: FastifyRequest) => string | null;
  readonly setDevice: (reply: FastifyReply, value: string, lifetimeSeconds: number) => void;
  /** The secrets of a trusted browser, with their hashes. */
  readonly readTrusted: (request: FastifyRequest) => readonly NewCookie[];
  readonly setTrusted: (reply: FastifyReply, secrets: readonly string[], lifetimeSeconds: number) => void;
  /** The cookie of a link that waits for a sign-in (src/people/external/pending-link.ts). Null: not sent. */
  readonly readLink: (request: FastifyRequest) => string | null;
  /** @param value null: it has no use any more. */
  readonly setLink: (reply: FastifyReply, value: string | null, expires: Date) => void;
  readonly clear: (reply: FastifyReply, name: CookieName) => void;
  /** The hash of the cookie that this response sets. Null: it sets none. */
  readonly justSet: (reply: FastifyReply, name: CookieName) => Buffer | null;
};

/** Of as many accounts a browser may be trusted. */
const MAX_TRUSTED = 5;

const VALUE = /^[A-Za-z0-9_-]{43}$/;

export type BrowserCookieOptions = { readonly issuer: string; readonly random: Random };

/** For a scope with `@fastify/cookie`, which reads and writes the headers. */
export function browserCookies({ issuer, random }: BrowserCookieOptions): BrowserCookies {
  // The issuer decides whether the connection is secure, never a header.
  const secure = issuer.startsWith('https:');
  const nameOf = (name: CookieName) => `${secure ? '__Host-' : ''}statehouse-${name}`;
  const deviceName = `${secure ? '__Host-' : ''}statehouse-device`;
  const trustedName = `${secure ? '__Host-' : ''}statehouse-trusted`;
  const linkName = `${secure ? '__Host-' : ''}statehouse-link`;
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  const set = new WeakMap<FastifyReply, Partial<Record<CookieName, Buffer>>>();

  const read: BrowserCookies['read'] = (request, name) => {
    const value = request.cookies[nameOf(name)];
    return value !== undefined && VALUE.test(value) ? value : null;
  };
  return {
    read,
    hash: (request, name) => {
      const value = read(request, name);
      return value === null ? null : sha256(value);
    },
    create: () => {
      const value = random.bytes(32).toString('base64url');
      return { value, hash: sha256(value) };
    },
    set: (reply, name, cookie) => {
      set.set(reply, { ...set.get(reply), [name]: cookie.hash });
      reply.setCookie(nameOf(name), cookie.value, attributes);
    },
    justSet: (reply, name) => set.get(reply)?.[name] ?? null,
    readDevice: (request) => request.cookies[deviceName] ?? null,
    setDevice: (reply, value, maxAge) => void reply.setCookie(deviceName, value, { ...attributes, maxAge }),
    readTrusted: (request) =>
      (request.cookies[trustedName] ?? '')
        .split('.', MAX_TRUSTED)
        .filter((value) => VALUE.test(value))
        .map((value) => ({ value, hash: sha256(value) })),
    setTrusted: (reply, secrets, maxAge) =>
      void reply.setCookie(trustedName, secrets.slice(0, MAX_TRUSTED).join('.'), { ...attributes, maxAge }),
    readLink: (request) => request.cookies[linkName] ?? null,
    setLink: (reply, value, expires) => void reply.setCookie(linkName, value ?? '', { ...attributes, expires }),
    clear: (reply, name) => void reply.clearCookie(nameOf(name), attributes),
  };
}
