/** An end-user who ends between two steps of a sign-in: no session, no cookie, and no sign-in in the ledger. */
import { and, eq, ne, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { delegatedSignInSchema } from '../../../policies/upstreams-schema.ts';
import type { AppDeps } from '../../../src/boot/wiring.ts';
import { hashPassword } from '../../../src/crypto/password.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import { lastSignIns, sessions, transitions, users } from '../../../src/storage/schema.ts';
import { findUserForSignIn } from '../../../src/storage/users.ts';
import { makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { deleteUser, disableUser, enableUser, updateUser } from '../../support/administration.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase, databaseKinds } from '../../support/database.ts';
import { keptMails, type Mails } from '../../support/mails.ts';
import { type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { openTwoServers, pressButton, signInPage, type TwoServers } from '../../support/upstream.ts';

type Drizzle = Scene['database']['drizzle'];

const ENDS = [
  ['disabled', disableUser],
  ['deleted', deleteUser],
  [
    'disabled and enabled again',
    async (db: Drizzle, username: string) => (await disableUser(db, username)) && enableUser(db, username),
  ],
] as const;

/** Each raises the epoch and disables none: every session ends. */
const SESSIONS_END = [
  [
    'given a new password',
    async (db: Drizzle, username: string) => {
      const user = await findUserForSignIn(db, username);
      const passwordHash = await hashPassword(rawSecret('a password that no other account has'));
      if (user !== null) await updateUser(db, user.id, { claims: user.claims, passwordHash });
    },
  ],
  [
    'signed out everywhere',
    (db: Drizzle, username: string) =>
      db
        .update(users)
        .set({ epoch: sql`${users.epoch} + 1` })
        .where(eq(users.username, username)),
  ],
] as const;

/** Runs once, before the server stores the next session. */
let meanwhile: (() => Promise<unknown>) | null = null;
async function interrupt(): Promise<void> {
  const happens = meanwhile;
  meanwhile = null;
  await happens?.();
}
function interrupted(deps: AppDeps): AppDeps {
  const { insert } = deps.sessions;
  vi.spyOn(deps.sessions, 'insert').mockImplementation(async (session) => {
    await interrupt();
    return insert(session);
  });
  return {
    ...deps,
    findUser: async (userId) => {
      await beforeFound?.();
      return deps.findUser(userId);
    },
  };
}
/** Runs before the server finds the end-user of a passkey. */
let beforeFound: (() => Promise<unknown>) | null = null;

async function expectNotSignedIn(db: Drizzle, browser: Browser, userId: string): Promise<void> {
  expect(meanwhile).toBeNull();
  expect([...browser.cookies.keys()].filter((name) => /session|device/.test(name))).toEqual([]);
  expect(await db.select().from(sessions).where(eq(sessions.userId, userId))).toEqual([]);
  expect(await db.select().from(lastSignIns).where(eq(lastSignIns.userId, userId))).toEqual([]);
  const lines = await db.select().from(transitions).where(eq(transitions.userId, userId));
  expect(lines.filter(({ toState }) => toState === 'accepted')).toEqual([]);
}
const refusals = async (db: Drizzle, userId: string, reason: string) =>
  db
    .select()
    .from(transitions)
    .where(and(eq(transitions.userId, userId), eq(transitions.reason, reason)));

describe.each(databaseKinds)('on %s, an end-user who meanwhile was', (kind) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(kind, { change: interrupted });
  });
  afterAll(() => scene.close());
  const db = () => scene.database.drizzle;

  it.each(ENDS)('%s gets the answer to a wrong password, and is not signed in', async (_, end) => {
    const { id, username } = await makeUser(scene);
    const by = new Browser(scene.app);
    const page = await by.get('/sign-in');
    meanwhile = () => end(db(), username);
    const answer = await by.submit(page, { username, password: PASSWORD });
    expect(answer.status).toBe(400);
    await expectNotSignedIn(db(), by, id);
    expect(await refusals(db(), id, 'credentials_mismatch')).toHaveLength(1);
  });
});

describe('an end-user who meanwhile was', () => {
  let scene: Scene;
  let mails: Mails;
  let call: Caller;
  let user: TestUser;
  let browser: Browser;
  let made = 0;
  beforeAll(async () => {
    mails = keptMails();
    const configuration = withBot();
    scene = await openScene(anyDatabase, {
      mail: mails,
      change: interrupted,
      configuration: {
        ...configuration,
        signIn: { ...configuration.signIn, codeByMail: true, secondFactor: 'nobody', signUp: 'open' },
        delegatedSignIn: delegatedSignInSchema.parse({ url: 'https://login.team.example/sign-in' }),
      },
    });
    mails.of(scene);
    await makeBot(scene);
    call = callerWith(scene, () => tokenOf(scene, ['sign-ins:answer']));
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    const name = `ended-${++made}`;
    user = await makeUser(scene, name, { email: `${name}@example.com`, email_verified: true });
    browser = new Browser(scene.app, `203.0.113.${made}`);
  });
  const db = () => scene.database.drizzle;

  /** The application has answered. @returns the path of the return. */
  async function answered(): Promise<string> {
    const away = await pressButton(browser, await signInPage(browser, scene.client), 'delegated');
    const reference = new URL(away.url).searchParams.get('reference') ?? '';
    const body = { sub: user.id, amr: ['pwd'], auth_time: Math.floor(scene.clock.now().getTime() / 1000) };
    expect((await call('PUT', `/sign-ins/${reference}/answer`, { body })).statusCode).toBe(200);
    return `/sign-in/delegated/${reference}`;
  }

  it.each(ENDS)('%s before the application answers gets an answer only while they may sign in', async (name, end) => {
    const away = await pressButton(browser, await signInPage(browser, scene.client), 'delegated');
    const reference = new URL(away.url).searchParams.get('reference') ?? '';
    await end(db(), user.username);
    const body = { sub: user.id, amr: ['pwd'], auth_time: Math.floor(scene.clock.now().getTime() / 1000) };
    const { statusCode } = await call('PUT', `/sign-ins/${reference}/answer`, { body });
    expect(statusCode).toBe(name === 'disabled and enabled again' ? 200 : 409);
  });

  it.each([...ENDS, ...SESSIONS_END])('%s after the application has answered is not signed in', async (_, end) => {
    const back = await answered();
    await end(db(), user.username);
    expect((await browser.get(back)).status).toBe(403);
    await expectNotSignedIn(db(), browser, user.id);
  });

  it.each(ENDS)('%s while the answer of the application is used is not signed in', async (_, end) => {
    const back = await answered();
    meanwhile = () => end(db(), user.username);
    expect((await browser.get(back)).status).toBe(403);
    await expectNotSignedIn(db(), browser, user.id);
  });

  /** @returns the page of the code, and the mailed code. */
  async function mailed(): Promise<readonly [Answer, string]> {
    const page = await browser.submit(await browser.get('/sign-in/code'), { username: user.username });
    const mail = (await mails.to(`${user.username}@example.com`)).at(-1);
    return [page, /^\d{4} \d{4}$/m.exec(mail?.text ?? '')?.[0] ?? ''];
  }

  it.each(ENDS)('%s after the code was mailed is not signed in', async (name, end) => {
    const [page, code] = await mailed();
    await end(db(), user.username);
    const answer = await browser.submit(page, { code });
    // The code goes with the account.
    expect(answer.body).toContain(name === 'deleted' ? 'A code works only on the page' : 'The code is wrong.');
    await expectNotSignedIn(db(), browser, user.id);
  });

  it.each(ENDS)('%s right after the code was used gets the answer to a wrong code', async (_, end) => {
    const [page, code] = await mailed();
    const { findToVerify } = scene.deps.users;
    const spy = vi.spyOn(scene.deps.users, 'findToVerify').mockImplementationOnce(async (id) => {
      await end(db(), user.username);
      return findToVerify(id);
    });
    expect((await browser.submit(page, { code })).body).toContain('The code is wrong.');
    expect(spy).toHaveBeenCalledOnce();
    spy.mockRestore();
    await expectNotSignedIn(db(), browser, user.id);
    expect(await refusals(db(), user.id, 'code_mismatch')).toHaveLength(1);
  });

  it.each(ENDS)('%s right after the link of the new account was used is not signed in', async (_, end) => {
    const email = `new-${made}@example.com`;
    await browser.submit(await browser.get('/sign-up'), { email });
    const form = await browser.get(await mails.link(email));
    const { findToVerify } = scene.deps.users;
    const found: string[] = [];
    const spy = vi.spyOn(scene.deps.users, 'findToVerify').mockImplementationOnce(async (id) => {
      found.push(id);
      await end(db(), `new-${made}`);
      return findToVerify(id);
    });
    const password = 'a password that no other account has';
    expect((await browser.submit(form, { username: `new-${made}`, password })).url).toBe('/sign-in');
    spy.mockRestore();
    await expectNotSignedIn(db(), browser, found[0] ?? '');
  });

  it.each([...ENDS, [null, null] as const])(
    '%s right after the passkey was checked is not signed in',
    async (_, end) => {
      const { sign } = await registeredPasskey(scene, user);
      const page = await browser.get('/sign-in');
      const csrf = formOf(page.body).fields['csrf'] ?? '';
      beforeFound = async () => end?.(db(), user.username);
      const answer = await browser.post('/sign-in/passkey', { csrf, credential: sign(page) });
      beforeFound = null;
      // Without an end, the same request signs in.
      if (end === null) return expect(answer.url).toBe('/account');
      expect(answer.url).toBe('/sign-in?passkey-refused=yes');
      expect(await refusals(db(), user.id, 'user_ended')).toHaveLength(1);
      return expectNotSignedIn(db(), browser, user.id);
    },
  );

  it.each(ENDS)('%s before the session of a mailed code gets the answer to a wrong code', async (_, end) => {
    const [page, code] = await mailed();
    meanwhile = () => end(db(), user.username);
    expect((await browser.submit(page, { code })).body).toContain('The code is wrong.');
    await expectNotSignedIn(db(), browser, user.id);
    expect(await refusals(db(), user.id, 'code_mismatch')).toHaveLength(1);
  });
});

describe('at an identity provider, an end-user who meanwhile was', () => {
  let two: TwoServers;
  beforeAll(async () => {
    two = await openTwoServers({}, { change: interrupted });
  });
  afterAll(() => two.close());

  it.each(ENDS)('%s is not signed in', async (_, end) => {
    const db = two.scene.database.drizzle;
    const there = await makeUser(two.upstream);
    const callback = async (browser: Browser) => {
      const away = await pressButton(browser, await signInPage(browser, two.scene.client));
      return two.signInThere(away.url, new Browser(two.upstream.app), there);
    };
    const first = new Browser(two.scene.app);
    await first.get(await callback(first));
    const [here] = await db.select().from(users).where(eq(users.username, there.username));
    const isTheirs = eq(sessions.userId, here?.id ?? '');
    const [known] = await db.select().from(sessions).where(isTheirs);
    const browser = new Browser(two.scene.app);
    const back = await callback(browser);
    meanwhile = () => end(db, there.username);
    expect((await browser.get(back)).status).toBe(403);
    expect(meanwhile).toBeNull();
    expect([...browser.cookies.keys()].filter((name) => /session|device/.test(name))).toEqual([]);
    const others = and(isTheirs, ne(sessions.sid, known?.sid ?? ''));
    expect([known?.userId, await db.select().from(sessions).where(others)]).toEqual([here?.id, []]);
  });
});
