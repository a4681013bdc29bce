/** The factors of an end-user that administrators see and remove. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { passkeys } from '../../../src/storage/schema.ts';
import { makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { type Enrolled, enrol } from '../../support/factors.ts';
import { keptMails, type Mails } from '../../support/mails.ts';
import { BOT, type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

type Line = { readonly machine: string; readonly event: string; readonly to: string; readonly actor: string | null };

describe('the factors of an end-user over the management API', () => {
  let scene: Scene;
  let call: Caller;
  let user: TestUser & { readonly email: string };
  let enrolled: Enrolled;
  let mails: Mails;
  let serial = 0;
  beforeAll(async () => {
    mails = keptMails();
    scene = await openScene(anyDatabase, { configuration: withBot(), mail: mails });
    mails.of(scene);
    await makeBot(scene);
    call = callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES));
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    const email = `owner-${randomUUID()}@example.com`;
    user = { ...(await makeUser(scene, undefined, { email, email_verified: true, locale: 'de' })), email };
    enrolled = await enrol(scene, new Browser(scene.app), user);
  });

  const lines = async (): Promise<readonly Line[]> =>
    (await call('GET', `/transitions?sub=${user.id}&limit=100`)).json().items;
  const factor = async () => (await call('GET', `/users/${user.id}/second-factor`)).json();
  const addPasskey = async (): Promise<string> => {
    serial += 1;
    const id = `00000000-0000-4000-8000-${String(serial).padStart(12, '0')}`;
    await scene.database.drizzle.insert(passkeys).values({
      id,
      userId: user.id,
      state: 'active',
      name: 'the phone',
      credentialId: Buffer.from(`credential ${serial}`),
      publicKey: Buffer.from('SECRET PUBLIC KEY'),
      counter: 7,
      backupEligible: true,
      transports: ['internal'],
      createdAt: scene.clock.now(),
    });
    return id;
  };
  const signIn = async (browser = new Browser(scene.app)) =>
    browser.submit(await browser.get('/sign-in'), { username: user.username, password: PASSWORD });

  it('the owner is notified by mail, once, in their own language', async () => {
    const path = `/users/${user.id}/passkeys/${await addPasskey()}`;
    const heard = async () => (await mails.to(user.email)).map(({ subject }) => subject).slice(1);
    for (const times of [1, 2]) {
      expect((await call('DELETE', path)).statusCode, `${times}`).toBe(204);
      expect((await call('DELETE', `/users/${user.id}/second-factor`)).statusCode).toBe(204);
      expect(await heard()).toEqual(['Ein Passkey wurde entfernt', 'Ein zweiter Faktor wurde entfernt']);
    }
  });

  it('shows an app and the number of unused codes, and no secret', async () => {
    const before = await factor();
    expect(before).toMatchObject({ active: true, required: false, recovery_codes_left: 10 });
    expect(Object.keys(before.apps[0]).toSorted()).toEqual(['confirmed_at', 'id']);
    const browser = new Browser(scene.app);
    await browser.submit(await signIn(browser), { code: enrolled.recoveryCodes[0] ?? '' });
    expect((await factor()).recovery_codes_left).toBe(9);
  });

  it('an unfinished set-up is no factor', async () => {
    const another = await makeUser(scene);
    const browser = new Browser(scene.app);
    await browser.submit(await browser.get('/sign-in'), { username: another.username, password: PASSWORD });
    await browser.submit(await browser.get('/sign-in/factor'), {});
    expect((await call('GET', `/users/${another.id}/second-factor`)).json()).toMatchObject({
      active: false,
      apps: [],
      recovery_codes_left: 0,
    });
  });

  it('removes the second factor with its codes; the entries name the actor', async () => {
    for (const status of [204, 204])
      expect((await call('DELETE', `/users/${user.id}/second-factor`)).statusCode).toBe(status);
    expect(await factor()).toMatchObject({ active: false, apps: [], recovery_codes_left: 0 });
    const entries = (await lines()).filter(({ actor }) => actor === `client ${BOT}`);
    expect(entries.filter(({ machine, to }) => machine === 'secondFactor' && to === 'removed')).toHaveLength(1);
    expect(entries.filter(({ machine, to }) => machine === 'recoveryCode' && to === 'replaced')).toHaveLength(10);
    // The password alone signs in again.
    const browser = new Browser(scene.app);
    const page = await signIn(browser);
    expect(page.body).not.toContain('autocomplete="one-time-code"');
    expect((await browser.get('/account')).status).toBe(200);
  });

  it('a code of a removed factor signs no user in, from a page that was open before', async () => {
    for (const code of [enrolled.app.codeAt(scene.clock.now()), enrolled.recoveryCodes[1] ?? '']) {
      const browser = new Browser(scene.app);
      const page = await signIn(browser);
      expect(page.body).toContain('autocomplete="one-time-code"');
      await call('DELETE', `/users/${user.id}/second-factor`);
      expect((await browser.submit(page, { code })).status).toBe(400);
      enrolled = await enrol(scene, new Browser(scene.app), user);
    }
  });

  it('lists passkeys without their keys, and removes each for good', async () => {
    const [first, second] = [await addPasskey(), await addPasskey()];
    const list = await call('GET', `/users/${user.id}/passkeys`);
    expect(
      list
        .json()
        .items.map(({ id }: { id: string }) => id)
        .toSorted(),
    ).toEqual([first, second].toSorted());
    expect(Object.keys(list.json().items[0]).toSorted()).toEqual(
      ['_links', 'added_at', 'id', 'last_used_at', 'name', 'second_factor_only', 'synced'].toSorted(),
    );
    for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const)
      expect(list.body).not.toContain(Buffer.from('SECRET PUBLIC').toString(encoding).slice(0, 12));
    for (const status of [204, 204])
      expect((await call('DELETE', `/users/${user.id}/passkeys/${first}`)).statusCode).toBe(status);
    expect((await call('GET', `/users/${user.id}/passkeys/${first}`)).statusCode).toBe(404);
    expect((await call('GET', `/users/${user.id}/passkeys/${second}`)).json().name).toBe('the phone');
    const removed = (await lines()).filter(({ machine, to }) => machine === 'passkey' && to === 'removed');
    expect(removed).toEqual([
      expect.objectContaining({ actor: `client ${BOT}`, event: 'removalRequestedByAdministrator' }),
    ]);
    // The app is still a factor, so the codes stay.
    expect((await factor()).recovery_codes_left).toBe(10);
  });

  it('removes the recovery codes with the last factor', async () => {
    const id = await addPasskey();
    await call('DELETE', `/users/${user.id}/second-factor`);
    const browser = new Browser(scene.app);
    await browser.submit(await browser.get('/sign-in'), { username: user.username, password: PASSWORD });
    expect((await factor()).recovery_codes_left).toBe(0);
    await call('DELETE', `/users/${user.id}/passkeys/${id}`);
    expect(await factor()).toMatchObject({ active: false, recovery_codes_left: 0 });
  });

  it('removes nothing of another end-user', async () => {
    const id = await addPasskey();
    const another = await makeUser(scene);
    expect((await call('DELETE', `/users/${another.id}/passkeys/${id}`)).statusCode).toBe(404);
    expect((await call('GET', `/users/${user.id}/passkeys/${id}`)).statusCode).toBe(200);
    const unknown = '00000000-0000-4000-8000-0000000000ff';
    for (const path of ['second-factor', 'passkeys'])
      expect((await call('GET', `/users/${unknown}/${path}`)).statusCode).toBe(404);
    expect((await call('DELETE', `/users/${unknown}/second-factor`)).statusCode).toBe(404);
  });
});
