/** The hot path is lean: the statements of a rotation, and the number of its signatures. */
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { signAccessToken } from '../../../src/crypto/access-token.ts';
import type { Database } from '../../../src/storage/database.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makePkce,
  makeUser,
  PASSWORD,
  refresh,
  type TestUser,
  token,
} from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { enrol } from '../../support/factors.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { openSceneOn, type Scene } from '../../support/scene.ts';

vi.mock('../../../src/crypto/access-token.ts', async (original) => {
  const real = await original<typeof import('../../../src/crypto/access-token.ts')>();
  return { ...real, signAccessToken: vi.fn(real.signAccessToken) };
});

describe('round trips', () => {
  let opened: TestDatabase<string>;
  let scene: Scene;
  const statements: string[] = [];
  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    const client = postgres(opened.url, {
      max: 1,
      onnotice: () => {},
      debug: (_, statement) => statements.push(statement),
    });
    const database: Database = {
      ...opened.database,
      drizzle: drizzle(client),
      close: async () => {
        await client.end();
        await opened.close();
      },
    };
    // Claims about the end-user in the tokens cost no statement.
    const scopes = [{ name: 'read', claims: [{ name: 'roles', in: ['access_token' as const] }] }];
    const configuration = { ...shippedConfiguration, claims: { scopes } };
    scene = await openSceneOn({ database, url: opened.url, close: database.close }, { configuration });
  });
  afterAll(() => scene.close());

  async function costOf(work: () => Promise<{ readonly status: number }>, status = 200) {
    const sign = vi.mocked(signAccessToken).mockClear();
    statements.length = 0;
    expect((await work()).status).toBe(status);
    return { statements: statements.length, signatures: sign.mock.calls.length };
  }

  it('a rotation: load, commit, one signature', async () => {
    let head = await scene.chain();
    for (let n = 0; n < 3; n++) {
      const cost = await costOf(async () => {
        const answer = await refresh(scene, scene.client, head);
        head = answer.json.refresh_token ?? '';
        return answer;
      });
      expect(cost).toEqual({ statements: 2, signatures: 1 });
      expect(statements[0]).toMatch(/^select /);
      expect(statements[1]).toMatch(/^with "moved" as \(update "grants" /);
    }
  });

  it('an exchange: the same', async () => {
    const code = await scene.code();
    expect(await costOf(() => exchange(scene, scene.client, code))).toEqual({ statements: 2, signatures: 1 });
  });

  it('a reuse: load, revoke, no signature', async () => {
    const used = await scene.chain();
    await refresh(scene, scene.client, used);
    expect(await costOf(() => refresh(scene, scene.client, used), 400)).toEqual({ statements: 2, signatures: 0 });
  });

  it('client credentials and every refusal: one load', async () => {
    const grant_type = 'client_credentials';
    expect(await costOf(() => token(scene, scene.client, { grant_type }))).toEqual({ statements: 1, signatures: 1 });
    expect(await costOf(() => token(scene, { ...scene.client, secret: 'wrong' }, { grant_type }), 401)).toEqual({
      statements: 1,
      signatures: 0,
    });
    expect(await costOf(() => refresh(scene, scene.client, 'sh_rt_forged'), 400)).toEqual({
      statements: 1,
      signatures: 0,
    });
  });

  it('unknown kids: one lookup a second, however many', async () => {
    const forged = (kid: string) =>
      `${Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid })).toString('base64url')}.e30.AAAA`;
    const ask = (kid: string) =>
      scene.app.inject({ url: '/oauth/userinfo', headers: { authorization: `Bearer ${forged(kid)}` } });
    for (let second = 0; second < 2; second++) {
      scene.clock.advanceSeconds(1);
      statements.length = 0;
      await Promise.all(['a', 'b', 'c'].map(ask));
      expect((await ask('d')).statusCode).toBe(401);
      expect(statements).toEqual([expect.stringContaining('from "signing_keys"')]);
    }
  });

  it('an authorization request without a session: one read; a silent error: the same', async () => {
    for (const prompt of [undefined, 'none']) {
      const url = authorizeUrl(scene.client, makePkce(), { prompt });
      const cost = await costOf(() => new Browser(scene.app).send('GET', url, null), 303);
      expect(cost).toEqual({ statements: 1, signatures: 0 });
      expect(statements[0]).toMatch(/^select /);
    }
  });

  it.each([undefined, 'none'])(
    'an approval without a page (prompt=%s): client, session and consent are read together, and one statement stores the grant alone',
    async (prompt) => {
      await scene.code();
      const url = authorizeUrl(scene.client, makePkce(), { prompt });
      expect(await costOf(() => scene.browser.send('GET', url, null), 303)).toEqual({ statements: 2, signatures: 0 });
      expect(statements[0]).toMatch(/^select /);
      expect(statements[1]).toMatch(
        /^with "active_session" as \(.*"granted" as \(insert into "grants" .* on conflict .*insert into "transitions"/s,
      );
      expect(statements[1]).not.toMatch(/(insert into|update) "interactions"/);
    },
  );

  describe('the pages of an interaction', () => {
    type Step = 'request' | 'page' | 'sign-in' | 'factor page' | 'factor' | 'consent page' | 'consent';

    it('of a signed-in end-user, with the consent page: eight from the first request to the code', async () => {
      await scene.code();
      const url = authorizeUrl(scene.client, makePkce(), { prompt: 'consent' });
      const costs: number[] = [];
      const send = async (...sent: Parameters<Browser['send']>): Promise<Answer> => {
        statements.length = 0;
        const answer = await scene.browser.send(...sent);
        costs.push(statements.length);
        return answer;
      };
      const { headers } = await send('GET', url, null);
      const { action, fields } = formOf((await send('GET', String(headers['location']), null)).body);
      const sent = new URLSearchParams({ ...fields, decision: 'approve' }).toString();
      expect(String((await send('POST', action, sent)).headers['location'])).toContain('code=');
      expect(costs).toEqual([2, 3, 3]);
    });

    /** The statements of every request, from the authorization request to the code. */
    async function costsOf(user: TestUser, codeOf: (() => string) | null) {
      const browser = new Browser(scene.app);
      const costs: Partial<Record<Step, number>> = {};
      const send = async (step: Step, ...sent: Parameters<Browser['send']>): Promise<Answer> => {
        statements.length = 0;
        const answer = await browser.send(...sent);
        costs[step] = statements.length;
        return answer;
      };
      const show = (step: Step, { headers }: Answer) => send(step, 'GET', String(headers['location']), null);
      const submit = (step: Step, { body }: Answer, typed: Record<string, string>) => {
        const { action, fields } = formOf(body);
        return send(step, 'POST', action, new URLSearchParams({ ...fields, ...typed }).toString());
      };
      const asked = await send('request', 'GET', authorizeUrl(scene.client, makePkce(), { prompt: 'consent' }), null);
      const page = await show('page', asked);
      let next = await submit('sign-in', page, { username: user.username, password: PASSWORD });
      if (codeOf) next = await submit('factor', await show('factor page', next), { code: codeOf() });
      const { headers } = await submit('consent', await show('consent page', next), { decision: 'approve' });
      expect(String(headers['location'])).toContain('code=');
      return costs;
    }

    it('by the password', async () => {
      const user = await makeUser(scene);
      // The first sign-in hashes an imported password again.
      await costsOf(user, null);
      expect(await costsOf(user, null)).toEqual({ request: 1, page: 1, 'sign-in': 7, 'consent page': 3, consent: 3 });
    });

    it('by the password and a TOTP code', async () => {
      const user = await makeUser(scene);
      const { app } = await enrol(scene, new Browser(scene.app), user);
      const costs = await costsOf(user, () => app.codeAt(scene.clock.now()));
      expect(costs).toEqual({
        request: 1,
        page: 1,
        'sign-in': 5,
        'factor page': 6,
        factor: 8,
        'consent page': 3,
        consent: 3,
      });
    });
  });

  it('introspection: one load, for any kind of token', async () => {
    const { client } = scene;
    const introspect = async (sent: string) => {
      const answer = await scene.app.inject({
        method: 'POST',
        url: '/oauth/introspect',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Basic ${Buffer.from(`${client.clientId}:${client.secret}`).toString('base64')}`,
        },
        payload: new URLSearchParams({ token: sent }).toString(),
      });
      return { status: answer.statusCode, json: answer.json() };
    };
    const { json } = await exchange(scene, client, await scene.code());
    for (const sent of [json.access_token ?? '', json.refresh_token ?? '']) {
      expect(await introspect(sent)).toMatchObject({ json: { active: true } });
      expect(await costOf(() => introspect(sent))).toEqual({ statements: 1, signatures: 0 });
      expect(await costOf(() => introspect(`${sent.slice(0, -2)}AA`))).toEqual({ statements: 1, signatures: 0 });
    }
  });

  it('the first page of the account: eight, however much there is', async () => {
    const user = await makeUser(scene);
    const { app } = await enrol(scene, new Browser(scene.app), user);
    const browser = new Browser(scene.app);
    const typed = { username: user.username, password: PASSWORD };
    await browser.submit(await browser.submit(await browser.get('/account'), typed), {
      code: app.codeAt(scene.clock.now()),
    });
    const costs = async () => (await costOf(() => browser.get('/account'))).statements;
    expect(await costs()).toBe(8);
    for (let n = 0; n < 5; n++) await registeredPasskey(scene, user);
    for (const client of [scene.client, scene.other]) {
      for (let n = 0; n < 3; n++) await goThrough(browser, authorizeUrl(client, makePkce()), user);
    }
    expect((await browser.get('/account')).body).toContain('2 apps have access.');
    expect(await costs()).toBe(8);
  });

  it('an unreadable token: none', async () => {
    expect(await costOf(() => token(scene, scene.client, {}), 400)).toEqual({ statements: 0, signatures: 0 });
  });
});
