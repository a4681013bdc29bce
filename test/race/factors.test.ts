/** Codes and signatures that come to two nodes at the same moment, and removals that come between: each counts once, or not at all. */
import { randomBytes, randomUUID } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_PASSKEYS } from '../../src/lifecycles/passkey/entity.ts';
import { registerPasskey } from '../../src/lifecycles/passkey/lifecycle.ts';
import { firstRecoveryCodes, newRecoveryCodes } from '../../src/people/second-factor/set-up.ts';
import { passkeys, recoveryCodes, secondFactors, sessions } from '../../src/storage/schema.ts';
import { makeUser, PASSWORD, type TestUser } from '../support/actors.ts';
import { type Answer, Browser, formOf } from '../support/browser.ts';
import { enrol } from '../support/factors.ts';
import { type Nodes, openNodes } from '../support/nodes.ts';
import { registeredPasskey } from '../support/registered-passkey.ts';

const ROUNDS = 8;
const BROWSERS = 4;

describe('factors at two nodes', () => {
  let scene: Nodes;
  beforeAll(async () => {
    scene = await openNodes();
  });
  afterAll(() => scene.close());
  const db = () => scene.database.drizzle;
  const nodeOf = (n: number) => scene.nodes[n % 2 === 0 ? 0 : 1].app;

  /** Browsers at both nodes after the correct password. */
  const withPassword = (user: TestUser) =>
    Promise.all(
      Array.from({ length: BROWSERS }, async (_, n) => {
        const browser = new Browser(nodeOf(n));
        const page = await browser.submit(await browser.get('/sign-in'), {
          username: user.username,
          password: PASSWORD,
        });
        expect(page.body).toContain('autocomplete="one-time-code"');
        return { browser, page };
      }),
    );
  const isSignedIn = async ({ browser }: { readonly browser: Browser }) =>
    (await browser.get('/account')).body.includes('/account/devices');
  const countSignedIn = async (browsers: readonly { readonly browser: Browser }[]) =>
    (await Promise.all(browsers.map(isSignedIn))).filter(Boolean).length;
  const activeSessions = async (user: TestUser) =>
    (
      await db()
        .select()
        .from(sessions)
        .where(and(eq(sessions.userId, user.id), eq(sessions.state, 'active')))
    ).length;

  const activeCodes = async (user: TestUser) =>
    (
      await db()
        .select()
        .from(recoveryCodes)
        .where(and(eq(recoveryCodes.userId, user.id), eq(recoveryCodes.state, 'active')))
    ).length;

  it('one TOTP code signs in one browser', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await makeUser(scene);
      const { app } = await enrol(scene, new Browser(scene.app), user);
      const before = await activeSessions(user);
      const browsers = await withPassword(user);
      const code = app.codeAt(scene.clock.now());
      await Promise.all(browsers.map(({ browser, page }) => browser.submit(page, { code })));
      expect(await countSignedIn(browsers)).toBe(1);
      expect(await activeSessions(user)).toBe(before + 1);
    }
  });

  it('one recovery code signs in one browser', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await makeUser(scene);
      const { recoveryCodes: codes } = await enrol(scene, new Browser(scene.app), user);
      const browsers = await withPassword(user);
      await Promise.all(browsers.map(({ browser, page }) => browser.submit(page, { code: codes[round] ?? '' })));
      expect(await countSignedIn(browsers)).toBe(1);
    }
  });

  it('one answer to a challenge signs in once, however often and at whichever node it arrives', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await makeUser(scene);
      const authenticator = await registeredPasskey(scene, user);
      const browser = new Browser(scene.app);
      const page = await browser.get('/sign-in');
      const credential = authenticator.sign(page);
      const { csrf = '' } = formOf(page.body).fields;
      const twins = Array.from({ length: BROWSERS }, (_, n) => {
        const twin = new Browser(nodeOf(n));
        for (const [name, value] of browser.cookies) twin.cookies.set(name, value);
        return { browser: twin };
      });
      await Promise.all(twins.map((twin) => twin.browser.post('/sign-in/passkey', { csrf, credential })));
      expect(await countSignedIn(twins)).toBe(1);
      expect(await activeSessions(user)).toBe(1);
    }
  });

  it('one of two signatures with the same counter signs in: the passkey may be a copy', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await makeUser(scene);
      const authenticator = await registeredPasskey(scene, user);
      const browsers = await Promise.all(
        Array.from({ length: BROWSERS }, async (_, n) => {
          const browser = new Browser(nodeOf(n));
          return { browser, page: await browser.get('/sign-in') };
        }),
      );
      await Promise.all(
        browsers.map(({ browser, page }) =>
          browser.post('/sign-in/passkey', {
            csrf: formOf(page.body).fields['csrf'] ?? '',
            credential: authenticator.sign(page, 7),
          }),
        ),
      );
      expect(await countSignedIn(browsers)).toBe(1);
    }
  });

  it('the first set of recovery codes has ten, however many requests generate it concurrently', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await makeUser(scene);
      const made = await Promise.all(
        Array.from({ length: BROWSERS }, (_, n) => firstRecoveryCodes(scene.nodes[n % 2 === 0 ? 0 : 1].deps, user.id)),
      );
      expect(made.filter((codes) => codes !== null)).toHaveLength(1);
      expect(await activeCodes(user)).toBe(10);
    }
  });

  it('two concurrent regenerations of recovery codes leave ten, and invalidate the earlier ones', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await makeUser(scene);
      const { recoveryCodes: old } = await enrol(scene, new Browser(scene.app), user);
      const made = await Promise.all(
        Array.from({ length: BROWSERS }, (_, n) => newRecoveryCodes(scene.nodes[n % 2 === 0 ? 0 : 1].deps, user.id)),
      );
      expect(await activeCodes(user)).toBe(10);
      expect(made.some((codes) => codes !== null)).toBe(true);
      const [first] = await withPassword(user);
      if (!first) throw new Error('no browser');
      const answer: Answer = await first.browser.submit(first.page, { code: old[0] ?? '' });
      expect(answer.status).toBe(400);
    }
  });

  it('a factor that is removed during a sign-in either signed in before, or signs in no user', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await makeUser(scene);
      const { app } = await enrol(scene, new Browser(scene.app), user);
      const owner = new Browser(scene.nodes[1].app);
      const page = await owner.submit(await owner.get('/sign-in'), { username: user.username, password: PASSWORD });
      await owner.submit(page, { code: app.codeAt(scene.clock.now()) });
      scene.clock.advanceSeconds(30);
      const methods = await owner.get('/account/sign-in-methods');
      const { csrf = '' } = formOf(methods.body).fields;
      const [stored] = await db().select().from(secondFactors).where(eq(secondFactors.userId, user.id));
      const browsers = await withPassword(user);
      const code = app.codeAt(scene.clock.now());
      const [removed, ...answers] = await Promise.all([
        owner.post('/account/sign-in-methods/apps/remove', { csrf, id: stored?.id ?? '' }),
        ...browsers.map(({ browser, page: at }) => browser.submit(at, { code })),
      ]);
      expect(removed?.status).toBe(200);
      // No answer reports a server error or a retry.
      expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
      expect(await countSignedIn(browsers)).toBeLessThanOrEqual(1);
      const late = await Promise.all(browsers.map(isSignedIn));
      const again = await Promise.all(
        browsers.filter((_, n) => !late[n]).map(({ browser, page: at }) => browser.submit(at, { code })),
      );
      expect(again.filter(({ body }) => body.includes('/account/devices'))).toEqual([]);
    }
  });

  it('concurrent registrations of passkeys stop at the limit', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await makeUser(scene);
      const room = 2;
      for (let n = room; n < MAX_PASSKEYS; n++) await registeredPasskey(scene, user);
      const register = (n: number) =>
        registerPasskey(
          scene.nodes[n % 2 === 0 ? 0 : 1].deps,
          {
            ...{ id: randomUUID(), userId: user.id, name: 'another', credentialId: randomBytes(16) },
            ...{ publicKey: randomBytes(77), counter: 0, backupEligible: false, transports: [] },
          },
          false,
        );
      const answers = await Promise.all(Array.from({ length: room + BROWSERS }, (_, n) => register(n)));
      expect(answers.filter(({ kind }) => kind === 'accepted')).toHaveLength(room);
      expect(
        answers.filter((answer) => answer.kind === 'rejected' && answer.reason === 'too_many_passkeys'),
      ).toHaveLength(BROWSERS);
      const stored = await scene.deps.secondFactors.listPasskeys(user.id);
      expect(stored).toHaveLength(MAX_PASSKEYS);
      // A removal makes room.
      await db()
        .delete(passkeys)
        .where(eq(passkeys.id, stored[0]?.id ?? ''));
      expect(await register(0)).toMatchObject({ kind: 'accepted' });
    }
  });

  it('a passkey that is removed during a sign-in leaves no session that begins after the removal', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await makeUser(scene);
      const authenticator = await registeredPasskey(scene, user);
      const owner = new Browser(scene.nodes[1].app);
      const form = (page: Answer) => ({
        csrf: formOf(page.body).fields['csrf'] ?? '',
        credential: authenticator.sign(page),
      });
      await owner.post('/sign-in/passkey', form(await owner.get('/sign-in')));
      const methods = await owner.get('/account/sign-in-methods');
      const removal = { csrf: formOf(methods.body).fields['csrf'] ?? '', id: authenticator.id };
      const browsers = await Promise.all(
        Array.from({ length: BROWSERS }, async (_, n) => {
          const browser = new Browser(nodeOf(n));
          return { browser, sent: form(await browser.get('/sign-in')) };
        }),
      );
      const late = new Browser(scene.app);
      const latePage = form(await late.get('/sign-in'));
      await Promise.all([
        owner.post('/account/sign-in-methods/passkeys/remove', removal),
        ...browsers.map(({ browser, sent }) => browser.post('/sign-in/passkey', sent)),
      ]);
      const [row] = await db().select().from(passkeys).where(eq(passkeys.id, authenticator.id));
      expect(row).toMatchObject({ state: 'removed', publicKey: null });
      await late.post('/sign-in/passkey', latePage);
      expect(await isSignedIn({ browser: late })).toBe(false);
    }
  });
});
