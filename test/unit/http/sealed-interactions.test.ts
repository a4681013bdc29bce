/** Before an end-user acts, an interaction is in the URL of its pages and in no row: docs/decisions/0026. */
import { randomBytes, randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { sealInteraction } from '../../../src/protocol/sealed-interaction.ts';
import { housekeeper } from '../../../src/storage/housekeeping.ts';
import { grants, interactions } from '../../../src/storage/schema.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  PASSWORD,
  type TestClient,
} from '../../support/actors.ts';
import { openTestApp } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { databaseKinds } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { unheld } from '../../support/unheld.ts';

const NAME = /^\/interactions\/([0-9a-f-]{36})\.([A-Za-z0-9_-]+)$/;
const STORED = /^\/interactions\/[0-9a-f-]{36}$/;

describe.each(databaseKinds)('an interaction without a row, on %s', (kind) => {
  let scene: Scene;
  let client: TestClient;
  let browser: Browser;
  beforeAll(async () => {
    scene = await openScene(kind);
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    client = await makeClient(scene);
    browser = new Browser(scene.app);
  });

  const begin = (by: Browser = browser, change: Readonly<Record<string, string>> = {}) =>
    by.get(authorizeUrl(client, makePkce(), change));
  const credentials = () => ({ username: scene.user.username, password: PASSWORD });
  const isSignIn = ({ body }: Answer) => body.includes('name="password"');
  const isConsent = ({ body }: Answer) => body.includes('name="decision"');
  const code = ({ url }: Answer) => (URL.canParse(url) ? new URL(url).searchParams.get('code') : null);
  const error = ({ url }: Answer) => (URL.canParse(url) ? new URL(url).searchParams.get('error') : null);
  const nameOf = ({ url }: Answer) => {
    const [, id = '', sealed = ''] = NAME.exec(url) ?? [];
    return { id, sealed };
  };
  const grantsOfClient = () => scene.database.drizzle.select().from(grants).where(eq(grants.clientId, client.clientId));

  /** How many rows each table of the database has. */
  async function rows(): Promise<Readonly<Record<string, number>>> {
    const db = scene.database.drizzle;
    const all = async (text: string) => {
      const result: unknown = await db.execute(sql.raw(text));
      return (Array.isArray(result) ? result : (result as { rows: unknown[] }).rows) as Record<string, string>[];
    };
    const tables = await all(`select tablename as name from pg_tables where schemaname = 'public' order by 1`);
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const [row] = await all(`select count(*) as count from "${name}"`);
      counts[name ?? ''] = Number(row?.['count']);
    }
    expect(counts).toHaveProperty('interactions');
    expect(counts).toHaveProperty('transitions');
    return counts;
  }

  it('leaves no row in any table, however many and however long the requests are', async () => {
    const before = await rows();
    for (let n = 0; n < 25; n++) {
      const one = new Browser(scene.app);
      const signIn = await begin(one, {
        state: randomBytes(2000).toString('base64url'),
        nonce: randomBytes(700).toString('base64url'),
        scope: 'openid read',
        login_hint: 'x'.repeat(1000),
      });
      expect(isSignIn(signIn)).toBe(true);
      expect(isSignIn(await one.get(signIn.url))).toBe(true);
      expect(isSignIn(await one.get(`${signIn.url}?account=another`))).toBe(true);
      expect((await one.submit(signIn, { username: '', password: '' })).status).toBe(400);
    }
    expect(await rows()).toEqual(before);
  });

  it('leaves no row after a silent error: without a sign-in, and with it', async () => {
    const before = await rows();
    for (let n = 0; n < 5; n++) {
      expect(error(await begin(new Browser(scene.app), { prompt: 'none' }))).toBe('login_required');
    }
    expect(await rows()).toEqual(before);
    await browser.submit(await begin(), credentials());
    const other = await makeClient(scene);
    const signedIn = await rows();
    for (let n = 0; n < 5; n++) {
      const answer = await browser.get(authorizeUrl(other, makePkce(), { prompt: 'none' }));
      expect(error(answer)).toBe('consent_required');
    }
    expect(await rows()).toEqual(signedIn);
  });

  it('stays without a row after a silent approval, which leaves one grant and one entry', async () => {
    await goThrough(browser, authorizeUrl(client, makePkce()), scene.user);
    const before = await rows();
    const pkce = makePkce();
    const answer = await browser.get(authorizeUrl(client, pkce, { prompt: 'none' }));
    const after = await rows();
    for (const table of ['grants', 'transitions']) expect(after[table]).toBe((before[table] ?? 0) + 1);
    expect(after['interactions']).toBe(before['interactions']);
    expect((await exchange(scene, client, { code: code(answer) ?? '', verifier: pkce.verifier })).status).toBe(200);
  });

  it('is stored unchanged with the sign-in, and the later pages need its id alone', async () => {
    const signIn = await begin(browser, { scope: 'openid read', nonce: 'n', max_age: '60', login_hint: 'h' });
    const { id } = nameOf(signIn);
    expect(formOf(signIn.body).action).toBe(`${signIn.url}/sign-in`);
    const consent = await browser.submit(signIn, credentials());
    expect(consent.url).toMatch(STORED);
    expect(consent.url).toContain(id);
    const [row] = await scene.database.drizzle.select().from(interactions).where(eq(interactions.id, id));
    expect(row).toMatchObject({
      state: 'awaitingConsent',
      userId: scene.user.id,
      clientId: client.clientId,
      clientEpoch: 0n,
      scope: ['openid', 'read'],
      requestState: 'a-state',
      nonce: 'n',
      prompt: [],
      maxAgeSeconds: 60,
      requiredClass: null,
      hintedUserId: null,
      // It may name a user, and has no use after the sign-in.
      loginHint: null,
      uiLocales: [],
      responseMode: 'query',
      createdAt: scene.clock.now(),
      endsAt: new Date(scene.clock.now().getTime() + 1800 * 1000),
    });
    expect(formOf(consent.body).action).toBe(`${consent.url}/consent`);
    expect(consent.body).toContain(`href="${consent.url}?account&#61;another"`);
  });

  it('keeps the sealed text on every page until then: a wrong password, another account, a choice of account', async () => {
    const signIn = await begin();
    const again = await browser.submit(signIn, { ...credentials(), password: 'wrong' });
    expect(again.status).toBe(400);
    expect(formOf(again.body).action).toBe(`${signIn.url}/sign-in`);
    expect(isConsent(await browser.submit(again, credentials()))).toBe(true);

    const choice = await begin(browser, { prompt: 'select_account' });
    expect(choice.url).toMatch(NAME);
    expect(formOf(choice.body).action).toBe(`${choice.url}/account`);
    browser.cookies.delete('__Host-statehouse-session');
    const form = await browser.submit(choice, {});
    expect(form.url).toBe(`${choice.url}?account=another`);
    expect(isSignIn(form)).toBe(true);
    expect(isConsent(await browser.submit(form, credentials()))).toBe(true);
  });

  it('leads after its answer to the answer of the row', async () => {
    const signIn = await begin();
    const consent = await browser.submit(signIn, credentials());
    expect(isConsent(await browser.get(signIn.url))).toBe(true);
    const back = await browser.submit(consent, { decision: 'approve' });
    const old = await browser.get(signIn.url);
    expect(old.status).toBe(400);
    expect(old.body).toContain('Already answered');
    // The form of the first page, sent again: the same answer while the code is unused, and none after that.
    expect((await browser.submit(signIn, credentials())).url).toBe(back.url);
    scene.clock.advanceSeconds(60);
    expect((await browser.submit(signIn, credentials())).body).toContain('Already answered');
    expect(await grantsOfClient()).toHaveLength(1);
  });

  it('stays denied, whatever is sent from the page before', async () => {
    const signIn = await begin();
    await browser.submit(await browser.submit(signIn, credentials()), { decision: 'deny' });
    expect((await browser.submit(signIn, credentials())).body).toContain('Already answered');
    expect(await grantsOfClient()).toEqual([]);
  });

  it('cannot begin again after its row was removed: it has ended by then', async () => {
    const signIn = await begin();
    const { id } = nameOf(signIn);
    await browser.submit(await browser.submit(signIn, credentials()), { decision: 'deny' });
    const { drizzle: db } = scene.database;
    const isThere = async () => (await db.select().from(interactions).where(eq(interactions.id, id))).length === 1;
    const end = scene.clock.now().getTime() + 1800 * 1000;
    // Even at the earliest housekeeping by this clock, the row is there for as long as the sealed text is valid.
    scene.clock.set(new Date(end - 1));
    await housekeeper(db, scene.clock).cleanUp();
    expect(await isThere()).toBe(true);
    scene.clock.set(new Date(end));
    await unheld(db, (own) => own.delete(interactions).where(eq(interactions.id, id)));
    for (const answer of [await browser.get(signIn.url), await browser.submit(signIn, credentials())]) {
      expect(answer.status).toBe(400);
      expect(answer.body).toContain('took too long');
    }
    expect(await grantsOfClient()).toEqual([]);
  });

  describe('that was changed', () => {
    const changedNames = (answer: Answer, another: Answer): readonly (readonly [string, string])[] => {
      const { id, sealed } = nameOf(answer);
      const flipped = (at: number) => sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      const requested = {
        id,
        browserHash: randomBytes(32),
        clientId: client.clientId,
        clientEpoch: 0n,
        redirectUri: 'https://evil.test/',
        dpopJkt: null,
        codeChallenge: 'c',
        scope: ['read'],
        resources: [],
        requestState: null,
        nonce: null,
        prompt: [],
        maxAgeSeconds: null,
        requiredClass: null,
        hintedUserId: null,
        loginHint: null,
        uiLocales: [],
        responseMode: 'query',
        createdAt: scene.clock.now(),
        endsAt: new Date(scene.clock.now().getTime() + 60_000),
      } as const;
      const foreign = rootKeys(['the root secret of another server, 32 bytes']);
      return [
        ['by one character at the front', `${id}.${flipped(0)}`],
        ['by one character in the middle', `${id}.${flipped(sealed.length >> 1)}`],
        ['by one character at the end', `${id}.${flipped(sealed.length - 2)}`],
        ['by cutting it', `${id}.${sealed.slice(0, -4)}`],
        ['by cutting all of it', `${id}.`],
        ['by leaving it out', id],
        ['by adding to it', `${id}.${sealed}AAAA`],
        ['by a second dot', `${id}.${sealed}.${sealed}`],
        ['by another id', `${randomUUID()}.${sealed}`],
        ['by what was sealed for another', `${id}.${nameOf(another).sealed}`],
        [
          'by what another server sealed',
          `${id}.${sealInteraction({ keys: foreign, random: scene.deps.random }, requested)}`,
        ],
      ];
    };

    it('gets a page and changes nothing, on every page and form', async () => {
      const [signIn, another] = [await begin(), await begin()];
      const { fields } = formOf(signIn.body);
      // Signed in, so that nothing else interferes.
      await browser.submit(await begin(), credentials());
      const before = await rows();
      for (const [how, name] of changedNames(signIn, another)) {
        for (const answer of [
          await browser.get(`/interactions/${name}`),
          await browser.get(`/interactions/${name}?account=another`),
          await browser.post(`/interactions/${name}/sign-in`, { ...fields, ...credentials() }),
          await browser.post(`/interactions/${name}/account`, fields),
          await browser.post(`/interactions/${name}/consent`, { ...fields, decision: 'approve' }),
        ]) {
          expect([how, answer.status]).toEqual([how, 404]);
        }
      }
      expect(await rows()).toEqual(before);
      expect(isConsent(await browser.submit(signIn, credentials()))).toBe(true);
    });

    it('to a text longer than any URL of a page is rejected unread', async () => {
      const { id } = nameOf(await begin());
      expect((await browser.get(`/interactions/${id}.${'A'.repeat(7681)}`)).status).toBe(400);
      expect((await browser.get(`/interactions/${id}.${'A'.repeat(7680)}`)).status).toBe(404);
    });

    it('or moved to another browser changes nothing', async () => {
      const signIn = await begin();
      const stranger = new Browser(scene.app);
      await begin(stranger);
      const before = await rows();
      expect((await stranger.get(signIn.url)).status).toBe(403);
      expect((await stranger.submit(signIn, credentials())).status).toBe(403);
      expect(await rows()).toEqual(before);
    });

    it('or that has ended changes nothing', async () => {
      const signIn = await begin();
      scene.clock.advanceSeconds(1800);
      const ended = await browser.get(signIn.url);
      expect([ended.status, ended.body.includes('took too long')]).toEqual([400, true]);
      await browser.submit(signIn, credentials());
      const { id } = nameOf(signIn);
      expect(await scene.database.drizzle.select().from(interactions).where(eq(interactions.id, id))).toEqual([]);
    });
  });

  it('survives the rotation of the root secret, at any node', async () => {
    const signIn = await begin();
    const keys = rootKeys([
      'the root secret that comes next, 32 bytes',
      'a root secret for tests, of more than 32 bytes',
    ]);
    const rotated = await openTestApp(scene.database, { clock: scene.clock, keys });
    const there = new Browser(rotated.app);
    for (const [name, value] of browser.cookies) there.cookies.set(name, value);
    const consent = await there.submit(signIn, credentials());
    expect(code(await there.submit(consent, { decision: 'approve' }))).toMatch(/^sh_ac_/);
    await rotated.app.close();
  });

  it('leads to an error for the client where it would not fit into a URL, signed in or not', async () => {
    const text = () => randomBytes(3000).toString('base64url').slice(0, 3990);
    const long = { state: text(), nonce: text().slice(0, 1024), login_hint: text().slice(0, 1024) };
    expect(isSignIn(await begin(browser, long))).toBe(true);
    const redirectUri = `https://client.test/${randomBytes(1480).toString('base64url').slice(0, 1970)}`;
    client = await makeClient(scene, { redirectUris: [redirectUri] });
    const signedOut = await begin(browser, long);
    expect(error(signedOut)).toBe('invalid_request');
    expect(new URL(signedOut.url).searchParams.get('state')).toBe(long.state);
    const signedIn = new Browser(scene.app);
    await signedIn.submit(await begin(signedIn, { state: 'short' }), credentials());
    expect(error(await begin(signedIn, long))).toBe('invalid_request');
    expect(scene.logs()).toContain('"reason":"request_too_long"');
  });

  it('is not in the log', async () => {
    const signIn = await begin();
    await browser.get(signIn.url);
    await browser.submit(signIn, { ...credentials(), password: 'wrong' });
    await browser.get(`${signIn.url}A`);
    await browser.submit(signIn, credentials());
    const { id, sealed } = nameOf(signIn);
    expect(scene.logs()).toContain(id);
    expect(scene.logs()).not.toContain(sealed.slice(0, 40));
  });
});
