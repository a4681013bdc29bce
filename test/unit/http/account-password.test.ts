/** /account/password: its users, and the sessions and grants that it ends. */
import { randomUUID } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { matchesPassword } from '../../../src/crypto/password.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import { secondFactors, transitions, users } from '../../../src/storage/schema.ts';
import {
  exchange,
  makeUser,
  obtainCode,
  obtainTokens,
  PASSWORD,
  refresh,
  type TestUser,
} from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const NEW = 'quite another battery staple';
const configuration = {
  ...shippedConfiguration,
  signIn: { ...shippedConfiguration.signIn, failuresPerAccountAndAddress: 3 },
};

describe('/account/password', () => {
  let scene: Scene;
  let user: TestUser;
  let browser: Browser;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration });
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    user = await makeUser(scene);
    browser = new Browser(scene.app);
  });
  const signIn = async (by: Browser = browser, password = PASSWORD) =>
    by.submit(await by.get('/account/password'), { username: user.username, password });
  const storedHash = async () => {
    const [row] = await scene.database.drizzle.select().from(users).where(eq(users.id, user.id));
    return row?.passwordHash as never;
  };
  const fields = (change: Record<string, string> = {}) => ({
    current: PASSWORD,
    chosen: NEW,
    repeated: NEW,
    ...change,
  });
  const change = async (sent: Record<string, string> = fields(), by: Browser = browser) =>
    by.submit(await by.get('/account/password'), sent);
  const isSignIn = ({ body }: { readonly body: string }) =>
    body.includes('autocomplete="current-password"') && body.includes('name="password"');

  it('states the minimum length before the first attempt', async () => {
    expect((await signIn()).body).toContain('At least 15 characters');
    const [id, at] = [randomUUID(), new Date()];
    const unconfirmed = { id, userId: user.id, sealedSecret: 'sealed', state: 'unconfirmed', createdAt: at } as const;
    await scene.database.drizzle.insert(secondFactors).values(unconfirmed);
    await scene.database.drizzle
      .update(secondFactors)
      .set({ state: 'active', lastStep: 1, confirmedAt: at })
      .where(eq(secondFactors.id, id));
    expect((await browser.get('/account/password')).body).toContain('At least 8 characters');
  });

  it('sets the password, and keeps only this browser signed in, with a new cookie', async () => {
    const [other, thief] = [new Browser(scene.app), new Browser(scene.app)];
    await signIn(other);
    await signIn();
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
    const before = browser.cookies.get('__Host-statehouse-session');
    const done = await change();
    expect(done).toMatchObject({ status: 200, url: '/account/password?changed' });
    expect(done.body).toContain('Your password is changed');
    expect(browser.cookies.get('__Host-statehouse-session')).not.toBe(before);
    expect((await browser.get('/account/devices')).body.split('class="danger"').length - 1).toBe(1);
    for (const ended of [other, thief]) expect(isSignIn(await ended.get('/account'))).toBe(true);
    expect(await matchesPassword(await storedHash(), rawSecret(NEW))).toBe(true);
    expect(isSignIn(await signIn(other))).toBe(true);
    expect(isSignIn(await signIn(other, NEW))).toBe(false);
  });
  it('ends every chain, and every unused code', async () => {
    const { refreshToken } = await obtainTokens(scene, scene.client, user);
    const waiting = await obtainCode(scene, scene.client, user);
    await signIn();
    await change();
    expect((await refresh(scene, scene.client, refreshToken)).json.error).toBe('invalid_grant');
    expect((await exchange(scene, scene.client, waiting)).json.error).toBe('invalid_grant');
  });
  it('is in the ledger, with the end-user as the actor', async () => {
    await signIn();
    await change();
    const lines = await scene.database.drizzle
      .select()
      .from(transitions)
      .where(and(eq(transitions.userId, user.id), eq(transitions.event, 'passwordChangeRequested')));
    expect(lines).toMatchObject([
      { machine: 'user', actor: `end_user ${user.id}`, addressHash: null, fields: ['password'] },
    ]);
    expect(scene.logs()).not.toContain(NEW);
  });
  it('keeps time and methods of the sign-in', async () => {
    await signIn();
    const at = scene.clock.now();
    scene.clock.advanceSeconds(300);
    await change();
    const { body } = await browser.get('/account/devices');
    expect(body).toContain(`Signed in on <time datetime="${at.toISOString()}">`);
  });

  it.each([
    ['the wrong password', { current: 'not it' }, 'Your current password is wrong. Nothing was changed'],
    ['no password', { current: '' }, 'Fill in every field'],
    ['nothing new', { chosen: '', repeated: '' }, 'Fill in every field'],
    ['another repetition', { repeated: `${NEW}x` }, 'The two new passwords are different'],
    ['the same again', { chosen: PASSWORD, repeated: PASSWORD }, 'This is already your password'],
    ['a weak password', { chosen: 'x', repeated: 'x' }, 'too short'],
    ['a keyboard walk', { chosen: 'qwertyuiop asdf', repeated: 'qwertyuiop asdf' }, 'easy to guess'],
  ])('rejects %s with the reason, and changes nothing', async (_, sent, words) => {
    const { refreshToken } = await obtainTokens(scene, scene.client, user);
    await signIn();
    const before = await storedHash();
    const refused = await change(fields(sent));
    expect(refused.status).toBe(400);
    expect(refused.body).toContain(words);
    expect(refused.body).not.toContain(NEW);
    expect(await storedHash()).toBe(before);
    expect((await browser.get('/account')).url).toBe('/account');
    expect((await refresh(scene, scene.client, refreshToken)).status).toBe(200);
  });
  it('counts wrong passwords as a sign-in does: an attacker with a session gets no more guesses', async () => {
    await signIn();
    for (let guess = 0; guess < 3; guess++) await change(fields({ current: `guess ${guess}` }));
    const refused = await change();
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBeDefined();
    expect(await matchesPassword(await storedHash(), rawSecret(PASSWORD))).toBe(true);
  });
  it('changes nothing for a foreign form', async () => {
    await signIn();
    const page = await browser.get('/account/password');
    const before = await storedHash();
    const stranger = new Browser(scene.app);
    const bob = await makeUser(scene);
    await stranger.submit(await stranger.get('/account/password'), { username: bob.username, password: PASSWORD });
    const ofStranger = formOf((await stranger.get('/account/password')).body).fields['csrf'] ?? '';
    for (const csrf of ['', ofStranger, formOf((await browser.get('/account/devices')).body).fields['csrf'] ?? '']) {
      expect((await browser.post('/account/password', { ...fields(), csrf })).status).toBe(403);
    }
    // An old form, after another sign-in in the same browser.
    await browser.submit(await browser.get('/oauth/logout'), { decision: 'approve' });
    await signIn();
    expect((await browser.submit(page, fields())).status).toBe(403);
    expect(await storedHash()).toBe(before);
  });

  describe('without a password yet', () => {
    beforeEach(async () => {
      await signIn();
      await scene.database.drizzle.update(users).set({ passwordHash: '' }).where(eq(users.id, user.id));
    });
    it('accepts a recent sign-in', async () => {
      const page = await browser.get('/account/password');
      expect(page.body).not.toContain('name="current"');
      expect((await browser.submit(page, { chosen: NEW, repeated: NEW })).url).toBe('/account/password?changed');
      expect(await matchesPassword(await storedHash(), rawSecret(NEW))).toBe(true);
    });
    it('requires another sign-in when the last one is too old', async () => {
      const page = await browser.get('/account/password');
      scene.clock.advanceSeconds(601);
      expect((await browser.submit(page, { chosen: NEW, repeated: NEW })).url).toBe('/sign-in?then=password');
      expect((await browser.get('/account/password')).url).toBe('/sign-in?then=password');
      expect(await storedHash()).toBe('');
    });
  });
});
