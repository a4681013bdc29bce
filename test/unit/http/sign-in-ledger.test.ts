/** Sign-in attempts in the ledger, with time and address: each method leaves an entry, and unknown usernames leave no name. */
import { asc, eq, isNotNull, or } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signInLedger } from '../../../src/boot/sign-in-ledger.ts';
import { accountHash } from '../../../src/crypto/account-hash.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { listLedger } from '../../../src/storage/ledger-list.ts';
import { personalDataOf } from '../../../src/storage/personal-data.ts';
import { transitions } from '../../../src/storage/schema.ts';
import { usernameKey } from '../../../src/storage/users.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import {
  authorizeUrl,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  type TestClient,
  type TestUser,
} from '../../support/actors.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase, databaseKinds } from '../../support/database.ts';
import { enrol } from '../../support/factors.ts';
import { testKeys } from '../../support/macs.ts';
import { keptMails, type Mails } from '../../support/mails.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { openTwoServers, pressButton, signInPage } from '../../support/upstream.ts';

describe.each(databaseKinds)('sign-ins in the ledger, on %s', (kind) => {
  let scene: Scene;
  let client: TestClient;
  beforeAll(async () => {
    scene = await openScene(kind);
    client = await makeClient(scene);
  });
  afterAll(() => scene.close());

  const hashOf = (username: string) => accountHash(scene.keys, usernameKey(username));
  const linesOf = (username: string) =>
    scene.database.drizzle
      .select()
      .from(transitions)
      .where(eq(transitions.accountHash, hashOf(username)))
      .orderBy(asc(transitions.recordedIn), asc(transitions.position));
  const attempt = async (username: string, password: string, address: string) => {
    const browser = new Browser(scene.app, address);
    const page = await browser.get(authorizeUrl(client, makePkce()));
    return browser.submit(page, { username, password });
  };
  const shown = (lines: Awaited<ReturnType<typeof linesOf>>) =>
    lines.map(({ machine, event, fromState, toState, reason, address, userId }) => ({
      line: `${machine} ${event}: ${fromState} → ${toState}${reason ? ` (${reason})` : ''}`,
      address,
      userId,
    }));

  it('with a password: successes and failures, joined by the keyed hash of the account', async () => {
    const { id, username } = await makeUser(scene);
    await attempt(username, 'wrong', '198.51.100.7');
    await attempt(username.toUpperCase(), PASSWORD, '2001:DB8::0:7');
    const lines = await linesOf(username);
    expect(shown(lines)).toEqual([
      {
        line: 'signIn password: attempted → refused (credentials_mismatch)',
        address: '198.51.100.7',
        userId: id,
      },
      { line: 'signIn password: attempted → accepted', address: '2001:db8::7', userId: id },
    ]);
    expect(lines.map(({ begunSessionId }) => begunSessionId)).toEqual([null, expect.any(String)]);
    // Administrators find them by the end-user and by the hash; the end-user sees them.
    for (const filter of [{ userId: id, machine: 'signIn' }, { accountHash: hashOf(username) }]) {
      const page = await listLedger(scene.database.drizzle, filter, { limit: 10, after: null, order: 'desc' });
      expect(page.items.map(({ toState }) => toState)).toEqual(['accepted', 'refused']);
    }
    const data = await personalDataOf(scene.database.drizzle, id);
    const addresses = data?.tables['ledger']?.rows.map(({ address }) => address);
    expect(addresses).toEqual(expect.arrayContaining(['198.51.100.7', '2001:db8::7']));
  });

  it('with an unknown username leave its hash, and the name neither in the ledger nor in the log', async () => {
    await attempt('unknown-user', 'wrong', '198.51.100.8');
    expect(shown(await linesOf('unknown-user'))).toEqual([
      { line: 'signIn password: attempted → refused (credentials_mismatch)', address: '198.51.100.8', userId: null },
    ]);
    const logged = scene
      .logs()
      .split('\n')
      .filter((line) => line.includes(hashOf('unknown-user')));
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({ reason: 'credentials_mismatch', address: '198.51.100.8' });
    expect(scene.logs()).not.toContain('unknown-user');
    const everything = JSON.stringify(await scene.database.drizzle.select().from(transitions), (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(everything).not.toContain('unknown-user');
  });

  it('that are throttled leave a line in the log, and none in the ledger', async () => {
    const { username } = await makeUser(scene);
    for (let n = 0; n < 12; n++) await attempt(username, 'wrong', '198.51.100.9');
    const counted = (await linesOf(username)).length;
    expect((await attempt(username, 'wrong', '198.51.100.9')).status).toBe(429);
    expect(await linesOf(username)).toHaveLength(counted);
    expect(scene.logs()).toContain('throttled_account');
  });

  it('that start a session are written with it, or not at all', async () => {
    const { username, id } = await makeUser(scene);
    await attempt(username, PASSWORD, '198.51.100.10');
    const [line] = await linesOf(username);
    const sid = line?.begunSessionId ?? '';
    const other = await scene.database.drizzle
      .select({ machine: transitions.machine })
      .from(transitions)
      .where(or(eq(transitions.sessionId, sid), eq(transitions.begunSessionId, sid)));
    expect(other).toEqual([{ machine: 'signIn' }]);
    expect(line).toMatchObject({ userId: id, sessionId: null });
  });

  it('beyond a limit leave lines in the log alone, and the next entry has their number', async () => {
    let now = 0;
    const warned: object[] = [];
    const ledger = signInLedger({
      db: scene.database.drizzle,
      keys: testKeys,
      clock: databaseClock,
      logger: { warn: (facts: object) => void warned.push(facts) } as never,
      elapsed: () => now,
    });
    const refuse = () =>
      ledger.refused({ method: 'password', reason: 'credentials_mismatch', username: 'flooded', userId: null });
    const count = () =>
      scene.database.drizzle.$count(
        transitions,
        eq(transitions.accountHash, accountHash(testKeys, usernameKey('flooded'))),
      );
    for (let n = 0; n < 620; n++) await refuse();
    expect(await count()).toBe(600);
    now += 2000;
    for (let n = 0; n < 20; n++) await refuse();
    expect(await count()).toBe(602);
    expect(warned).toEqual([{ leftOut: 20 }]);
  });
});

describe('each method', () => {
  let scene: Scene;
  let mails: Mails;
  let user: TestUser;
  let browser: Browser;
  beforeEach(async () => {
    mails = keptMails();
    scene = await openScene(anyDatabase, { mail: mails });
    mails.of(scene);
    user = await makeUser(scene, 'alice', { email: 'alice@example.com', email_verified: true });
    browser = new Browser(scene.app, '198.51.100.30');
  });
  afterEach(() => scene.close());

  /** With an address, in the order of the ledger. */
  const said = async (db = scene.database.drizzle) => {
    const lines = await db
      .select()
      .from(transitions)
      .where(isNotNull(transitions.address))
      .orderBy(asc(transitions.recordedIn), asc(transitions.position));
    return lines.map(({ machine, event, fromState, toState, reason, accountHash: hash }) =>
      [`${machine} ${event}: ${fromState} → ${toState}`, reason, hash === hashOfAlice()].join(', '),
    );
  };
  const hashOfAlice = () => accountHash(scene.keys, usernameKey('alice'));

  it('an authenticator app and a recovery code, accepted and rejected', async () => {
    const { app, recoveryCodes } = await enrol(scene, browser, user);
    const before = (await said()).length;
    const password = async () => {
      const other = new Browser(scene.app, '198.51.100.31');
      const page = await other.submit(await other.get('/sign-in'), { username: 'alice', password: PASSWORD });
      return (code: string) => other.submit(page, { code });
    };
    scene.clock.advanceSeconds(600);
    const first = await password();
    await first('000000');
    await first('AAAAA-AAAAA-AAAAA');
    await first(app.codeAt(scene.clock.now()));
    await (await password())(recoveryCodes[0] ?? '');
    expect((await said()).slice(before)).toEqual([
      'signIn password: attempted → factorRequired, , true',
      'signIn secondFactor: attempted → refused, code_mismatch, true',
      'signIn recoveryCode: attempted → refused, code_mismatch, true',
      'session factorAdded: awaitingSecondFactor → active, , true',
      'signIn password: attempted → factorRequired, , true',
      'session factorAdded: awaitingSecondFactor → active, , true',
    ]);
  });

  it('a passkey, accepted and rejected; an unknown one is in the log alone', async () => {
    const passkey = await registeredPasskey(scene, user);
    const send = async (credentialOf: (page: Answer) => string) => {
      const page = await browser.get('/sign-in');
      await browser.post('/sign-in/passkey', {
        csrf: formOf(page.body).fields['csrf'] ?? '',
        credential: credentialOf(page),
      });
    };
    const spoilt = (page: Answer) => {
      const credential = JSON.parse(passkey.sign(page)) as { response: { signature: string } };
      const signature = Buffer.from(credential.response.signature, 'base64url');
      signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
      credential.response.signature = signature.toString('base64url');
      return JSON.stringify(credential);
    };
    await send(spoilt);
    await send((page) => JSON.stringify({ ...JSON.parse(passkey.sign(page)), id: 'AAAA', rawId: 'AAAA' }));
    await send((page) => passkey.sign(page));
    expect(await said()).toEqual([
      'signIn passkey: attempted → refused, signature_mismatch, true',
      'signIn passkey: attempted → accepted, , true',
    ]);
    expect(scene.logs()).toContain('passkey_unknown');
  });

  it('a link of a mail, and a second use of it', async () => {
    await browser.submit(await browser.get('/forgot-password'), { email: 'alice@example.com' });
    const page = await browser.get(await mails.link('alice@example.com'));
    await browser.submit(page, { password: 'another long passphrase' });
    await browser.submit(page, { password: 'another long passphrase' });
    expect(await said()).toEqual([
      'emailChallenge used: active → used, reset_password, true',
      'signIn link: attempted → refused, link_used, true',
    ]);
  });
});

it('an identity provider, accepted and rejected', async () => {
  const two = await openTwoServers();
  try {
    const come = async (answer: (away: Answer) => Promise<string>) => {
      const browser = new Browser(two.scene.app, '198.51.100.40');
      const away = await pressButton(browser, await signInPage(browser, two.scene.client));
      await browser.get(await answer(away));
    };
    await come((away) => two.signInThere(away.url));
    await come(async (away) => {
      const state = new URL(away.url).searchParams.get('state') ?? '';
      return `/sign-in/upstream/company/callback?${new URLSearchParams({ error: 'access_denied', state, iss: two.upstream.issuer })}`;
    });
    const lines = await two.scene.database.drizzle
      .select()
      .from(transitions)
      .where(eq(transitions.machine, 'signIn'))
      .orderBy(asc(transitions.recordedIn), asc(transitions.position));
    expect(lines).toMatchObject([
      { event: 'upstream', toState: 'accepted', address: '198.51.100.40', begunSessionId: expect.any(String) },
      {
        event: 'upstream',
        toState: 'refused',
        reason: 'external_sign_in_denied',
        address: '198.51.100.40',
        userId: null,
      },
    ]);
  } finally {
    await two.close();
  }
});

it('the hash of an account depends on the root secret, and names it', () => {
  const other = rootKeys(['another root secret for tests, of more than 32 bytes']);
  expect(accountHash(testKeys, 'alice')).toMatch(/^[0-9a-f]{8}\.[A-Za-z0-9_-]{22}$/);
  expect(accountHash(other, 'alice')).not.toBe(accountHash(testKeys, 'alice'));
  expect(accountHash(other, 'alice').slice(9)).not.toBe(accountHash(testKeys, 'alice').slice(9));
});
