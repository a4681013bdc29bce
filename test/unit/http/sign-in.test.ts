/** The password check: the cost of guesses, the users whom they delay, and what they reveal. */

import { verify } from '@node-rs/argon2';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hashPassword } from '../../../src/crypto/password.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import { commandLine } from '../../../src/model/actor.ts';
import { registerUser } from '../../../src/registration/register-user.ts';
import { readUserRecord } from '../../../src/registration/user-record.ts';
import { signInFailures, transitions, users } from '../../../src/storage/schema.ts';
import {
  authorizeUrl,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  type TestClient,
  type TestUser,
} from '../../support/actors.ts';
import { disableUser, updateUser } from '../../support/administration.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import { openScene, type Scene } from '../../support/scene.ts';

vi.mock('@node-rs/argon2', async (original) => {
  const real = await original<typeof import('@node-rs/argon2')>();
  return { ...real, verify: vi.fn(real.verify) };
});

const OF_ACCOUNT_AND_ADDRESS = 3;
const OF_ADDRESS = 10;
const OF_ACCOUNT = 6;
const WINDOW_SECONDS = 900;
const configuration = {
  ...shippedConfiguration,
  signIn: {
    ...shippedConfiguration.signIn,
    failuresPerAccountAndAddress: OF_ACCOUNT_AND_ADDRESS,
    failuresPerAddress: OF_ADDRESS,
    failuresPerAccount: OF_ACCOUNT,
    failureWindowSeconds: WINDOW_SECONDS,
  },
};

describe('sign-in', () => {
  let scene: Scene;
  let client: TestClient;
  let user: TestUser;
  let address: string;
  let serial = 0;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration });
    client = await makeClient(scene, { tokenEndpointAuthMethod: 'none', redirectUris: ['http://client.test/cb'] });
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    user = await makeUser(scene);
    address = `203.0.113.${++serial}`;
  });

  /** One attempt in a browser of its own. */
  async function attempt(
    username: string,
    password: string,
    from = address,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const browser = new Browser(scene.app, from, headers);
    return browser.submit(await browser.get(authorizeUrl(client, makePkce())), { username, password });
  }
  const succeeded = ({ body }: Answer) => body.includes('name="decision"');
  const fail = async (times: number, username = user.username, from = address) => {
    for (let n = 0; n < times; n++) expect((await attempt(username, `wrong ${n}`, from)).status).toBe(400);
  };

  const pageOf = ({ body }: Answer, username: string) =>
    body
      .replaceAll(username, 'USER')
      .replace(/data-passkey="[^"]*"/, 'CHALLENGE')
      .replaceAll(/value="[\w-]{43}"/g, 'CSRF')
      .replaceAll(/[0-9a-f-]{36}\.[\w-]+/g, 'ID');

  describe('fails with the same text and the same work', () => {
    it('for an unknown user, a wrong password, and a disabled user', async () => {
      const disabled = await makeUser(scene);
      await disableUser(scene.database.drizzle, disabled.username);
      const pages = new Set<string>();
      for (const [username, password] of [
        [user.username, 'wrong'],
        ['unknown-user', 'wrong'],
        ['unknown-user', PASSWORD],
        [disabled.username, 'wrong'],
        [disabled.username, PASSWORD],
      ] as const) {
        vi.mocked(verify).mockClear();
        address = `203.0.113.${++serial}`;
        const answer = await attempt(username, password);
        expect(answer.status).toBe(400);
        expect(vi.mocked(verify)).toHaveBeenCalledTimes(1);
        pages.add(pageOf(answer, username));
      }
      expect(pages.size).toBe(1);
      expect([...pages][0]).toContain('The e-mail address, the username or the password is wrong');
    });

    it('for every stored hash', async () => {
      const passwordHash = await hashPassword(rawSecret(PASSWORD));
      await updateUser(scene.database.drizzle, user.id, { claims: {}, passwordHash });
      vi.mocked(verify).mockClear();
      await attempt(user.username, 'wrong');
      await attempt('unknown-user', 'wrong');
      const costs = vi
        .mocked(verify)
        .mock.calls.map(([hash]) => /^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$/.exec(String(hash))?.[0]);
      expect(costs).toHaveLength(2);
      expect(new Set(costs)).toEqual(new Set(['$argon2id$v=19$m=19456,t=2,p=1$']));
    });
  });

  it('requires both fields, and does no work without them', async () => {
    vi.mocked(verify).mockClear();
    for (const [username, password] of [
      ['', ''],
      [user.username, ''],
      ['', PASSWORD],
    ] as const) {
      const answer = await attempt(username, password);
      expect(answer.status).toBe(400);
      expect(answer.body).toContain('Type your e-mail address or username and your password');
    }
    expect(vi.mocked(verify)).not.toHaveBeenCalled();
    // Not an attempt either.
    await fail(OF_ACCOUNT_AND_ADDRESS);
  });

  it('accepts the name in any case and composition, and the password only verbatim', async () => {
    const someone = await makeUser(scene, 'Ämilie Müller');
    for (const name of ['Ämilie Müller', 'ämilie müller', 'A\u0308milie Mu\u0308ller', ' ämilie müller ']) {
      expect(succeeded(await attempt(name, PASSWORD)), name).toBe(true);
    }
    for (const password of [PASSWORD.toUpperCase(), `${PASSWORD} `, ` ${PASSWORD}`, PASSWORD.slice(0, -1)]) {
      expect(succeeded(await attempt(someone.username, password, `203.0.113.${++serial}`))).toBe(false);
    }
  });

  it('rejects any text as name or password, without a 500', async () => {
    for (const text of [
      '\0',
      'a\0b',
      "' or 1=1 --",
      '\ud83d\ude00',
      'x'.repeat(1024),
      'x'.repeat(1025),
      '<b>',
      '%00',
      '\u202e',
    ]) {
      const answer = await attempt(text, text, `203.0.113.${++serial}`);
      expect(answer.status, text.slice(0, 10)).toBe(400);
    }
  });

  describe('a trusted browser', () => {
    const DEVICE = '__Host-statehouse-device';
    async function knownBrowser(): Promise<Browser> {
      const browser = new Browser(scene.app, address);
      const page = await browser.get(authorizeUrl(client, makePkce()));
      expect(succeeded(await browser.submit(page, { username: user.username, password: PASSWORD }))).toBe(true);
      for (const name of browser.cookies.keys()) if (name !== DEVICE) browser.cookies.delete(name);
      return browser;
    }
    const tryIn = async (browser: Browser, password: string) =>
      browser.submit(await browser.get(authorizeUrl(client, makePkce())), { username: user.username, password });

    it('keeps a cookie that names no user, for as long as the policy says', async () => {
      const browser = new Browser(scene.app, address);
      const page = await browser.get(authorizeUrl(client, makePkce()));
      const { action, fields } = formOf(page.body);
      const body = new URLSearchParams({ ...fields, username: user.username, password: PASSWORD }).toString();
      const { headers } = await browser.send('POST', action, body);
      const set = [headers['set-cookie']].flat().find((text) => String(text).startsWith(DEVICE));
      const lifetime = configuration.signIn.knownDeviceLifetimeSeconds;
      expect(set).toMatch(/^__Host-statehouse-device=[A-Za-z0-9_-]{51}; /);
      for (const attribute of [`Max-Age=${lifetime}`, 'Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'])
        expect(set).toContain(attribute);
      expect(scene.logs()).not.toContain(browser.cookies.get(DEVICE));
    });

    it('is not made by a wrong password', async () => {
      const browser = new Browser(scene.app, address);
      expect((await tryIn(browser, 'wrong')).status).toBe(400);
      expect(browser.cookies.has(DEVICE)).toBe(false);
    });

    it('is not delayed by strangers, at its own address or another; a browser without the cookie is', async () => {
      const owner = await knownBrowser();
      for (let n = 0; n < OF_ACCOUNT; n++) await fail(1, user.username, `198.51.100.${100 + n}`);
      for (let n = 0; n < OF_ACCOUNT_AND_ADDRESS; n++) await attempt(user.username, 'wrong');
      for (let n = 0; n < OF_ADDRESS; n++) await attempt(`made-up-${n}-${serial}`, 'wrong');
      const stranger = await attempt(user.username, PASSWORD);
      expect(stranger.status).toBe(429);
      expect(succeeded(await tryIn(owner, PASSWORD))).toBe(true);
    });

    it('waits for its own failures, with the exact time, and delays no other', async () => {
      const owner = await knownBrowser();
      for (let n = 0; n < OF_ACCOUNT_AND_ADDRESS; n++) expect((await tryIn(owner, 'wrong')).status).toBe(400);
      scene.clock.advanceSeconds(100);
      const answer = await tryIn(owner, PASSWORD);
      expect(answer.status).toBe(429);
      expect(answer.headers['retry-after']).toBe(String(WINDOW_SECONDS - 100));
      expect(answer.body).toContain('Too many failed attempts. Wait 14 minutes, then try again.');
      expect(succeeded(await attempt(user.username, PASSWORD))).toBe(true);
    });

    it('is trusted for as long as the policy says', async () => {
      const owner = await knownBrowser();
      const strangers = () => fail(OF_ACCOUNT_AND_ADDRESS);
      scene.clock.advanceSeconds(configuration.signIn.knownDeviceLifetimeSeconds - 1);
      await strangers();
      expect(succeeded(await tryIn(owner, PASSWORD))).toBe(true);
      const cookie = owner.cookies.get(DEVICE) ?? '';
      scene.clock.advanceSeconds(configuration.signIn.knownDeviceLifetimeSeconds);
      await strangers();
      owner.cookies.clear();
      owner.cookies.set(DEVICE, cookie);
      expect((await tryIn(owner, PASSWORD)).status).toBe(429);
    });
  });

  describe('an end-user with a hash of another system', () => {
    const BCRYPT = '$2b$08$abcdefghijklmnopqrstuubAvJmxpQuyV3jn7x.SUSPxe.DearCPe';

    it('signs in with the same password, and gets a hash of our own, without the end of a session', async () => {
      const id = await importUser({ username: `imported-${serial}`, passwordHash: BCRYPT });
      const stored = async () => {
        const [row] = await scene.database.drizzle.select().from(users).where(eq(users.id, id));
        return row;
      };
      const before = await stored();
      expect((await attempt(`imported-${serial}`, 'wrong')).status).toBe(400);
      expect(await stored()).toEqual(before);
      expect(succeeded(await attempt(`imported-${serial}`, 'correct horse'))).toBe(true);
      const after = await stored();
      expect(after?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      expect(after).toEqual({ ...before, mac: after?.mac, macVersion: 1n, passwordHash: after?.passwordHash });
      expect(succeeded(await attempt(`imported-${serial}`, 'correct horse'))).toBe(true);
      expect(await stored()).toEqual(after);
      const lines = (await scene.database.drizzle.select().from(transitions).where(eq(transitions.userId, id))).filter(
        ({ machine }) => machine !== 'signIn',
      );
      expect(lines.map(({ event, actor }) => [event, actor])).toEqual([
        ['registrationRequested', 'command_line'],
        ['passwordRehashed', 'server'],
      ]);
      // The same import again changes nothing.
      expect(await importUser({ username: `imported-${serial}`, passwordHash: BCRYPT })).toBe(id);
      expect(await stored()).toEqual(after);
    });

    it('keeps it where bcrypt has not read the whole password: no other end becomes part of it', async () => {
      const { hash } = await import('@node-rs/bcrypt');
      const whole = 'é'.repeat(36);
      const passwordHash = await hash(whole, 8);
      const id = await importUser({ username: `long-${serial}`, passwordHash });
      const stored = async () => {
        const [row] = await scene.database.drizzle.select().from(users).where(eq(users.id, id));
        return row?.passwordHash;
      };
      expect(succeeded(await attempt(`long-${serial}`, `${whole} and another end`))).toBe(true);
      expect(await stored()).toBe(passwordHash);
      expect(succeeded(await attempt(`long-${serial}`, whole))).toBe(true);
      expect(await stored()).toMatch(/^\$argon2id\$/);
    });

    async function importUser(record: { username: string; passwordHash: string }): Promise<string> {
      const deps = { db: scene.database.drizzle, actor: commandLine, random: systemRandom, macs: testMacs };
      const reading = readUserRecord({ username: record.username, password_hash: record.passwordHash }, true);
      if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
      return (await registerUser(deps, reading.value)).id;
    }
  });

  describe('is throttled by failures alone', () => {
    it('of one account from one address: then even the correct password waits', async () => {
      await fail(OF_ACCOUNT_AND_ADDRESS);
      vi.mocked(verify).mockClear();
      const answer = await attempt(user.username, PASSWORD);
      expect(answer.status).toBe(429);
      expect(answer.headers['retry-after']).toBe(String(WINDOW_SECONDS));
      expect(answer.body).toContain('Too many failed attempts');
      expect(vi.mocked(verify)).not.toHaveBeenCalled();
    });

    it('without a delay at another address, or for another account at this one', async () => {
      await fail(OF_ACCOUNT_AND_ADDRESS + 0);
      expect((await attempt(user.username, 'wrong')).status).toBe(429);
      expect(succeeded(await attempt(user.username, PASSWORD, '198.51.100.99'))).toBe(true);
      expect(succeeded(await attempt((await makeUser(scene)).username, PASSWORD))).toBe(true);
    });

    it('until the window ends', async () => {
      await fail(OF_ACCOUNT_AND_ADDRESS);
      expect((await attempt(user.username, PASSWORD)).status).toBe(429);
      scene.clock.advanceSeconds(WINDOW_SECONDS);
      expect(succeeded(await attempt(user.username, PASSWORD))).toBe(true);
    });

    it('and never by correct passwords', async () => {
      for (let n = 0; n < OF_ADDRESS + 5; n++) expect(succeeded(await attempt(user.username, PASSWORD))).toBe(true);
      await fail(OF_ACCOUNT_AND_ADDRESS - 1);
      // Being right takes no failure back: a thief’s own account does not reset the count of a victim’s.
      expect(succeeded(await attempt(user.username, PASSWORD))).toBe(true);
      await fail(1);
      expect((await attempt(user.username, 'wrong')).status).toBe(429);
    });

    it('of one address: then wrong passwords wait, and no correct one does', async () => {
      const [victim, bystander] = [await makeUser(scene), await makeUser(scene)];
      for (let n = 0; n < OF_ADDRESS; n++)
        await fail(1, n % 2 === 0 ? `unknown-${n}` : (await makeUser(scene)).username);
      const pages = new Set<string>();
      for (const [username, password] of [
        [victim.username, 'wrong'],
        ['unknown-user', PASSWORD],
      ] as const) {
        vi.mocked(verify).mockClear();
        const answer = await attempt(username, password);
        expect(answer.status).toBe(429);
        expect(answer.headers['retry-after']).toBe(String(WINDOW_SECONDS));
        expect(vi.mocked(verify)).toHaveBeenCalledTimes(1);
        pages.add(pageOf(answer, username));
      }
      expect(pages.size).toBe(1);
      // Where the address has failed, it waits, and from its own last failure.
      for (const { username } of [user, bystander]) expect(succeeded(await attempt(username, PASSWORD))).toBe(true);
      expect((await attempt(victim.username, PASSWORD)).status).toBe(429);
      scene.clock.advanceSeconds(1);
      for (const { username } of [user, victim, bystander]) {
        expect(succeeded(await attempt(username, PASSWORD))).toBe(true);
      }
      // The guesses at an account still count, and end as at any other address.
      for (let n = 1; n < OF_ACCOUNT_AND_ADDRESS; n++)
        expect((await attempt(victim.username, `wrong ${n}`)).status).toBe(429);
      expect((await attempt(victim.username, PASSWORD)).status).toBe(429);
      expect(succeeded(await attempt(bystander.username, PASSWORD))).toBe(true);
    });

    it('without a row for an unknown username from a throttled address', async () => {
      for (let n = 0; n < OF_ADDRESS; n++) await fail(1, `unknown-${n}`);
      await attempt('an-unknown-user', 'wrong');
      const before = await scene.database.drizzle.$count(signInFailures);
      for (let n = 0; n < 20; n++) expect((await attempt(`made-up-${n}`, 'wrong')).status).toBe(429);
      expect(await scene.database.drizzle.$count(signInFailures)).toBe(before);
    });

    it('of one account from everywhere: then one failure is enough for an address, and a fresh one signs in', async () => {
      const from = (n: number) => `198.51.100.${n}`;
      for (let n = 0; n < OF_ACCOUNT; n++) await fail(1, user.username, from(n));
      expect((await attempt(user.username, PASSWORD, from(0))).status).toBe(429);
      expect((await attempt(user.username, 'wrong', from(50))).status).toBe(400);
      expect((await attempt(user.username, 'wrong', from(50))).status).toBe(429);
      expect(succeeded(await attempt(user.username, PASSWORD, from(60)))).toBe(true);
      // The limits of other accounts are unchanged.
      const other = await makeUser(scene);
      await fail(OF_ACCOUNT_AND_ADDRESS - 1, other.username, from(0));
      expect(succeeded(await attempt(other.username, PASSWORD, from(0)))).toBe(true);
    });

    it('without a count for throttled attempts: the window ends at the same time', async () => {
      await fail(OF_ACCOUNT_AND_ADDRESS);
      for (let n = 0; n < OF_ADDRESS; n++) expect((await attempt(user.username, PASSWORD)).status).toBe(429);
      // Those would have throttled the address.
      expect((await attempt((await makeUser(scene)).username, 'wrong')).status).toBe(400);
    });

    it('and never by 50 correct passwords, concurrently', async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => attempt(user.username, PASSWORD)));
      expect(answers.filter(succeeded)).toHaveLength(50);
      expect((await attempt(user.username, 'wrong')).status).toBe(400);
      expect(succeeded(await attempt(user.username, PASSWORD))).toBe(true);
    });

    it('of one account in any spelling of its name', async () => {
      const someone = await makeUser(scene, `Zoë-${serial}`);
      await fail(1, someone.username);
      await fail(1, someone.username.toUpperCase());
      await fail(1, someone.username.normalize('NFD'));
      expect((await attempt(someone.username, PASSWORD)).status).toBe(429);
    });

    it('of parallel guesses, none of which slips past', async () => {
      const guesses = await Promise.all(
        Array.from({ length: OF_ACCOUNT_AND_ADDRESS * 3 }, (_, n) => attempt(user.username, `guess ${n}`)),
      );
      expect(guesses.filter(({ status }) => status === 400)).toHaveLength(OF_ACCOUNT_AND_ADDRESS);
      expect(guesses.filter(({ status }) => status === 429)).toHaveLength(OF_ACCOUNT_AND_ADDRESS * 2);
    });

    it('of one IPv6 /64 as one address; an IPv4 address is the same in any notation', async () => {
      for (let n = 1; n <= OF_ACCOUNT_AND_ADDRESS; n++) await fail(1, user.username, `2001:db8:1:2::${n}`);
      expect((await attempt(user.username, PASSWORD, '2001:db8:1:2:ffff:ffff:ffff:ffff')).status).toBe(429);
      expect(succeeded(await attempt(user.username, PASSWORD, '2001:db8:1:3::1'))).toBe(true);
      const other = await makeUser(scene);
      await fail(OF_ACCOUNT_AND_ADDRESS, other.username, '192.0.2.200');
      expect((await attempt(other.username, PASSWORD, '::ffff:192.0.2.200')).status).toBe(429);
      expect(succeeded(await attempt(other.username, PASSWORD, '::ffff:192.0.2.201'))).toBe(true);
    });

    it('of one address, whatever a forbidden header says', async () => {
      for (let n = 0; n < OF_ACCOUNT_AND_ADDRESS; n++) {
        const answer = await attempt(user.username, 'wrong', address, {
          'x-forwarded-for': `192.0.2.${n}`,
          forwarded: `for=192.0.2.${n}`,
        });
        expect(answer.status).toBe(400);
      }
      expect((await attempt(user.username, PASSWORD, address, { 'x-forwarded-for': '192.0.2.77' })).status).toBe(429);
    });
  });
});
