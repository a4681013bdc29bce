/** The ledger as a feed: each line once, whatever the month, and however late its transaction commits. */
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { armsTakenWithin } from '../../../src/storage/arm-counts.ts';
import {
  type LedgerFilter,
  type LedgerOrder,
  type LedgerPosition,
  type ListedLine,
  MAX_LINES_READ,
} from '../../../src/storage/ledger-filter.ts';
import { listLedger } from '../../../src/storage/ledger-list.ts';
import { keepLedgerPartitions } from '../../../src/storage/ledger-partitions.ts';
import { disableUser } from '../../support/administration.ts';
import { clockAt } from '../../support/clock.ts';
import { databaseKinds } from '../../support/database.ts';
import { settled } from '../../support/ledger.ts';
import {
  givenGrant,
  givenSession,
  loadGrant,
  moveHead,
  nextMove,
  openPorts,
  type Ports,
  reuseOf,
  revoke,
} from './ports.ts';

describe.each(databaseKinds)('the feed of the ledger on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  async function page(filter: LedgerFilter, order: LedgerOrder, after: LedgerPosition | null = null, limit = 100) {
    // Reading forward waits for older transactions, also for those of other tests on the same server.
    if (order === 'asc') await settled(ports.db);
    return listLedger(ports.db, filter, { order, limit, after });
  }
  async function walk(filter: LedgerFilter, order: LedgerOrder, limit = 3): Promise<ListedLine[]> {
    const lines: ListedLine[] = [];
    let after: LedgerPosition | null = null;
    for (;;) {
      const read = await page(filter, order, after, limit);
      lines.push(...read.items);
      if (read.caughtUp) return lines;
      after = read.next;
    }
  }
  /** A line about a client of this name. */
  const write = (clientId: string, at: string, lines = 1) =>
    ports.db.execute(sql`
      insert into transitions (shard_key, at, machine, event, from_state, to_state, client_id, reason)
      select gen_random_uuid(), ${at}::timestamptz, 'client', 'written', 'a', 'b', ${clientId}::text, n::text
      from generate_series(1, ${lines}::int) n`);
  const reasons = (lines: readonly ListedLine[]) => lines.map(({ reason }) => Number(reason));
  const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

  test('goes both ways, with each entry once, across months that were created in any order', async () => {
    const clientId = randomUUID();
    await keepLedgerPartitions(ports.db, clockAt(new Date('2031-05-10')));
    for (const [place, at] of ['2031-06-30', '2031-05-31', '2031-07-01', '2039-01-01', '2031-06-01'].entries()) {
      await ports.db.execute(sql`
        insert into transitions (shard_key, at, machine, event, from_state, to_state, client_id, reason)
        values (gen_random_uuid(), ${at}::timestamptz, 'client', 'written', 'a', 'b', ${clientId}::text, ${String(place + 1)}::text)`);
    }
    expect(reasons(await walk({ clientId }, 'asc', 2))).toEqual(upTo(5));
    expect(reasons(await walk({ clientId }, 'desc', 2))).toEqual(upTo(5).toReversed());
  });

  test('keeps a backward walk stable beside new entries; a forward walk reaches them', async () => {
    const clientId = randomUUID();
    await write(clientId, '2031-05-11', 4);
    const [newest, oldest] = [await page({ clientId }, 'desc', null, 2), await page({ clientId }, 'asc', null, 4)];
    expect([oldest.next, oldest.caughtUp]).toEqual([expect.anything(), true]);
    await write(clientId, '2031-05-11', 2);
    expect(reasons((await page({ clientId }, 'desc', newest.next)).items)).toEqual([2, 1]);
    const later = await page({ clientId }, 'asc', oldest.next);
    expect(reasons(later.items)).toEqual([1, 2]);
    expect(later.caughtUp).toBe(true);
    const idle = await page({ clientId }, 'asc', later.next);
    expect(idle.items).toEqual([]);
    await write(clientId, '2031-05-11', 1);
    expect(reasons((await page({ clientId }, 'asc', idle.next)).items)).toEqual([1]);
  });

  test('has unordered entries first, by their instant', async () => {
    const clientId = randomUUID();
    const older = (at: string, reason: number) =>
      ports.db.transaction(async (transaction) => {
        // The triggers give every new entry the number of its transaction.
        await transaction.execute(sql`set local session_replication_role = replica`);
        await transaction.execute(sql`
        insert into transitions (shard_key, at, machine, event, from_state, to_state, client_id, reason, recorded_in, position)
        values (gen_random_uuid(), ${at}::timestamptz, 'client', 'written', 'a', 'b', ${clientId}::text, ${String(reason)}::text, '0'::xid8, 0)`);
      });
    await write(clientId, '2031-05-10', 1);
    for (const [at, reason] of [
      ['2031-06-02', 4],
      ['2031-05-02', 1],
      ['2031-05-02T00:00:00.000001Z', 3],
      ['2031-05-02', 2],
    ] as const) {
      await older(at, reason);
    }
    const forth = reasons(await walk({ clientId }, 'asc', 1));
    expect(forth).toEqual([1, 2, 3, 4, 1]);
    expect(reasons(await walk({ clientId }, 'desc', 1))).toEqual(forth.toReversed());
    expect(reasons(await walk({ clientId }, 'desc', 3))).toEqual(forth.toReversed());
  });

  test('is limited by instants: from is inclusive, to is not', async () => {
    const clientId = randomUUID();
    for (const [reason, at] of ['2031-05-12T00:00Z', '2031-05-12T01:00Z', '2031-05-12T02:00Z'].entries()) {
      await write(clientId, at, reason + 1);
    }
    const [from, to] = [new Date('2031-05-12T01:00Z'), new Date('2031-05-12T02:00Z')];
    expect(reasons(await walk({ clientId, from, to }, 'asc'))).toEqual([1, 2]);
    expect(reasons(await walk({ clientId, from }, 'desc'))).toEqual([3, 2, 1, 2, 1]);
    expect(reasons(await walk({ clientId, to }, 'asc'))).toEqual([1, 1, 2]);
  });

  test('has short pages where few of many entries match', async () => {
    const [wanted, other] = [randomUUID(), randomUUID()];
    await write(wanted, '2031-05-13');
    await write(other, '2031-05-13', MAX_LINES_READ + 10);
    const first = await page({ clientId: wanted }, 'desc');
    expect(first).toMatchObject({ items: [], caughtUp: false, next: expect.anything() });
    const second = await page({ clientId: wanted }, 'desc', first.next);
    expect(second.items).toMatchObject([{ clientId: wanted }]);
  });

  test('of an end-user: entries about them, their grants and their sessions; and by each of these alone', async () => {
    const granted = await givenGrant(ports);
    await givenGrant(ports);
    const { person, grantId, clientId } = granted;
    await moveHead(ports, nextMove(ports, await loadGrant(ports, granted)));
    await revoke(ports, reuseOf(ports, await loadGrant(ports, granted)));
    const session = await givenSession(ports, person);
    await ports.sessions.commit({
      kind: 'end',
      loaded: session,
      now: ports.clock.now(),
      reason: 'signed_out',
      entry: {
        machine: 'session',
        event: 'signOutRequested',
        from: 'active',
        to: 'ended',
        reason: 'signed_out',
        generation: null,
        sessionId: session.sid,
      },
    });
    await disableUser(ports.db, person.username);
    const words = (lines: readonly ListedLine[]) => lines.map(({ machine, toState }) => `${machine} ${toState}`);
    const life = ['interaction approved', 'authorizationCode used', 'refreshToken revoked', 'grant revoked'];
    expect(words(await walk({ grantId }, 'asc'))).toEqual(life);
    const ofPerson = words(await walk({ userId: person.id }, 'asc'));
    expect(ofPerson).toEqual(['user enabled', ...life, 'session ended', 'user disabled']);
    expect(words(await walk({ sessionId: session.sid }, 'desc'))).toEqual(['session ended']);
    expect(words(await walk({ clientId, reason: 'refresh_token_reused' }, 'asc'))).toEqual(life.slice(2));
    expect(words(await walk({ clientId, machine: 'grant' }, 'desc'))).toEqual(['grant revoked']);
    expect(words(await walk({ clientId, event: 'presented', fromState: 'active', toState: 'used' }, 'desc'))).toEqual([
      'authorizationCode used',
    ]);
  });

  test('counts recent arms', async () => {
    ports.clock.set(new Date('2032-03-01T00:10:00Z'));
    await write(randomUUID(), '2032-03-01T00:04:59.999Z', 1);
    const events = async () => (await armsTakenWithin(ports.db, ports.clock, 300)).arms;
    expect(await events()).toEqual([]);
    await write(randomUUID(), '2032-03-01T00:05:00Z', 2);
    await write(randomUUID(), '2032-03-01T00:09:00Z', 1);
    expect(await armsTakenWithin(ports.db, ports.clock, 300)).toEqual({
      arms: [
        { machine: 'client', event: 'written', from: 'a', to: 'b', reason: '1', times: 2 },
        { machine: 'client', event: 'written', from: 'a', to: 'b', reason: '2', times: 1 },
      ],
      exact: true,
    });
  });
});

if (databaseKinds.includes('postgres'))
  describe('during other transactions', () => {
    let ports: Ports;
    let others: postgres.Sql;
    beforeAll(async () => {
      ports = await openPorts('postgres');
      others = postgres(ports.url ?? '', { max: 3, onnotice: () => {} });
    });
    afterAll(async () => {
      await others.end();
      await ports.close();
    });

    test('an entry that is committed late is read in its place, and no later entry before it', async () => {
      const clientId = randomUUID();
      const insert = (db: postgres.Sql | postgres.TransactionSql, reason: string) =>
        db`insert into transitions (shard_key, at, machine, event, from_state, to_state, client_id, reason)
        values (gen_random_uuid(), now(), 'client', 'written', 'a', 'b', ${clientId}, ${reason})`;
      const read = async (order: LedgerOrder, after: LedgerPosition | null) => {
        const found = await listLedger(ports.db, { clientId }, { order, limit: 100, after });
        return { ...found, reasons: found.items.map(({ reason }) => reason) };
      };
      await insert(others, 'first');
      await settled(ports.db);
      const begun = await read('asc', null);
      expect(begun.reasons).toEqual(['first']);
      let commit = () => {};
      const held = new Promise<void>((resolve) => {
        commit = resolve;
      });
      let written = () => {};
      const isWritten = new Promise<void>((resolve) => {
        written = resolve;
      });
      const late = others.begin(async (transaction) => {
        await insert(transaction, 'late');
        written();
        await held;
      });
      try {
        await isWritten;
        await insert(others, 'quick');
        expect((await read('desc', null)).reasons).toEqual(['quick', 'first']);
        expect(await read('asc', begun.next)).toMatchObject({ reasons: [], next: begun.next });
      } finally {
        commit();
        await late;
      }
      await settled(ports.db);
      expect((await read('asc', begun.next)).reasons).toEqual(['late', 'quick']);
    });
  });
