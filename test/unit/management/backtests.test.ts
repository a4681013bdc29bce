/** Drafts over the management API: problems with their lines, numbers, and the patch. Nothing is stored. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { exchange, refresh } from '../../support/actors.ts';
import { anyDatabase } from '../../support/database.ts';
import { type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { everything } from '../../support/stored.ts';

const FILE = 'default.policy.yaml';
const POLICY = readFileSync(new URL(`../../../policies/${FILE}`, import.meta.url), 'utf8');
const HOUR = 3600;

let scene: Scene;
let call: Caller;
beforeAll(async () => {
  scene = await openScene(anyDatabase, { configuration: withBot() });
  await makeBot(scene);
  call = callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES));
});
afterAll(() => scene.close());

const drafted = (yaml: string, more: object = {}) =>
  call('POST', '/backtests', { body: { file: FILE, yaml, ...more } });
const withIdle = (seconds: number) => POLICY.replace(/(refreshIdleLifetimeSeconds: )\d+/, `$1${seconds}`);

describe('a backtest', () => {
  it('counts the chains that end now, and the refreshes that would have been refused, by client and reason', async () => {
    const code = await scene.code();
    let token = (await exchange(scene, scene.client, code)).json.refresh_token ?? '';
    for (const hours of [1, 3, 1]) {
      scene.clock.advanceSeconds(hours * HOUR);
      token = (await refresh(scene, scene.client, token)).json.refresh_token ?? '';
    }
    await scene.chain({ client: scene.other });
    scene.clock.advanceSeconds(3 * HOUR);
    await scene.chain({ client: scene.other });
    const before = await everything(scene.database.drizzle);

    const answer = await drafted(withIdle(2 * HOUR));
    expect(answer.statusCode, answer.body).toBe(200);
    const { problems, patch, consequences } = answer.json();
    expect(problems).toEqual([]);
    expect(patch).toContain('-refreshIdleLifetimeSeconds: 2592000\n+refreshIdleLifetimeSeconds: 7200\n');
    const { clientId } = scene.client;
    expect(consequences.living_chains).toEqual({
      total: 3,
      end_now: 2,
      lose_scope: 0,
      by_reason: [{ reason: 'refresh_token_expired', count: 2 }],
      by_client: expect.arrayContaining([
        { client_id: clientId, total: 1, end_now: 1 },
        { client_id: scene.other.clientId, total: 2, end_now: 1 },
      ]),
      other_clients: null,
    });
    expect(consequences.refreshes).toEqual({
      total: 3,
      refused: 1,
      following: 1,
      refused_before: 0,
      by_reason: [{ reason: 'refresh_token_expired', count: 1 }],
      by_client: [{ client_id: clientId, total: 3, refused: 1, following: 1 }],
      other_clients: null,
    });
    expect(consequences.says).toEqual(
      expect.arrayContaining([
        '2 of 3 chains end now.',
        'Of 3 refreshes, the server would have refused 1.',
        '1 later one would not have come: its grants had been refused before.',
      ]),
    );
    expect(consequences.complete).toBe(true);
    expect(await everything(scene.database.drizzle)).toEqual(before);
  });

  it('says that the ledger begins within the period, and what else it leaves out', async () => {
    const { consequences } = (await drafted(POLICY, { days: 31 })).json();
    expect(consequences.not_replayed.join('\n')).toMatch(/The ledger begins at 20/);
    expect(consequences.not_replayed.join('\n')).toContain('Sign-ins, consents and authorization requests.');
    expect(consequences.living_chains.end_now).toBe(0);
  });

  it('has the problems of a draft with their lines, and no numbers', async () => {
    const yaml = POLICY.replace('accessTokenLifetimeSeconds: 900', 'accessTokenLifetimeSecond: 900');
    const line = POLICY.split('\n').findIndex((one) => one.startsWith('accessTokenLifetimeSeconds')) + 1;
    const { problems, consequences } = (await drafted(yaml)).json();
    expect(consequences).toBeNull();
    expect(problems).toContainEqual({
      file: FILE,
      line,
      says: expect.stringContaining(`${FILE}:${line}: accessTokenLifetimeSecond: Expected one of`),
    });
    const broken = (await drafted('a: [')).json();
    expect(broken.problems[0]).toMatchObject({ file: FILE, line: 1 });
  });

  it('takes a draft of resources.yaml, and of a policy that does not exist yet', async () => {
    const yaml = (await call('GET', '/policy-files/resources.yaml')).json().yaml as string;
    const without = yaml.replace(/ {6}- name: write\n.*\n/, '');
    const body = { file: 'resources.yaml', yaml: without };
    const { consequences, problems } = (await call('POST', '/backtests', { body })).json();
    expect(problems).toEqual([]);
    expect(consequences.living_chains.lose_scope).toBeGreaterThan(0);
    const fresh = await call('POST', '/backtests', { body: { file: 'new.policy.yaml', yaml: POLICY } });
    expect(fresh.json()).toMatchObject({
      problems: [],
      patch: expect.stringMatching(/^--- \/dev\/null\n\+\+\+ b\/new/),
    });
  });

  it.each(['clients.yaml', '../policies/default.policy.yaml', 'webhooks.yaml', '.env'])(
    'reads nothing of %s',
    async (file) => {
      expect((await call('POST', '/backtests', { body: { file, yaml: '' } })).statusCode).toBe(422);
      expect((await call('GET', `/policy-files/${encodeURIComponent(file)}`)).statusCode).toBe(404);
    },
  );

  it.each([0, 32, 1.5])('has a bounded period: not %s days', async (days) => {
    expect((await drafted(POLICY, { days })).statusCode).toBe(422);
  });
});
