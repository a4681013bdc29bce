/** /account/data and /account/delete: the download of a user's data, and the erasure that leaves no name. */
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transitions, users } from '../../../src/storage/schema.ts';
import {
  authorizeUrl,
  makePkce,
  makeUser,
  obtainTokens,
  PASSWORD,
  refresh,
  type TestUser,
} from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { dumpOf } from '../../support/dump.ts';
import { keptMails } from '../../support/mails.ts';
import { openScene, type Scene } from '../../support/scene.ts';

describe('the data of a user', () => {
  let scene: Scene;
  let user: TestUser;
  let browser: Browser;
  let operators: readonly string[] = [];
  beforeAll(async () => {
    scene = await openScene(anyDatabase, {
      operators: () => ({ operators: [...operators], auditors: [], clients: [] }),
    });
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    user = await makeUser(scene);
    browser = new Browser(scene.app);
  });
  const signIn = async (path: string, by: Browser = browser, who: string = user.username) =>
    by.submit(await by.get(path), { username: who, password: PASSWORD });

  describe('download', () => {
    it('contains all stored data, and no secret', async () => {
      const { refreshToken } = await obtainTokens(scene, scene.client, user, { scope: 'openid read' });
      await signIn('/account/data');
      const file = await browser.submit(await browser.get('/account/data'), {});
      expect(file.status).toBe(200);
      expect(file.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': 'attachment; filename="account.json"',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      const data = JSON.parse(file.body);
      expect(data).toMatchObject({
        issuer: scene.issuer,
        account: { sub: user.id, username: user.username, has_password: true },
        sessions: [{ state: 'active', amr: ['pwd'] }, { state: 'active' }],
        consents: [{ client_id: scene.client.clientId }],
        grants: [{ client_id: scene.client.clientId, state: 'active', scope: ['openid', 'read'] }],
        incomplete: [],
      });
      const machines = new Set(data.ledger.map((line: { machine: string }) => line.machine));
      expect([...machines]).toEqual(expect.arrayContaining(['user', 'authorizationCode']));
      const [row] = await scene.database.drizzle.select().from(users).where(eq(users.id, user.id));
      for (const secret of [row?.passwordHash ?? '', '$argon2', refreshToken, 'code_hash', 'id_hash', 'nonce":"\\x']) {
        expect(file.body).not.toContain(secret);
      }
    });
    it('contains the sessions and grants that a new password has ended', async () => {
      await obtainTokens(scene, scene.client, user);
      const ended = new Browser(scene.app);
      await signIn('/account', ended);
      await scene.database.drizzle
        .update(users)
        .set({ epoch: sql`${users.epoch} + 1` })
        .where(eq(users.id, user.id));
      expect((await ended.get('/account')).url).toBe('/sign-in');
      await signIn('/account/data');
      const data = JSON.parse((await browser.submit(await browser.get('/account/data'), {})).body);
      expect(data).toMatchObject({
        sessions: [
          { state: 'active', ended_reason: null },
          { state: 'ended', ended_reason: 'user_ended' },
          { state: 'ended', ended_reason: 'user_ended' },
        ],
        grants: [{ state: 'revoked', revoked_reason: 'user_ended' }],
      });
    });
    it("contains the user's own data alone", async () => {
      const bob = await makeUser(scene);
      await obtainTokens(scene, scene.other, bob);
      await signIn('/account/data');
      const { body } = await browser.submit(await browser.get('/account/data'), {});
      expect(body).not.toContain(bob.username);
      expect(body).not.toContain(bob.id);
      expect(body).not.toContain(scene.other.clientId);
    });
    it('requires a recent sign-in, and a form of ours', async () => {
      await signIn('/account/data');
      const page = await browser.get('/account/data');
      expect((await browser.post('/account/data', { csrf: '' })).status).toBe(403);
      scene.clock.advanceSeconds(601);
      expect((await browser.submit(page, {})).url).toBe('/sign-in?then=data');
      const again = await browser.get('/account/data');
      expect(again.url).toBe('/sign-in?then=data');
      expect(again.body).toContain('Sign in again to continue');
      expect(again.body).toContain(`value="${user.username}"`);
      expect((await browser.submit(again, { username: user.username, password: PASSWORD })).url).toBe('/account/data');
    });
  });

  describe('erasure', () => {
    const erase = async (by: Browser = browser, username = user.username) =>
      by.submit(await by.get('/account/delete'), { username });

    it('leaves no row that names the user', async () => {
      const marks = ['Marlene-Marker', 'marlene.marker@example.test', 'marlene-the-user', 'Marlene-Browser/1.0'];
      const [name, email, username, agent] = marks as [string, string, string, string];
      user = await makeUser(scene, username, { name, email, nickname: name });
      const other = new Browser(scene.app);
      // Through an authorization request that names them, whose consent is still open.
      await other.submit(await other.get(authorizeUrl(scene.client, makePkce(), { login_hint: email })), {
        username,
        password: PASSWORD,
      });
      await obtainTokens(scene, scene.client, user, { scope: 'openid profile email read' });
      await signIn('/account/delete');
      // A session with a name in its User-Agent.
      await signIn('/account', new Browser(scene.app, '198.51.100.7', { 'user-agent': agent }));
      const before = await dumpOf(scene.database.drizzle);
      for (const mark of [name, email, username, agent]) expect(before.toLowerCase()).toContain(mark.toLowerCase());

      const gone = await erase();
      expect(gone).toMatchObject({ status: 200, url: '/account/delete/done' });
      const after = (await dumpOf(scene.database.drizzle)).toLowerCase();
      for (const mark of marks) expect(after).not.toContain(mark.toLowerCase());
      expect(scene.logs().toLowerCase()).not.toContain(name.toLowerCase());
    });
    it('clears the stored data of the browser', async () => {
      await signIn('/account/delete');
      const { action, fields } = formOf((await browser.get('/account/delete')).body);
      const sent = (username: string) =>
        browser.send('POST', action, new URLSearchParams({ ...fields, username }).toString());
      expect((await sent('another-user')).headers['clear-site-data']).toBeUndefined();
      expect((await sent(user.username)).headers['clear-site-data']).toBe('"cache", "storage"');
    });
    it('leaves no address in links of a sign-up, nor the address from before a change', async () => {
      const mails = keptMails();
      const signIn = { ...shippedConfiguration.signIn, signUp: 'open' as const };
      const open = await openScene(anyDatabase, { mail: mails, configuration: { ...shippedConfiguration, signIn } });
      mails.of(open);
      const person = new Browser(open.app);
      const ask = async () => person.submit(await person.get('/sign-up'), { email: 'Marlene@Marker.test' });
      await ask();
      // The older of two links is no end-user's, and neither is the link that is used.
      await mails.link('Marlene@Marker.test');
      await ask();
      const page = await person.get(await mails.link('Marlene@Marker.test'));
      expect((await person.submit(page, { username: 'new-user', password: PASSWORD })).url).toBe('/account');
      const { csrf = '' } = formOf((await person.get('/account/email')).body).fields;
      await person.post('/account/email/change', { csrf, email: 'marlene@second.test' });
      const moved = await person.submit(await person.get(await mails.link('marlene@second.test')), {});
      expect(moved.url).toBe('/email/done?change_address');
      // Of another user, who has not pressed the button yet.
      const stranger = new Browser(open.app, '198.51.100.8');
      await stranger.submit(await stranger.get('/sign-up'), { email: 'stranger@marker.test' });
      await mails.link('stranger@marker.test');

      await person.submit(await person.get('/account/delete'), { username: 'new-user' });
      const after = (await dumpOf(open.database.drizzle)).toLowerCase();
      await open.close();
      expect(after).not.toContain('marlene');
      expect(after).toContain('stranger@marker.test');
    });
    it('ends every session and chain, and frees the username', async () => {
      const { refreshToken } = await obtainTokens(scene, scene.client, user);
      const other = new Browser(scene.app);
      await signIn('/account', other);
      await signIn('/account/delete');
      await erase();
      expect(browser.cookies.get('__Host-statehouse-session') ?? '').toBe('');
      expect((await refresh(scene, scene.client, refreshToken)).json.error).toBe('invalid_grant');
      expect((await other.get('/account')).url).toBe('/sign-in');
      expect((await signIn('/account', new Browser(scene.app))).body).toContain('is wrong');
      await makeUser(scene, user.username);
    });
    it("is recorded as the user's own decision", async () => {
      await signIn('/account/delete');
      await erase();
      const lines = await scene.database.drizzle.select().from(transitions).where(eq(transitions.userId, user.id));
      expect(lines).toContainEqual(
        expect.objectContaining({ event: 'deletionRequested', actor: `end_user ${user.id}`, addressHash: null }),
      );
    });
    it.each([
      ['another name', () => 'another-name', 400],
      ['no name', () => '', 400],
      ['the name in other letters', () => user.username.toUpperCase(), 200],
    ])('with %s is rejected', async (_, typed, status) => {
      await signIn('/account/delete');
      const answer = await erase(browser, typed());
      expect(answer.status).toBe(status);
      const [row] = await scene.database.drizzle.select().from(users).where(eq(users.id, user.id));
      expect(row?.deletedAt === null).toBe(status === 400);
    });
    it('requires a recent sign-in, and a form of ours', async () => {
      await signIn('/account/delete');
      const page = await browser.get('/account/delete');
      const { username } = user;
      const ofData = formOf((await browser.get('/account/data')).body).fields['csrf'] ?? '';
      for (const csrf of ['', ofData]) {
        expect((await browser.post('/account/delete', { csrf, username })).status).toBe(403);
      }
      scene.clock.advanceSeconds(601);
      expect((await browser.submit(page, { username })).url).toBe('/sign-in?then=delete');
      const [row] = await scene.database.drizzle.select().from(users).where(eq(users.id, user.id));
      expect(row?.deletedAt).toBeNull();
    });
    it('is denied to a user whose name has a role: the next user of that name would have it', async () => {
      await signIn('/account/delete');
      const asked = await browser.get('/account/delete');
      operators = [user.username.toUpperCase()];
      const page = await browser.get('/account/delete');
      expect(page.body).toContain('You administer this server');
      expect(page.body).not.toContain('name="username"');
      const refused = await browser.submit(asked, { username: user.username });
      operators = [];
      expect(refused.status).toBe(400);
      expect(refused.body).toContain('You administer this server');
      const [row] = await scene.database.drizzle.select().from(users).where(eq(users.id, user.id));
      expect(row?.deletedAt).toBeNull();
    });
  });
});
