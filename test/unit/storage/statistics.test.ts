/** The counts of the overview: each ledger entry once, in its bucket, however late its transaction ends. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { noDurations } from '../../../src/model/statistics.ts';
import { keepLedgerPartitions } from '../../../src/storage/ledger-partitions.ts';
import { readStatistics, statisticsStore } from '../../../src/storage/statistics.ts';
import { clockAt } from '../../support/clock.ts';
import { databaseKinds } from '../../support/database.ts';
import { settled } from '../../support/ledger.ts';
import { givenGrant, openPorts, type Ports } from './ports.ts';

const NOW = new Date('2031-05-10T12:34:56Z');
const clock = clockAt(NOW);
const AN_HOUR_AGO = '2031-05-10T11:33:00Z';
const NONE = {
  sign_ins: 0,
  failed_sign_ins: 0,
  new_users: 0,
  chains_started: 0,
  rotations: 0,
  chains_ended: 0,
  reuse_detections: 0,
  server_errors: 0,
};

describe.each(databaseKinds)('statistics on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
    await keepLedgerPartitions(ports.db, clock);
  });
  afterAll(() => ports.close());
  beforeEach(async () => {
    await countAll();
    await ports.db.execute(sql`delete from statistics`);
  });

  const store = (most?: number) => statisticsStore(ports.db, clock, most);
  async function countAll(most?: number): Promise<number> {
    await settled(ports.db);
    for (let steps = 1; ; steps += 1) if ((await store(most).countEntries()) === 'done') return steps;
  }
  type Entry = readonly [machine: string, event: string, from: string, to: string, reason?: string];
  const write = ([machine, event, from, to, reason]: Entry, at = AN_HOUR_AGO, entries = 1) =>
    ports.db.execute(sql`
      insert into transitions (shard_key, at, machine, event, from_state, to_state, reason)
      select gen_random_uuid(), ${at}::timestamptz, ${machine}::text, ${event}::text, ${from}::text, ${to}::text, ${reason ?? null}::text
      from generate_series(1, ${entries}::int)`);
  const totals = async (period: Parameters<typeof readStatistics>[2] = '3h') => {
    const { buckets } = await readStatistics(ports.db, clock, period);
    return buckets.reduce<Record<string, number>>(
      (sums, { counts }) =>
        Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, (sums[name] ?? 0) + count])),
      {},
    );
  };

  test.each<readonly [string, Entry]>([
    ['sign_ins', ['signIn', 'password', 'attempted', 'accepted']],
    ['sign_ins', ['signIn', 'password', 'attempted', 'factorRequired']],
    ['failed_sign_ins', ['signIn', 'password', 'attempted', 'refused', 'credentials_mismatch']],
    ['new_users', ['user', 'registrationRequested', 'unregistered', 'enabled']],
    ['chains_started', ['authorizationCode', 'presented', 'active', 'used']],
    ['rotations', ['refreshToken', 'presented', 'active', 'used']],
    ['chains_ended', ['grant', 'revocationRequested', 'active', 'revoked', 'revocation_requested']],
    ['reuse_detections', ['refreshToken', 'presented', 'used', 'revoked', 'refresh_token_reused']],
    ['reuse_detections', ['authorizationCode', 'presented', 'used', 'revoked', 'authorization_code_reused']],
  ])('%s counts %j', async (series, entry) => {
    await write(entry, AN_HOUR_AGO, 3);
    await countAll();
    expect(await totals()).toEqual({ ...NONE, [series]: 3 });
  });

  test.each<readonly [string, Entry]>([
    ['a change of a user', ['user', 'registrationRequested', 'enabled', 'enabled']],
    ['a token that lost commits', ['refreshToken', 'presented', 'active', 'revoked', 'chain_behind_token']],
    ['the first steps of a client', ['client', 'registrationRequested', 'unregistered', 'registered']],
  ])('nothing counts %s', async (_, entry) => {
    await write(entry);
    await countAll();
    expect(await totals()).toEqual(NONE);
  });

  test('an entry counts once, in bounded steps, and in the bucket of its instant', async () => {
    const signIn: Entry = ['signIn', 'password', 'attempted', 'accepted'];
    for (let n = 0; n < 7; n += 1) await write(signIn);
    await write(signIn, '2031-05-10T12:34:00Z', 5);
    expect(await countAll(3)).toBeGreaterThan(2);
    await countAll();
    const { from, to, buckets } = await readStatistics(ports.db, clock, '3h');
    expect([from, to]).toEqual([new Date('2031-05-10T09:35:00Z'), new Date('2031-05-10T12:35:00Z')]);
    expect(buckets).toHaveLength(36);
    expect(
      buckets.flatMap(({ from, counts }) => (counts.sign_ins > 0 ? [[from.toISOString(), counts.sign_ins]] : [])),
    ).toEqual([
      ['2031-05-10T11:30:00.000Z', 7],
      ['2031-05-10T12:30:00.000Z', 5],
    ]);
  });

  test('longer periods have longer buckets, and the same sums', async () => {
    await write(['signIn', 'password', 'attempted', 'accepted'], AN_HOUR_AGO, 2);
    await write(['signIn', 'password', 'attempted', 'accepted'], '2031-05-08T00:00:00Z', 4);
    await countAll();
    expect((await totals('24h'))['sign_ins']).toBe(2);
    expect((await totals('7d'))['sign_ins']).toBe(6);
    expect((await totals('30d'))['sign_ins']).toBe(6);
    const { buckets } = await readStatistics(ports.db, clock, '7d');
    expect(buckets).toHaveLength(56);
  });

  test('entries that another Postgres has counted do not count again after a move of the tables', async () => {
    await write(['signIn', 'password', 'attempted', 'accepted'], AN_HOUR_AGO, 2);
    await countAll();
    await ports.db.execute(sql`update statistics_progress set counted_below = '99999999999'::xid8`);
    await write(['signIn', 'password', 'attempted', 'accepted'], '2031-05-10T12:34:57Z', 1);
    await countAll();
    await write(['signIn', 'password', 'attempted', 'accepted'], '2031-05-10T12:34:57Z', 4);
    await countAll();
    expect((await totals())['sign_ins']).toBe(2 + 4);
    await ports.db.execute(sql`update statistics_progress set since = '2000-01-01'`);
  });

  test('responses of nodes add up, and slow ones are in the last bucket', async () => {
    const durations = (index: number, count: number) => noDurations().map((_, n) => (n === index ? count : 0));
    const none = noDurations();
    await store().addRequests({
      durations: { token_endpoint: durations(3, 5), other_endpoints: none },
      serverErrors: 1,
    });
    await store().addRequests({
      durations: { token_endpoint: durations(3, 2), other_endpoints: durations(11, 1) },
      serverErrors: 0,
    });
    const { buckets } = await readStatistics(ports.db, clock, '3h');
    const last = buckets.at(-1);
    expect(last?.durations).toEqual({ token_endpoint: durations(3, 7), other_endpoints: durations(11, 1) });
    expect(last?.counts.server_errors).toBe(1);
  });

  test('a sample of the active chains is taken once for each bucket', async () => {
    expect((await readStatistics(ports.db, clock, '3h')).buckets.at(-1)?.activeChains).toBeNull();
    await store().sampleChains();
    const sampled = async () => (await readStatistics(ports.db, clock, '3h')).buckets.at(-1)?.activeChains;
    const before = await sampled();
    expect(before).toEqual(expect.any(Number));
    await givenGrant(ports);
    await store().sampleChains();
    expect(await sampled()).toBe(before);
  });
});
