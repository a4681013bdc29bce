/** A consent form that is sent many times concurrently makes one grant, and every answer carries the same code. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grants } from '../../src/storage/schema.ts';
import { authorizeUrl, exchange, makeClient, makePkce, PASSWORD } from '../support/actors.ts';
import { Browser, formOf } from '../support/browser.ts';
import { type Nodes, openNodes } from '../support/nodes.ts';
import { grantIdOfCode } from '../support/stored.ts';

const SUBMITS = 20;
const ROUNDS = 20;

describe('a form that is submitted many times concurrently', () => {
  let scene: Nodes;
  beforeAll(async () => {
    scene = await openNodes();
  });
  afterAll(() => scene.close());

  /** The same browser, at either node. */
  function twin(browser: Browser, n: number): Browser {
    const other = new Browser((n % 2 === 0 ? scene.nodes[0] : scene.nodes[1]).app);
    for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    return other;
  }

  it('makes one grant and one code when it allows', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      // A public client without https needs consent each time.
      const client = await makeClient(scene, {
        tokenEndpointAuthMethod: 'none',
        redirectUris: ['http://client.test/cb'],
      });
      const pkce = makePkce();
      const browser = new Browser(scene.app);
      const signIn = await browser.get(authorizeUrl(client, pkce));
      const consent = await browser.submit(signIn, { username: scene.user.username, password: PASSWORD });
      const { action, fields } = formOf(consent.body);
      const body = new URLSearchParams({ ...fields, decision: 'approve' }).toString();

      const answers = await Promise.all(
        Array.from({ length: SUBMITS }, (_, n) => twin(browser, n).send('POST', action, body)),
      );

      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
      const locations = new Set(answers.map(({ headers }) => String(headers['location'])));
      expect(locations.size).toBe(1);
      const code = new URL([...locations][0] ?? '').searchParams.get('code') ?? '';
      const made = await scene.database.drizzle
        .select({ id: grants.id })
        .from(grants)
        .where(eq(grants.clientId, client.clientId));
      expect(made.map(({ id }) => id)).toEqual([grantIdOfCode(code)]);
      expect((await exchange(scene, client, { code, verifier: pkce.verifier })).status).toBe(200);
    }
  });

  it('has one outcome, which stays, when it allows and denies', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const client = await makeClient(scene, {
        tokenEndpointAuthMethod: 'none',
        redirectUris: ['http://client.test/cb'],
      });
      const browser = new Browser(scene.app);
      const signIn = await browser.get(authorizeUrl(client, makePkce()));
      const consent = await browser.submit(signIn, { username: scene.user.username, password: PASSWORD });
      const { action, fields } = formOf(consent.body);
      const decide = (decision: string) => new URLSearchParams({ ...fields, decision }).toString();

      const answers = await Promise.all(
        ['approve', 'deny', 'approve', 'deny'].map((decision, n) =>
          twin(browser, n + round).send('POST', action, decide(decision)),
        ),
      );

      const locations = new Set(
        answers.flatMap(({ status, headers }) => (status === 303 ? [String(headers['location'])] : [])),
      );
      expect(locations.size).toBe(1);
      const made = await scene.database.drizzle
        .select({ id: grants.id })
        .from(grants)
        .where(eq(grants.clientId, client.clientId));
      expect(made).toHaveLength([...locations][0]?.includes('code=') ? 1 : 0);
    }
  });
});
