/** The bound of a caller's requests: 429, its headers, and what counts. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SHIPPED_LIMITS } from '../../../policies/limits-schema.ts';
import { runningServer } from '../../../src/cli/administration/running-server.ts';
import { planOf } from '../../../src/cli/apply/plan.ts';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { makeClient, makeUser } from '../../support/actors.ts';
import { ISSUER } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { injecting } from '../../support/injecting.ts';
import { API, type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const OTHER = 'other-bot';
const SHIPPED = SHIPPED_LIMITS.managementRequestsPerMinute;

describe('the quota of a caller', () => {
  let scene: Scene;
  let call: Caller;
  let callOther: Caller;
  let most = SHIPPED;
  beforeAll(async () => {
    const bot = withBot();
    const clients = [...bot.operators.clients, { client_id: OTHER, scope: ['users:read'] }];
    scene = await openScene(anyDatabase, {
      configuration: { ...bot, operators: { ...bot.operators, clients } },
      reloaded: () => ({ limits: { ...SHIPPED_LIMITS, managementRequestsPerMinute: most } }),
    });
    await makeBot(scene);
    await makeClient(scene, { clientId: OTHER, grantTypes: ['client_credentials'], redirectUris: [] });
    const other = { sub: OTHER, client_id: OTHER };
    callOther = callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES, other));
    call = callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES));
  });
  afterAll(() => scene.close());
  beforeEach(() => {
    most = SHIPPED;
    scene.clock.advanceSeconds(60);
  });

  const policyOf = (quota: number) => `"default";q=${quota};w=60`;
  const reasonOf = (body: { readonly type: string }) => body.type.replace(`${API}/problems/`, '');

  it('stands in each response to an authenticated caller, and in no other', async () => {
    for (const [path, status, left] of [
      ['/clients', 200, 1],
      ['/clients?limit=0', 400, 2],
      ['/clients/nothing', 404, 3],
    ] as const) {
      const { statusCode, headers } = await call('GET', path);
      expect([statusCode, headers['ratelimit-policy'], headers['ratelimit']]).toEqual([
        status,
        policyOf(SHIPPED),
        `"default";r=${SHIPPED - left};t=60`,
      ]);
    }
    const forbidden = await callOther('GET', '/clients');
    expect([forbidden.statusCode, forbidden.headers['ratelimit']]).toEqual([403, `"default";r=${SHIPPED - 1};t=60`]);
    for (const [path, headers] of [
      ['/clients', {}],
      ['/clients', { authorization: 'Bearer nothing' }],
      ['/openapi.json', {}],
      ['/nothing', {}],
    ] as const) {
      const answer = await scene.app.inject({ url: `/management/v1${path}`, headers });
      expect([path, answer.headers['ratelimit']]).toEqual([path, undefined]);
    }
  });

  it('refuses further requests until the next window, and the refused ones do not extend it', async () => {
    most = 2;
    expect((await call('GET', '/clients')).statusCode).toBe(200);
    scene.clock.advanceSeconds(20);
    expect((await call('GET', '/clients')).headers['ratelimit']).toBe('"default";r=0;t=40');
    const user = await makeUser(scene);
    for (const method of ['GET', 'DELETE'] as const) {
      const answer = await call(method, `/users/${user.id}`);
      expect([answer.statusCode, reasonOf(answer.json())]).toEqual([429, 'too_many_requests']);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/problem+json; charset=utf-8',
        'retry-after': '40',
        'cache-control': 'no-store',
        'ratelimit-policy': policyOf(2),
        ratelimit: '"default";r=0;t=40',
      });
      expect(answer.json().detail).toContain('2 requests in 60 seconds');
    }
    scene.clock.advanceSeconds(40);
    expect((await call('GET', `/users/${user.id}`)).statusCode).toBe(200);
  });

  it('belongs to one caller: another one, and requests without a valid token, use none of it', async () => {
    most = 2;
    for (let sent = 0; sent < 2; sent++) expect((await callOther('GET', '/users')).statusCode).toBe(200);
    expect((await callOther('GET', '/users')).statusCode).toBe(429);
    for (let sent = 0; sent < 5; sent++)
      await scene.app.inject({ url: '/management/v1/clients', headers: { authorization: 'Bearer nothing' } });
    for (let sent = 0; sent < 2; sent++) expect((await call('GET', '/clients')).statusCode).toBe(200);
    expect((await call('GET', '/clients')).statusCode).toBe(429);
  });

  it('counts each operation of a batch, and has the rest in the response of the batch', async () => {
    most = 3;
    const operations = ['one', 'two', 'three'].map((username) => ({
      method: 'POST',
      path: '/users',
      body: { username },
    }));
    const answer = await call('POST', '/batches', { body: { operations } });
    expect(answer.statusCode).toBe(200);
    const outcomes = answer.json().outcomes as { status: number; body: { type: string } }[];
    expect(outcomes.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect(reasonOf(outcomes[2]?.body ?? { type: '' })).toBe('too_many_requests');
    expect(answer.headers['ratelimit']).toBe('"default";r=0;t=60');
  });

  it('only delays "statehouse apply", which waits for the next window', async () => {
    most = 3;
    const waits: number[] = [];
    const waiting = {
      sleep: async (milliseconds: number) => {
        waits.push(milliseconds);
        scene.clock.advanceSeconds(milliseconds / 1000);
      },
      notify: () => {},
    };
    const env = { STATEHOUSE_URL: ISSUER, STATEHOUSE_TOKEN: tokenOf(scene, MANAGEMENT_SCOPE_NAMES) };
    const api = await runningServer(env, injecting(scene.app), waiting);
    if (api === null) throw new Error('The environment names a server.');
    const wanted = ['ada', 'grace'].map((username) => ({
      ...({ kind: 'user', file: 'people.yaml', name: username } as const),
      record: { username },
    }));
    const { steps } = await planOf(api, wanted);
    for (const { carryOut } of steps) await carryOut();
    expect(steps.map(({ action }) => action)).toEqual(['create', 'create']);
    expect(waits).toEqual(expect.arrayContaining([60_000]));
    const again = await planOf(api, wanted);
    expect(again.steps.map(({ action }) => action)).toEqual(['none', 'none']);
  });
});
