/** Form tokens: which form is ours, of which browser, and for what. */
import { randomUUID } from 'node:crypto';
import cookie from '@fastify/cookie';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rootKeys } from '../../../../src/crypto/root-secret.ts';
import { formBodies } from '../../../../src/http/form-body.ts';
import { pageParts } from '../../../../src/http/page-parts.ts';

const SECRET = 'a root secret for forms, of more than 32 bytes';
const NEXT = 'the root secret after it, of more than 32 bytes';
const BROWSER = 'b'.repeat(43);
const COOKIE = `__Host-statehouse-browser=${BROWSER}`;

describe('form tokens', () => {
  let open: FastifyInstance[];
  beforeEach(() => {
    open = [];
  });
  afterEach(() => Promise.all(open.map((app) => app.close())));

  async function serve(...secrets: readonly string[]) {
    const app = Fastify();
    open.push(app);
    let calls = 0;
    await app.register(formBodies);
    const random = { bytes: (n: number) => Buffer.alloc(n, ++calls), uuid: randomUUID };
    await app.register(cookie);
    const { csrf } = pageParts({ issuer: 'https://as.test', random, keys: rootKeys(secrets) });
    app.get<{ Querystring: { purpose: string } }>('/', (request, reply) =>
      reply.send(csrf.token(request, reply, request.query.purpose)),
    );
    app.post<{ Querystring: { purpose: string } }>('/', (request, reply) =>
      reply.send(String(csrf.checkOf(request)(request.query.purpose))),
    );
    return app;
  }
  const tokenOf = async (app: FastifyInstance, purpose = 'sign-in', cookie: string | undefined = COOKIE) =>
    (await app.inject({ url: '/', query: { purpose }, headers: { cookie } })).body;
  const isOurs = async (app: FastifyInstance, payload: string, cookie: string | undefined = COOKIE) => {
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await app.inject({ method: 'POST', url: '/', query: { purpose: 'sign-in' }, headers, payload });
    expect(reply.statusCode).toBe(200);
    return reply.body === 'true';
  };

  it('of this browser and for this purpose are ours', async () => {
    const app = await serve(SECRET);
    const token = await tokenOf(app);
    expect(await isOurs(app, `csrf=${token}`)).toBe(true);
    expect(await isOurs(app, `username=x&csrf=${token}`)).toBe(true);
  });

  it('of a page that was open during an update of the server are still accepted', async () => {
    // HKDF-SHA-256 of the secret for "statehouse/form", then HMAC-SHA-256 of purpose, line feed and cookie.
    const given = 'TDPM92OnCLvm7mR25CjOsdERERmtmdGeAzG7Mw41b6c';
    const app = await serve(SECRET);
    expect(await tokenOf(app)).toBe(given);
  });

  it('of any other kind are rejected', async () => {
    const app = await serve(SECRET);
    const token = await tokenOf(app);
    const another = await tokenOf(app, 'sign-in', `__Host-statehouse-browser=${'c'.repeat(43)}`);
    for (const form of [
      '',
      'csrf=',
      `Csrf=${token}`,
      `csrf=${token.slice(0, -1)}`,
      `csrf=${token}A`,
      `csrf=${token}&csrf=${token}`,
      `csrf=${await tokenOf(app, 'logout of x')}`,
      `csrf=${another}`,
      `csrf=${await tokenOf(await serve(NEXT))}`,
    ]) {
      expect([form, await isOurs(app, form)]).toEqual([form, false]);
    }
    const elsewhere = [
      '',
      'x=y',
      `__Host-statehouse-browser=${'c'.repeat(43)}`,
      `__Host-statehouse-session=${BROWSER}`,
      '__Host-statehouse-browser=null',
    ];
    for (const cookie of elsewhere)
      expect([cookie, await isOurs(app, `csrf=${token}`, cookie)]).toEqual([cookie, false]);
  });

  it('come with a cookie at the first form of a browser, which keeps it afterwards', async () => {
    const app = await serve(SECRET);
    const first = await app.inject({ url: '/', query: { purpose: 'sign-in' } });
    const [given] = first.cookies;
    expect(given).toMatchObject({ name: '__Host-statehouse-browser', httpOnly: true, secure: true });
    expect(await isOurs(app, `csrf=${first.body}`, `${given?.name}=${given?.value}`)).toBe(true);
    expect(await isOurs(app, `csrf=${first.body}`)).toBe(false);
    const again = await app.inject({ url: '/', query: { purpose: 'sign-in' }, headers: { cookie: COOKIE } });
    expect(again.cookies).toEqual([]);
  });

  it('survive one rotation of the root secret, and no more', async () => {
    const before = await tokenOf(await serve(SECRET));
    const during = await serve(NEXT, SECRET);
    expect(await isOurs(during, `csrf=${before}`)).toBe(true);
    expect(await tokenOf(during)).not.toBe(before);
    expect(await isOurs(during, `csrf=${await tokenOf(during)}`)).toBe(true);
    expect(await isOurs(await serve(NEXT), `csrf=${before}`)).toBe(false);
  });
});
