/** `statehouse diff --backtest` on the database of a server, with its ledger. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { exchange, refresh } from '../../support/actors.ts';
import { testClock } from '../../support/clock.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { everything } from '../../support/stored.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

const SECRET = 'a-root-secret-of-more-than-32-bytes';
const HOUR = 3600;
const policies = new URL('../../../policies', import.meta.url).pathname;

let scene: Scene;
let line: CommandLine;
let draft: string;
beforeAll(async () => {
  // The command reads the clock of the database.
  const clock = testClock(new Date(Date.now() - 8 * HOUR * 1000));
  scene = await openScene('postgres', { clock, keys: rootKeys([SECRET]) });
  line = await openCommandLine();
  draft = mkdtempSync(join(tmpdir(), 'statehouse-draft-'));
  cpSync(policies, draft, { recursive: true });
  const file = join(draft, 'default.policy.yaml');
  const shorter = readFileSync(file, 'utf8').replace(/(refreshIdleLifetimeSeconds: )\d+/, `$1${2 * HOUR}`);
  writeFileSync(file, shorter);

  let token = (await exchange(scene, scene.client, await scene.code())).json.refresh_token ?? '';
  for (const hours of [1, 3, 1]) {
    clock.advanceSeconds(hours * HOUR);
    token = (await refresh(scene, scene.client, token)).json.refresh_token ?? '';
  }
  clock.advanceSeconds(2.5 * HOUR);
  await scene.chain({ client: scene.other });
});
afterAll(async () => {
  rmSync(draft, { recursive: true });
  await line.close();
  await scene.close();
});

const backtest = (period: string, ...more: string[]) =>
  line.run(['diff', '--backtest', period, ...more], {
    env: { DATABASE_URL: scene.url ?? '', STATEHOUSE_SECRET: SECRET, STATEHOUSE_CONFIG: policies },
  });

it('counts the chains that end now and the refused refreshes of the period, and changes nothing', async () => {
  const before = await everything(scene.database.drizzle);
  const { status, out, err } = await backtest('7d', draft, '--format', 'json');
  expect({ status, err }).toEqual({ status: 0, err: '' });
  const { backtest: numbers } = JSON.parse(out);
  const { clientId } = scene.client;
  expect(numbers.living_chains).toMatchObject({
    total: 2,
    end_now: 1,
    by_reason: [{ reason: 'refresh_token_expired', count: 1 }],
  });
  expect(numbers.refreshes).toMatchObject({
    total: 3,
    refused: 1,
    following: 1,
    by_client: [{ client_id: clientId, total: 3, refused: 1, following: 1 }],
  });
  expect(await everything(scene.database.drizzle)).toEqual(before);
});

it('reads the given period alone', async () => {
  const refreshesOf = async (period: string) =>
    JSON.parse((await backtest(period, draft, '--format', 'json')).out).backtest.refreshes;
  // Seven, four and three hours ago.
  expect(await refreshesOf('5h')).toMatchObject({ total: 2, refused: 1, following: 1 });
  expect(await refreshesOf('2h')).toMatchObject({ total: 0, refused: 0, following: 0 });
});

it.each([
  ['text', ['1 of 2 chains ends now.', 'Of 3 refreshes, the server would have refused 1.', 'refused refreshes\n']],
  ['markdown', ['- 1 of 2 chains ends now.', '| refused refreshes | |', '| `refresh_token_expired` | 1 |']],
])('says so as %s, and that no machine was proved again', async (format, words) => {
  const { status, out } = await backtest('7d', draft, '--format', format);
  expect(status).toBe(0);
  for (const one of words) expect(out).toContain(one);
  if (format === 'text') expect(out).toContain('No machine has changed, so none was proved again');
});

it('needs a database, a period within 90 days, and at least one side', async () => {
  const none = await line.run(['diff', '--backtest', '7d', draft], { env: { STATEHOUSE_HOME: join(draft, 'none') } });
  expect(none.status).not.toBe(0);
  expect(none.err).toContain('A backtest reads the database of a server: set DATABASE_URL and STATEHOUSE_SECRET');
  for (const period of ['91d', '0d', '7', '1w'])
    expect((await backtest(period, draft)).err).toContain('Expected hours or days, at most 90 days: 24h, 7d.');
  expect((await line.run(['diff', draft])).err).toContain('One is enough with --backtest.');
});
