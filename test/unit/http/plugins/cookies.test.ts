/** The two cookies: their attributes, and which values are read as ours. */
import { createHash, randomUUID } from 'node:crypto';
import cookie from '@fastify/cookie';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import type { Random } from '../../../../src/crypto/random.ts';
import { browserCookies } from '../../../../src/http/cookies.ts';

const VALUE = 'abcdefghijklmnopqrstuvwxyz-_0123456789ABCDE';
const sha256 = (text: string) => createHash('sha256').update(text).digest();

describe('cookies', () => {
  let app: FastifyInstance;
  afterEach(() => app.close());

  async function open(issuer: string) {
    let calls = 0;
    app = Fastify();
    await app.register(cookie);
    const random: Random = { bytes: (n) => Buffer.alloc(n, ++calls), uuid: randomUUID };
    const cookies = browserCookies({ issuer, random });
    app.get('/set', (_, reply) => {
      cookies.set(reply, 'browser', { value: VALUE, hash: sha256(VALUE) });
      cookies.set(reply, 'session', { value: VALUE, hash: sha256(VALUE) });
      return reply.send('');
    });
    app.get('/clear', (_, reply) => {
      cookies.clear(reply, 'session');
      return reply.send('');
    });
    app.get('/read', (request, reply) =>
      reply.send({
        read: cookies.read(request, 'session'),
        hash: cookies.hash(request, 'session')?.toString('hex') ?? null,
      }),
    );
    return cookies;
  }
  const sent = async (url: string) => (await app.inject(url)).headers['set-cookie'];

  it('over TLS: bound to this host, invisible to scripts, and not sent with requests of another site', async () => {
    await open('https://as.test');
    expect(await sent('/set')).toEqual([
      `__Host-statehouse-browser=${VALUE}; Path=/; HttpOnly; Secure; SameSite=Lax`,
      `__Host-statehouse-session=${VALUE}; Path=/; HttpOnly; Secure; SameSite=Lax`,
    ]);
    // Browsers take `__Host-` with these attributes only, also where a cookie is removed.
    expect(await sent('/clear')).toBe(
      '__Host-statehouse-session=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax',
    );
  });

  it('without TLS, on a developer’s machine: a browser would not accept them as secure', async () => {
    await open('http://localhost:3000');
    expect(await sent('/set')).toEqual([
      `statehouse-browser=${VALUE}; Path=/; HttpOnly; SameSite=Lax`,
      `statehouse-session=${VALUE}; Path=/; HttpOnly; SameSite=Lax`,
    ]);
  });

  it.each([
    ['one that we made', `__Host-statehouse-session=${VALUE}`, true],
    ['none', 'x=y', false],
    ['the other cookie', `__Host-statehouse-browser=${VALUE}`, false],
    ['a name that any page of the domain may set', `statehouse-session=${VALUE}`, false],
    ['an empty value', '__Host-statehouse-session=', false],
    ['a shorter value', `__Host-statehouse-session=${VALUE.slice(1)}`, false],
    ['a longer value', `__Host-statehouse-session=${VALUE}A`, false],
    ['a value with something before it', `__Host-statehouse-session=.${VALUE}`, false],
    ['a value with something after it', `__Host-statehouse-session=${VALUE}.`, false],
    ['characters of another alphabet', `__Host-statehouse-session=${VALUE.slice(1)}+`, false],
  ])('read: %s', async (_, cookie, isRead) => {
    await open('https://as.test');
    const { body } = await app.inject({ url: '/read', headers: { cookie } });
    expect(JSON.parse(body)).toEqual(
      isRead ? { read: VALUE, hash: sha256(VALUE).toString('hex') } : { read: null, hash: null },
    );
  });

  it('have 256 random bits; the hash is stored', async () => {
    const cookies = await open('https://as.test');
    const made = [cookies.create(), cookies.create()];
    expect(made.map(({ value }) => value)).toEqual([
      Buffer.alloc(32, 1).toString('base64url'),
      Buffer.alloc(32, 2).toString('base64url'),
    ]);
    for (const { value, hash } of made) expect(hash).toEqual(sha256(value));
  });
});
