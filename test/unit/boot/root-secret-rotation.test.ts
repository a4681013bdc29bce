/**
 * The rotation of the root secret as docs/deploying.md prints it, from append to drop, over every kind of credential. Afterwards each works,
 * or the look before the drop had announced that it would not.
 */
import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renewUnderFirst } from '../../../src/boot/renewal.ts';
import { needsOf, rootSecretWarnings } from '../../../src/cli/root-secret-words.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { type RootKeys, rootKeys } from '../../../src/crypto/root-secret.ts';
import { AFTER_A_ROTATION } from '../../../src/storage/root-secret-census.ts';
import { rootSecretStore } from '../../../src/storage/root-secrets.ts';
import {
  authorizeUrl,
  makeClient,
  makePkce,
  makeUser,
  obtainCode,
  PASSWORD,
  type TestClient,
  type TestUser,
  token,
} from '../../support/actors.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { testClock } from '../../support/clock.ts';
import { databaseKinds, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type Enrolled, enrol } from '../../support/factors.ts';

const OLD = 'the old root secret, of more than 32 bytes';
const NEW = 'the new root secret, of more than 32 bytes';
const NEWER = 'a newer root secret, of more than 32 bytes';
const REPORT_SECONDS = 180;

describe.each(databaseKinds)('the rotation of the root secret on %s', (kind) => {
  let opened: TestDatabase;
  const clock = testClock();
  const apps: TestApp[] = [];
  /** The work of a node that starts with this list, and of its first housekeeping. */
  const nodeWith = async (...secrets: string[]): Promise<TestApp> => {
    const keys = rootKeys(secrets);
    const node = await openTestApp(opened.database, { clock, keys });
    apps.push(node);
    await rootSecretStore(opened.database.drizzle, clock).report(keys.first.id);
    if (keys.byId.size > 1) await renewUnderFirst({ db: opened.database.drizzle, clock, keys, random: systemRandom });
    return node;
  };
  const checkUnder = async (...secrets: string[]) => {
    const keys: RootKeys = rootKeys(secrets);
    const needs = await needsOf(opened.database.drizzle, keys, clock);
    return { needs, warnings: rootSecretWarnings(needs, keys) };
  };
  const exchanged = async (node: TestApp, client: TestClient, user: TestUser): Promise<string> => {
    const { code, verifier } = await obtainCode(node, client, user);
    const { json } = await token(node, client, {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: client.redirectUris[0] ?? '',
    });
    return json.refresh_token ?? '';
  };
  const refresh = (node: TestApp, client: TestClient, held: string) =>
    token(node, client, { grant_type: 'refresh_token', refresh_token: held });
  const signsInWith = async (node: TestApp, client: TestClient, user: TestUser, code: string): Promise<boolean> => {
    const browser = new Browser(node.app);
    const form = await browser.get(authorizeUrl(client, makePkce()));
    const asked = await browser.submit(form, { username: user.username, password: PASSWORD });
    expect(asked.body).toContain('autocomplete="one-time-code"');
    return (await browser.submit(asked, { code })).body.includes('name="decision"');
  };

  let client: TestClient;
  let dormant: TestClient;
  let user: TestUser;
  let withApp: TestUser;
  let enrolled: Enrolled;
  let held: string;
  let idle: string;
  let session: ReadonlyMap<string, string>;

  beforeAll(async () => {
    opened = await openTestDatabase(kind);
    const node = await nodeWith(OLD);
    [client, dormant] = [await makeClient(node), await makeClient(node)];
    [user, withApp] = [await makeUser(node), await makeUser(node)];
    const browser = new Browser(node.app);
    enrolled = await enrol(node, browser, withApp);
    session = browser.cookies;
    held = await exchanged(node, client, user);
    idle = await exchanged(node, client, user);
  });
  afterAll(async () => {
    for (const { app } of apps) await app.close();
    await opened.close();
  });
  const sameBrowserAt = (node: TestApp): Browser => {
    const browser = new Browser(node.app);
    for (const [name, value] of session) browser.cookies.set(name, value);
    return browser;
  };

  it('has an entry for each key that is derived from the root secret', () => {
    const declared = globSync('src/crypto/*.ts').flatMap((file) => {
      const [, members = ''] = /interface Purposes \{([^}]*)\}/.exec(readFileSync(file, 'utf8')) ?? [];
      return [...members.matchAll(/([\w-]+)'?: true;/g)].map(([, purpose]) => purpose);
    });
    expect(declared.length).toBeGreaterThan(15);
    expect(Object.keys(AFTER_A_ROTATION).toSorted()).toEqual(declared.toSorted());
  });

  it('counts every stored kind under the old secret before any renewal', async () => {
    const { needs, warnings } = await checkUnder(NEW);
    expect(Object.fromEntries(needs.map(({ what, count }) => [what, count]))).toMatchObject({
      'refresh tokens': 2,
      'client secrets': 2,
      'authenticator apps': 1,
      'recovery codes': 10,
      'rows of users': 2,
    });
    expect(needs.map(({ what }) => what)).toEqual(expect.arrayContaining(['signing keys', 'rows of sessions']));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^root secret [0-9a-f]{8} is not in STATEHOUSE_SECRET, and is still needed by /);
    expect(warnings[0]).toMatch(
      /2 refresh tokens \(renewed at the next use, the last until \d{4}-\d\d-\d\d \d\d:\d\d UTC\)/,
    );
    expect((await checkUnder(OLD)).needs).toEqual([]);
  });

  it('leaves only those credentials that their holder must present; the rest works under the new secret alone', async () => {
    await nodeWith(OLD, NEW);
    clock.advanceSeconds(REPORT_SECONDS + 1);
    const both = await nodeWith(NEW, OLD);
    // A client that authenticates, and a chain that continues.
    held = (await refresh(both, client, held)).json.refresh_token ?? '';
    expect(held).not.toBe('');

    const { needs, warnings } = await checkUnder(NEW);
    expect(needs.map(({ what, count, remedy }) => [what, count, remedy])).toEqual([
      ['refresh tokens', 1, 'atUse'],
      ['client secrets', 1, 'atUse'],
    ]);
    expect(warnings).toHaveLength(1);
    expect((await checkUnder(NEW, OLD)).warnings).toEqual([]);

    const alone = await nodeWith(NEW);
    // Still valid: passwords, sessions, authenticator apps, recovery codes, the chain in use, the client in use, signed tokens.
    const { codeAt } = enrolled.app;
    expect(await signsInWith(alone, client, withApp, codeAt(clock.now()))).toBe(true);
    expect(await signsInWith(alone, client, withApp, enrolled.recoveryCodes[0] ?? '')).toBe(true);
    expect(await signsInWith(alone, client, withApp, enrolled.recoveryCodes[0] ?? '')).toBe(false);
    expect(await exchanged(alone, client, user)).not.toBe('');
    expect((await sameBrowserAt(alone).get('/account')).body).toContain(withApp.username);
    expect((await refresh(alone, client, held)).status).toBe(200);
    // Was announced.
    expect((await refresh(alone, client, idle)).json.error).toBe('invalid_grant');
    expect((await token(alone, dormant, { grant_type: 'client_credentials' })).json.error).toBe('invalid_client');
    // The old secret comes back: the remaining credentials work again.
    const again = await nodeWith(NEW, OLD);
    expect((await token(again, dormant, { grant_type: 'client_credentials' })).status).toBe(200);
    expect((await refresh(again, client, idle)).status).toBe(200);
  });

  it('may be repeated: recovery codes outlive the second rotation too', async () => {
    clock.advanceSeconds(REPORT_SECONDS + 1);
    // The oldest is no longer listed, and its key moves from one successor to the next.
    await nodeWith(NEWER, NEW);
    const { needs } = await checkUnder(NEWER);
    expect(needs.map(({ what }) => what)).not.toContain('recovery codes');
    expect(needs.map(({ what }) => what)).not.toContain('authenticator apps');
    const alone = await nodeWith(NEWER);
    expect(await signsInWith(alone, client, withApp, enrolled.recoveryCodes[1] ?? '')).toBe(true);
  });
});
