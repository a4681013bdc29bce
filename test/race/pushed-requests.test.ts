/** Two answers to one pushed request in the same instant, on two nodes and a real Postgres: the client gets one. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grants, pushedRequests, transitions } from '../../src/storage/schema.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  REDIRECT_URI,
  type TestClient,
  type TestUser,
} from '../support/actors.ts';
import { type Answer, Browser, formOf } from '../support/browser.ts';
import { type Nodes, openNodes } from '../support/nodes.ts';
import { type Pushed, push } from '../support/pushing.ts';
import { grantIdOfCode } from '../support/stored.ts';

const ROUNDS = 10;

describe('a pushed request with several concurrent answers', () => {
  let nodes: Nodes;
  let other: TestUser;
  beforeAll(async () => {
    nodes = await openNodes();
    other = await makeUser(nodes);
  });
  afterAll(() => nodes.close());

  const db = () => nodes.database.drizzle;
  const at = (n: number, from?: Browser): Browser => {
    const browser = new Browser((nodes.nodes[n % 2] ?? nodes).app);
    for (const [name, value] of from?.cookies ?? []) browser.cookies.set(name, value);
    return browser;
  };
  async function signedIn(user: TestUser, client: TestClient): Promise<Browser> {
    const browser = at(0);
    await goThrough(browser, authorizeUrl(client, makePkce()), user);
    return browser;
  }
  const answersOf = (pages: readonly Answer[]) =>
    new Set(
      pages.map(({ headers }) => String(headers['location'])).filter((location) => location.startsWith(REDIRECT_URI)),
    );

  /** One answer has reached the client, and the database knows of one. */
  async function expectOneAnswer(client: TestClient, { pkce }: Pushed, pages: readonly Answer[]): Promise<URL> {
    const [location = '', ...more] = answersOf(pages);
    expect([location.startsWith(REDIRECT_URI), more]).toEqual([true, []]);
    const [row, ...rows] = await db().select().from(pushedRequests).where(eq(pushedRequests.clientId, client.clientId));
    expect([row, rows]).toMatchObject([{ state: 'used', sealed: '' }, []]);
    const id = row?.id ?? '';
    const entries = await db().select().from(transitions).where(eq(transitions.interactionId, id));
    expect(entries.filter(({ machine, event }) => machine === 'pushedRequest' && event === 'answered')).toHaveLength(1);
    const code = new URL(location).searchParams.get('code');
    const made = await db().select({ id: grants.id }).from(grants).where(eq(grants.id, id));
    expect(made.map((grant) => grant.id)).toEqual(code === null ? [] : [grantIdOfCode(code)]);
    if (code !== null) expect((await exchange(nodes, client, { code, verifier: pkce.verifier })).status).toBe(200);
    return new URL(location);
  }

  it('by two end-users, whose browsers open the link', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const client = await makeClient(nodes, { consent: 'skip' });
      const [one, two] = [await signedIn(nodes.user, client), await signedIn(other, client)];
      const pushed = await push(nodes, client);
      const pages = await Promise.all(
        Array.from({ length: 10 }, (_, n) => at(n + round, n % 4 < 2 ? one : two).send('GET', pushed.link, null)),
      );
      expect(pages.filter(({ status }) => status !== 303 && status !== 400)).toEqual([]);
      expect((await expectOneAnswer(client, pushed, pages)).searchParams.get('code')).not.toBeNull();
    }
  });

  it('by a code and a refusal of one page', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const client = await makeClient(nodes);
      const pushed = await push(nodes, client, { prompt: 'consent' });
      const browser = at(round);
      const signIn = await browser.get(pushed.link);
      const consent = await browser.submit(signIn, { username: nodes.user.username, password: PASSWORD });
      const { action, fields } = formOf(consent.body);
      const pages = await Promise.all(
        ['approve', 'deny', 'approve', 'deny'].map((decision, n) =>
          at(n + round, browser).send('POST', action, new URLSearchParams({ ...fields, decision }).toString()),
        ),
      );
      await expectOneAnswer(client, pushed, pages);
    }
  });

  it('by a code and an error, to browsers of which one is signed in', async () => {
    for (let round = 0; round < 2 * ROUNDS; round++) {
      const client = await makeClient(nodes, { consent: 'skip' });
      const one = await signedIn(nodes.user, client);
      const pushed = await push(nodes, client, { prompt: 'none' });
      const pages = await Promise.all(
        Array.from({ length: 6 }, (_, n) =>
          at(n, (n + round) % 2 === 0 ? one : undefined).send('GET', pushed.link, null),
        ),
      );
      await expectOneAnswer(client, pushed, pages);
    }
  });

  it('by silent refusals, which store no interaction', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const client = await makeClient(nodes);
      const pushed = await push(nodes, client, { prompt: 'none' });
      const pages = await Promise.all(
        Array.from({ length: 6 }, (_, n) => at(n + round).send('GET', pushed.link, null)),
      );
      expect(pages.filter(({ status }) => status === 303)).toHaveLength(1);
      const answer = await expectOneAnswer(client, pushed, pages);
      expect(answer.searchParams.get('error')).toBe('login_required');
    }
  });
});
