/** One interaction without a row yet, sent many times concurrently to two nodes, becomes one row, and at most one grant and code. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grants, interactions, transitions } from '../../src/storage/schema.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  type TestClient,
} from '../support/actors.ts';
import { type Answer, Browser, formOf } from '../support/browser.ts';
import { type Nodes, openNodes } from '../support/nodes.ts';
import { grantIdOfCode } from '../support/stored.ts';

const SUBMITS = 10;
const ROUNDS = 8;

describe('an interaction that many concurrent requests store', () => {
  let scene: Nodes;
  beforeAll(async () => {
    scene = await openNodes();
  });
  afterAll(() => scene.close());

  const db = () => scene.database.drizzle;
  function twin(browser: Browser, n: number): Browser {
    const other = new Browser((n % 2 === 0 ? scene.nodes[0] : scene.nodes[1]).app);
    for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    return other;
  }
  /** The form of the page, sent many times concurrently with these fields, to both nodes in turn. */
  function sendTogether(browser: Browser, page: Answer, all: readonly Readonly<Record<string, string>>[]) {
    const { action, fields } = formOf(page.body);
    return Promise.all(
      all.map((one, n) => twin(browser, n).send('POST', action, new URLSearchParams({ ...fields, ...one }).toString())),
    );
  }
  const times = (fields: Readonly<Record<string, string>>) => Array.from({ length: SUBMITS }, () => fields);
  const credentials = (username = scene.user.username) => ({ username, password: PASSWORD });
  const idOf = ({ url }: Answer) => /[0-9a-f-]{36}/.exec(url)?.[0] ?? '';
  const rowsOf = (id: string) => db().select().from(interactions).where(eq(interactions.id, id));
  const linesOf = (id: string) => db().select().from(transitions).where(eq(transitions.interactionId, id));
  const grantsOf = ({ clientId }: TestClient) => db().select().from(grants).where(eq(grants.clientId, clientId));
  const locations = (answers: readonly Answer[]) =>
    new Set(answers.filter(({ status }) => status === 303).map(({ headers }) => String(headers['location'])));

  it('at the sign-in, where consent is required: one row, one page', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const client = await makeClient(scene);
      const browser = new Browser(scene.app);
      const signIn = await browser.get(authorizeUrl(client, makePkce()));
      const answers = await sendTogether(browser, signIn, times(credentials()));
      // A browser has two concurrent attempts per node; the others get "try again".
      expect(answers.filter(({ status }) => status !== 303 && status !== 503)).toEqual([]);
      expect([...locations(answers)]).toEqual([`/interactions/${idOf(signIn)}`]);
      expect(await rowsOf(idOf(signIn))).toMatchObject([{ state: 'awaitingConsent', userId: scene.user.id }]);
      expect(await grantsOf(client)).toEqual([]);
    }
  });

  it('at the sign-in, where consent is remembered: one row, one grant, one code', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const client = await makeClient(scene);
      await goThrough(new Browser(scene.app), authorizeUrl(client, makePkce()), scene.user);
      const pkce = makePkce();
      const browser = new Browser(scene.app);
      const signIn = await browser.get(authorizeUrl(client, pkce));
      const answers = await sendTogether(browser, signIn, times(credentials()));
      const [location, ...others] = locations(answers);
      expect(others).toEqual([]);
      const code = new URL(location ?? '').searchParams.get('code') ?? '';
      const made = (await grantsOf(client)).filter(({ id }) => id === idOf(signIn));
      expect(made.map(({ id }) => id)).toEqual([grantIdOfCode(code)]);
      expect(await rowsOf(idOf(signIn))).toMatchObject([{ state: 'approved' }]);
      expect(await linesOf(idOf(signIn))).toHaveLength(1);
      expect((await exchange(scene, client, { code, verifier: pkce.verifier })).status).toBe(200);
    }
  });

  it('at the choice of the account: one row, one grant, one code', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const client = await makeClient(scene);
      const browser = new Browser(scene.app);
      await goThrough(browser, authorizeUrl(client, makePkce()), scene.user);
      const choice = await browser.get(authorizeUrl(client, makePkce(), { prompt: 'select_account' }));
      const answers = await sendTogether(browser, choice, times({}));
      expect(locations(answers).size).toBe(1);
      expect((await grantsOf(client)).filter(({ id }) => id === idOf(choice))).toHaveLength(1);
      expect(await linesOf(idOf(choice))).toHaveLength(1);
    }
  });

  it('with two users: the row belongs to one of them, and each page says so', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [client, other] = [await makeClient(scene), await makeUser(scene)];
      for (const one of [scene.user, other]) {
        await goThrough(new Browser(scene.app), authorizeUrl(client, makePkce()), one);
      }
      const browser = new Browser(scene.app);
      const signIn = await browser.get(authorizeUrl(client, makePkce()));
      const answers = await sendTogether(browser, signIn, [
        credentials(),
        credentials(other.username),
        credentials(),
        credentials(other.username),
      ]);
      const made = (await grantsOf(client)).filter(({ id }) => id === idOf(signIn));
      expect(made).toHaveLength(1);
      const [row] = await rowsOf(idOf(signIn));
      expect(row).toMatchObject({ state: 'approved', userId: made[0]?.userId });
      const codes = [...locations(answers)].filter((location) => location.includes('code='));
      expect(codes).toHaveLength(1);
    }
  });
});
