/** Two cookies: one binds interactions and forms to the browser, the other holds the session. Only their hashes are stored. */
import cookie from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { sha256 } from '../crypto/digest.ts';
import type { Random } from '../crypto/random.ts';

type CookieName = 'browser' | 'session';

/** A cookie that was not sent yet. */
type NewCookie = { readonly value: string; readonly hash: Buffer };

export type BrowserCookies = {
  /** @returns the cookie's value; null when the browser sent none, or none that we made. */
  readonly read: (request: FastifyRequest, name: CookieName) => string | null;
  /** @returns the hash of the cookie's value, or null. */
  readonly hash: (request: FastifyRequest, name: CookieName) => Buffer | null;
  readonly create: () => NewCookie;
  readonly set: (reply: FastifyReply, name: CookieName, cookie: NewCookie) => void;
  readonly clear: (reply: FastifyReply, name: CookieName) => void;
};

declare module 'fastify' {
  interface FastifyInstance {
    readonly browserCookies: BrowserCookies;
  }
}

const VALUE = /^[A-Za-z0-9_-]{43}$/;

export type BrowserCookieOptions = { readonly issuer: string; readonly random: Random };

export const browserCookies = fp<BrowserCookieOptions>(
  async (app, { issuer, random }) => {
    await app.register(cookie);
    // Whether the connection is secure is for the issuer to say, never for a header.
    const secure = issuer.startsWith('https:');
    const nameOf = (name: CookieName) => `${secure ? '__Host-' : ''}statehouse-${name}`;
    const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;

    const cookies: BrowserCookies = {
      read: (request, name) => {
        const value = request.cookies[nameOf(name)];
        return value !== undefined && VALUE.test(value) ? value : null;
      },
      hash: (request, name) => {
        const value = cookies.read(request, name);
        return value === null ? null : sha256(value);
      },
      create: () => {
        const value = random.bytes(32).toString('base64url');
        return { value, hash: sha256(value) };
      },
      set: (reply, name, { value }) => void reply.setCookie(nameOf(name), value, attributes),
      clear: (reply, name) => void reply.clearCookie(nameOf(name), attributes),
    };
    app.decorate('browserCookies', cookies);
  },
  { name: 'browser-cookies' },
);
