/** An attacker with all rights on the database changes the ledger, with every trigger off: verification names the segment and the entry. */
import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { type SealVerifier, sealKeys, sealVerifier } from '../../../src/crypto/ledger-seal.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import type { Head } from '../../../src/ledger/newest.ts';
import { sealNext } from '../../../src/ledger/seal.ts';
import {
  closedMonths,
  digestOf,
  type Entry,
  entryOf,
  hashedMonths,
  readStatement,
  textOf,
} from '../../../src/ledger/segment.ts';
import { verifyStored } from '../../../src/ledger/verify-stored.ts';
import { keepLedgerPartitions } from '../../../src/storage/ledger-partitions.ts';
import { keepLedgerFor, sealAlone, sealStanding, storedLedger } from '../../../src/storage/ledger-seals.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { clockAt } from '../../support/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { lineNamed, sealAll, sealOnce, verified, writeLines } from '../../support/ledger.ts';
import { testKeys } from '../../support/macs.ts';
import { openAsRuntimeRole } from '../../support/runtime-role.ts';
import { until } from '../../support/until.ts';

let ports: TestDatabase<string>;
let head: Head;
beforeEach(async () => {
  ports = await openTestDatabase('postgres');
  await keepLedgerPartitions(ports.database.drizzle, databaseClock);
  // Three segments of two lines each.
  for (const reasons of [
    ['a', 'b'],
    ['c', 'd'],
    ['e', 'f'],
  ]) {
    await writeLines(ports.database.drizzle, reasons);
    const closed = await sealAll(ports.database.drizzle, { most: 2 });
    const { number, digest } = closed.at(-1) ?? head;
    head = { number, digest };
  }
  return () => ports.close();
});

const db = () => ports.database.drizzle;
const found = async (options = {}) => (await verified(db(), options)).problems;

/** Postgres has no way to stop its superuser. */
const tamper = (...statements: readonly string[]) =>
  db().transaction(async (transaction) => {
    await transaction.execute(sql`set local session_replication_role = replica`);
    for (const statement of statements) await transaction.execute(sql.raw(statement));
  });

const seals = async () =>
  Array.from(
    (await db().execute(
      sql`select number, statement, signature, line_index as index from ledger_seals order by number`,
    )) as unknown as Iterable<{ number: string; statement: string; signature: string; index: Buffer }>,
  );

test('an unchanged ledger has no finding', async () => {
  expect(await verified(db(), { head })).toMatchObject({ problems: [], segments: 3, lines: 6, open: 0, head });
  expect(head.number).toBe(3);
});

test.each([
  ['from', '18446744073709551616'],
  ['from', '-1'],
  ['below', 'x'],
  ['below', '999999999999999999999'],
  ['counted_again_below', '18446744073709551616'],
  ['from', 0],
])('an invented newest segment, with %s = %o, is named, and does not stop the sealing', async (member, value) => {
  const newest = JSON.parse((await seals()).at(-1)?.statement ?? '') as object;
  const statement = JSON.stringify({ ...newest, segment: 4, [member]: value });
  await db().execute(sql`insert into ledger_seals (number, sealed_at, statement, signature, line_index)
    values (4, now(), ${statement}, 'none', '')`);
  expect((await found()).filter(({ segment }) => segment === 4)).toEqual([{ problem: 'segment_changed', segment: 4 }]);
  expect(await sealStanding(db(), databaseClock, sealKeys(testKeys))).toMatchObject({ newest: 3 });
  await writeLines(db(), ['after']);
  expect(await sealAll(db())).toMatchObject([{ number: 5 }]);
  expect(await verified(db())).toMatchObject({ open: 0, problems: [{ problem: 'segment_changed', segment: 4 }] });
});

describe('an attacker who may add rows', () => {
  const refusals = async (statements: Readonly<Record<string, string>>) => {
    const role = await openAsRuntimeRole(ports.database, ports.url);
    const refused: Record<string, boolean> = {};
    for (const [what, statement] of Object.entries(statements)) {
      refused[what] = await role.database.drizzle.execute(sql.raw(statement)).then(
        () => false,
        () => true,
      );
    }
    await role.close();
    return refused;
  };
  const entry = (values: string) =>
    `insert into transitions (shard_key, machine, event, from_state, to_state, at, recorded_in, position) values (gen_random_uuid(), 'm', 'e', 'a', 'b', ${values})`;
  const NUMBERS = `'18446744073709551615'`;

  test('as the role of a server gives an entry neither another transaction nor another time', async () => {
    expect(
      await refusals({
        own: entry('now(), pg_current_xact_id(), 9223372036854775807'),
        'far ahead': entry(`now(), ${NUMBERS}, 1`),
        before: entry(`now(), '1', 1`),
        'another time': entry(`now() + interval '2 days', pg_current_xact_id(), 1`),
        infinity: entry(`'infinity', pg_current_xact_id(), 1`),
      }),
    ).toEqual({ own: false, 'far ahead': true, before: true, 'another time': true, infinity: true });
    // At any position, the entry is in a segment, and so is the next one.
    await writeLines(db(), ['after']);
    await sealAll(db());
    expect(await verified(db())).toMatchObject({ problems: [], open: 0, lines: 8 });
  });

  test('as the role of a server gives a seal the next number alone, and the current time', async () => {
    const seal = (number: string, at = 'now()') =>
      `insert into ledger_seals (number, sealed_at, statement, signature, line_index) values (${number}, ${at}, '{}', '', '')`;
    expect(
      await refusals({
        highest: seal('9223372036854775807'),
        exact: seal('9007199254740991'),
        hole: seal('5'),
        zero: seal('0'),
        negative: seal('-1'),
        'another time': seal('4', `'infinity'`),
        taken: seal('3'),
        next: seal('4'),
      }),
    ).toEqual({
      highest: true,
      exact: true,
      hole: true,
      zero: true,
      negative: true,
      'another time': true,
      taken: true,
      next: false,
    });
    await writeLines(db(), ['after']);
    expect(await sealAll(db())).toMatchObject([{ number: 5, lines: 1 }]);
    expect(await found()).toEqual([{ problem: 'segment_changed', segment: 4 }]);
  });

  test.each(['9223372036854775807', '9007199254740992', '9007199254740990', '1000', '-1'])(
    'with all rights, and adds a seal with the number %s, stops neither sealing nor verification',
    async (number) => {
      await tamper(
        `insert into ledger_seals (number, sealed_at, statement, signature, line_index)
          select ${number}, 'infinity', statement, signature, line_index from ledger_seals where number = 3`,
      );
      await writeLines(db(), ['after']);
      expect(await sealAll(db())).toMatchObject([{ number: 4, lines: 1 }]);
      await writeLines(db(), ['later']);
      expect(await sealAll(db())).toMatchObject([{ number: 5, lines: 1 }]);
      const problem =
        number === '1000' || number === '9007199254740990'
          ? { problem: 'segment_changed', segment: Number(number) }
          : { problem: 'number_refused', segment: null, number };
      expect(await verified(db(), { head })).toMatchObject({ problems: [problem], open: 0, head: { number: 5 } });
      expect(await sealStanding(db(), databaseClock, sealKeys(testKeys))).toMatchObject({ newest: 5 });
    },
  );

  test('with all rights, and adds an entry of a future transaction, is found', async () => {
    await tamper(entry(`now(), ${NUMBERS.replace('615', '000')}, 7`));
    expect(await found()).toEqual([
      { problem: 'line_ahead', segment: null, line: '18446744073709551000/7', month: MONTH },
    ]);
    await writeLines(db(), ['after']);
    expect(await sealOnce(db())).not.toBeUndefined();
  });
});

const MONTH = new Date().toISOString().slice(0, 7);

test('entries without a segment are reported, and closed by the next', async () => {
  await writeLines(db(), ['open']);
  expect(await verified(db())).toMatchObject({ problems: [], open: 1 });
  expect(await sealStanding(db(), databaseClock, sealKeys(testKeys))).toEqual({
    newest: 3,
    openSeconds: expect.any(Number),
  });
  await sealAll(db());
  expect(await verified(db())).toMatchObject({ problems: [], open: 0, segments: 4 });
});

describe('an entry of a closed segment', () => {
  const columns = [
    `reason = 'forged'`,
    `at = at + interval '1 microsecond'`,
    `client_id = null`,
    `generation = 9007199254740992`,
    `address = '192.0.2.1'`,
    `fields = '{}'`,
  ];
  test.each(columns)('is named after a change (%s)', async (set) => {
    const line = await lineNamed(db(), 'c');
    await tamper(`update transitions set ${set} where reason = 'c'`);
    expect(await found()).toEqual([{ problem: 'line_changed', segment: 2, line, month: MONTH }]);
  });

  test('is named after a change, whatever functions shadow those of Postgres', async () => {
    const line = await lineNamed(db(), 'c');
    await tamper(
      `create table kept_texts as select recorded_in, position, to_jsonb(t) as text from transitions t`,
      `create function public.to_jsonb(line transitions) returns jsonb language sql stable as
        $$ select text from kept_texts k where k.recorded_in = line.recorded_in and k.position = line.position $$`,
      `update transitions set reason = 'forged' where reason = 'c'`,
    );
    expect(await found()).toEqual([{ problem: 'line_changed', segment: 2, line, month: MONTH }]);
  });

  test('with an instant that no server writes is in a segment as any other', async () => {
    await db().execute(sql`insert into transitions (shard_key, at, machine, event, from_state, to_state)
      values (gen_random_uuid(), 'infinity', 'refreshToken', 'presented', 'active', 'used')`);
    await sealAll(db());
    await writeLines(db(), ['after']);
    await sealAll(db());
    expect(await verified(db())).toMatchObject({ problems: [], segments: 5, open: 0 });
  });

  test('is named after a removal', async () => {
    const line = await lineNamed(db(), 'd');
    await tamper(`delete from transitions where reason = 'd'`);
    expect(await found()).toEqual([{ problem: 'line_removed', segment: 2, line, month: MONTH }]);
  });

  test('is named after an addition, also in another month', async () => {
    const add = (at: string, position: number) =>
      `insert into transitions (shard_key, at, machine, event, from_state, to_state, reason, recorded_in, position)
        select gen_random_uuid(), ${at}, machine, event, from_state, to_state, 'added', recorded_in, ${position} from transitions where reason = 'a'`;
    await tamper(add('at', 900_001), add(`'2001-02-03Z'`, 900_002));
    const transaction = (await lineNamed(db(), 'a')).split('/')[0];
    expect(await found()).toEqual([
      { problem: 'line_added', segment: 1, line: `${transaction}/900001`, month: MONTH },
      { problem: 'line_added', segment: 1, line: `${transaction}/900002`, month: '2001-02' },
    ]);
  });

  test('is missing in one segment and added in the other after a move', async () => {
    const line = await lineNamed(db(), 'a');
    const to = (await lineNamed(db(), 'c')).split('/')[0];
    await tamper(`update transitions set recorded_in = '${to}' where reason = 'a'`);
    expect(await found()).toEqual([
      { problem: 'line_removed', segment: 1, line, month: MONTH },
      { problem: 'line_added', segment: 2, line: `${to}/${line.split('/')[1]}`, month: MONTH },
    ]);
  });

  test('is named after a duplication, or an exchange with another', async () => {
    await tamper(`insert into transitions select * from transitions where reason = 'b'`);
    expect(await found()).toEqual([
      { problem: 'line_added', segment: 1, line: await lineNamed(db(), 'b'), month: MONTH },
    ]);
    await tamper(
      `update transitions set position = -1 where reason = 'e'`,
      `update transitions set position = (select position from transitions where reason = 'e') where false`,
    );
    expect(await found()).toContainEqual(expect.objectContaining({ problem: 'line_removed', segment: 3 }));
  });

  test('is found, if not named, where the index was changed as well', async () => {
    await tamper(
      `update transitions set reason = 'forged' where reason = 'c'`,
      `update ledger_seals set line_index = set_byte(line_index, 20, get_byte(line_index, 20) # 1) where number = 2`,
    );
    expect(await found()).toEqual([{ problem: 'lines_differ', segment: 2, month: MONTH }]);
  });

  test('is missed with all others of a month within the retention', async () => {
    await tamper(`delete from transitions where reason in ('c', 'd')`);
    expect(await found()).toEqual([{ problem: 'month_removed', segment: 2, month: MONTH, lines: 2 }]);
    await tamper(`drop table transitions_${MONTH.replace('-', '_')}`);
    expect(await found()).toHaveLength(3);
  });
});

describe('a segment', () => {
  test('with a changed index alone is named', async () => {
    await tamper(
      `update ledger_seals set line_index = set_byte(line_index, 20, get_byte(line_index, 20) # 1) where number = 2`,
    );
    expect(await found()).toEqual([{ problem: 'index_changed', segment: 2, month: MONTH }]);
    await tamper(`update ledger_seals set line_index = line_index || '\\x00' where number = 1`);
    expect(await found()).toContainEqual({ problem: 'index_changed', segment: 1, month: MONTH });
  });

  test.each([
    `statement = replace(statement, '"kept_days":90', '"kept_days":1')`,
    `statement = statement || ' '`,
    `statement = 'none'`,
    `signature = 'none'`,
    `number = 20`,
  ])('is named after a change (%s)', async (set) => {
    await tamper(`update ledger_seals set ${set} where number = 2`);
    const problems = await found();
    const number = set.startsWith('number') ? 20 : 2;
    expect(problems).toContainEqual(expect.objectContaining({ problem: 'segment_changed', segment: number }));
  });

  test('is named after a removal', async () => {
    await tamper(`delete from ledger_seals where number = 2`);
    expect(await found()).toEqual([{ problem: 'segment_removed', segment: 2 }]);
    await tamper(`delete from ledger_seals where number = 1`);
    expect(await found()).toEqual([
      { problem: 'line_added', segment: null, line: await lineNamed(db(), 'a'), month: MONTH },
      { problem: 'line_added', segment: null, line: await lineNamed(db(), 'b'), month: MONTH },
      { problem: 'line_added', segment: null, line: await lineNamed(db(), 'c'), month: MONTH },
      { problem: 'line_added', segment: null, line: await lineNamed(db(), 'd'), month: MONTH },
      { problem: 'segment_removed', segment: 1 },
      { problem: 'segment_removed', segment: 2 },
    ]);
  });

  test('is missed as the newest by a verifier with its seal', async () => {
    await tamper(`delete from ledger_seals where number = 3`);
    expect(await verified(db())).toMatchObject({ problems: [], segments: 2, open: 2 });
    expect(await found({ head })).toEqual([{ problem: 'segment_removed', segment: 3 }]);
    await sealAll(db());
    expect(await found({ head })).toEqual([{ problem: 'head_differs', segment: 3 }]);
  });

  test('is named when an older version of it was restored', async () => {
    const [, second] = await seals();
    await tamper(`delete from ledger_seals where number > 1`);
    await writeLines(db(), ['other']);
    await sealAll(db());
    await writeLines(db(), ['later']);
    await sealAll(db());
    expect(await found()).toEqual([]);
    await db().execute(
      sql`update ledger_seals set statement = ${second?.statement}, signature = ${second?.signature}, line_index = ${second?.index} where number = 2`,
    );
    // Both are signed, and both have their entries.
    expect(await found()).toEqual([{ problem: 'segment_before_changed', segment: 3 }]);
  });
});

/** Everything that can be computed without the root secret: hashes, index, statement, chain; signed with a key of their own. */
test('an attacker who computes all hashes again, and signs with a key of their own, is found in every segment', async () => {
  await tamper(`update transitions set reason = 'forged' where reason = 'c'`);
  const stored = await seals();
  const own = sealKeys(rootKeys(['a secret of another server, with 32 bytes and more']));
  let previous: string | null = null;
  for (const { number, statement } of stored.slice(1)) {
    const said = readStatement({ statement });
    if (said === null) throw new Error('no statement');
    const entries: Entry[] = [];
    for await (const lines of storedLedger(db(), databaseClock).lines(said)) entries.push(...lines.map(entryOf));
    const { months, index } = closedMonths(hashedMonths(entries));
    const chained: typeof said.previous =
      said.previous && previous ? { ...said.previous, digest: previous } : said.previous;
    // Under their own key, and under the name of ours.
    const forged: string = textOf({
      ...said,
      previous: chained,
      months: [...months],
      key: number === '3' ? own.kid : said.key,
      public_key: own.publicKey,
    });
    const signed = own.sign(forged);
    previous = createHash('sha256').update(`${forged}\n${signed}`).digest('hex');
    await db().execute(
      sql`update ledger_seals set statement = ${forged}, signature = ${signed}, line_index = ${index} where number = ${number}::bigint`,
    );
  }
  expect(await found()).toEqual([
    { problem: 'segment_changed', segment: 2 },
    { problem: 'key_unknown', segment: 3, key: own.kid, public_key: own.publicKey },
  ]);
  // A node continues from the newest authentic one, so the hidden entries are sealed as they are now.
  await writeLines(db(), ['later']);
  expect((await sealAll(db())).map(({ number, lines }) => [number, lines])).toEqual([[4, 5]]);
  expect(await found()).toEqual([
    { problem: 'segment_changed', segment: 2 },
    { problem: 'key_unknown', segment: 3, key: own.kid, public_key: own.publicKey },
  ]);
});

describe('columns that a later version adds', () => {
  test('change nothing about earlier entries, and are part of later ones', async () => {
    await db().execute(sql`alter table transitions add column later text`);
    expect(await found()).toEqual([]);
    await writeLines(db(), ['with it']);
    await tamper(`update transitions set later = 'said' where reason = 'with it'`);
    await sealAll(db());
    expect(await found()).toEqual([]);
    await tamper(`update transitions set later = 'forged' where reason = 'with it'`);
    expect(await found()).toMatchObject([{ problem: 'line_changed', segment: 4 }]);
  });
});

describe('root secrets', () => {
  const OLD = 'a root secret for tests, of more than 32 bytes';
  const NEW = 'another root secret for tests, of more than 32 bytes';
  const lists = { both: rootKeys([OLD, NEW]), moved: rootKeys([NEW, OLD]), alone: rootKeys([NEW]) };

  test('are rotated through a list: with any signer meanwhile, every seal is valid under the new one alone', async () => {
    for (const [n, keys] of [lists.both, lists.moved, lists.both, lists.moved].entries()) {
      await writeLines(db(), [`while ${n}`]);
      expect((await sealAll(db(), { keys })).map(({ lines }) => lines)).toEqual([1]);
    }
    for (const keys of Object.values(lists)) expect(await found({ keys })).toEqual([]);
    await writeLines(db(), ['afterwards']);
    expect(await sealAll(db(), { keys: lists.alone })).toMatchObject([{ lines: 1 }]);
    expect(await found({ keys: lists.alone })).toEqual([]);
    // A changed entry under the new one is found as well.
    await tamper(`update ledger_seals set statement = statement || ' ' where number = 1`);
    expect(await found({ keys: lists.alone })).toMatchObject([{ segment: 1 }]);
  });

  test('are replaced immediately: new seals are valid, and earlier ones need the old key', async () => {
    await writeLines(db(), ['after']);
    // No seal is authentic under the new one alone, so all lines are sealed once more.
    expect(await sealAll(db(), { keys: lists.alone })).toMatchObject([{ number: 4, lines: 7 }]);
    const unknown = await found({ keys: lists.alone });
    expect(unknown.map(({ problem, segment }) => [problem, segment])).toEqual([
      ['key_unknown', 1],
      ['key_unknown', 2],
      ['key_unknown', 3],
    ]);
    expect(await found({ keys: lists.moved })).toEqual([]);
  });

  const [ours, others] = [sealKeys(testKeys), sealKeys(lists.alone)];
  const foundBy = async (keys: SealVerifier) =>
    (await verifyStored(storedLedger(db(), databaseClock), keys, null)).problems;
  const unknownBy = (problems: Awaited<ReturnType<typeof found>>) =>
    problems.map(({ problem, segment, ...more }) => [problem, segment, 'public_key' in more ? more.public_key : null]);

  test('that are unknown: verification names the stored public key, and trusts it by its thumbprint alone', async () => {
    expect(unknownBy(await foundBy(others))).toEqual([1, 2, 3].map((n) => ['key_unknown', n, ours.publicKey]));
    expect(await foundBy(sealVerifier([], [ours.kid]))).toEqual([]);
    expect(await foundBy(sealVerifier(others.published, [ours.kid]))).toEqual([]);
    expect(unknownBy(await foundBy(sealVerifier([], [others.kid])))).toHaveLength(3);
    // A change is one under any key: the stored public key did not sign it.
    await tamper(
      `update ledger_seals set statement = replace(statement, '"kept_days":90', '"kept_days":91') where number = 3`,
    );
    expect((await foundBy(others)).map(({ problem, segment }) => [problem, segment])).toEqual([
      ['key_unknown', 1],
      ['key_unknown', 2],
      ['segment_changed', 3],
    ]);
  });

  test('of earlier versions signed without a stored public key: only the key itself verifies them', async () => {
    const [, , third] = await seals();
    const { public_key: _, ...before } = JSON.parse(third?.statement ?? '') as { public_key?: string };
    const statement = JSON.stringify(before);
    await tamper(
      `update ledger_seals set statement = '${statement}', signature = '${ours.sign(statement)}' where number = 3`,
    );
    expect(await found()).toEqual([]);
    expect(unknownBy(await foundBy(sealVerifier([], [ours.kid])))).toEqual([['key_unknown', 3, null]]);
  });

  test.each([
    ['their key, and ours beside it', { key: others.kid, public_key: ours.publicKey }],
    ['our thumbprint, and their key beside it', { key: ours.kid, public_key: others.publicKey }],
    ['our thumbprint, and our key beside it', { key: ours.kid, public_key: ours.publicKey }],
    ['a text that is no key', { key: ours.kid, public_key: 'none' }],
  ])('of another server, with the name %s, make no authentic seal', async (_, names) => {
    const [, , third] = await seals();
    const statement = JSON.stringify({ ...(JSON.parse(third?.statement ?? '') as object), ...names });
    await tamper(
      `update ledger_seals set statement = '${statement}', signature = '${others.sign(statement)}' where number = 3`,
    );
    for (const keys of [ours, sealVerifier([], [ours.kid])]) {
      expect(await foundBy(keys)).toContainEqual({ problem: 'segment_changed', segment: 3 });
    }
  });
});

describe('retention', () => {
  const monthsLater = (months: number) => {
    const now = new Date();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 2));
  };

  test('removes whole months and their segments, and verification accepts that', async () => {
    const later = clockAt(monthsLater(5));
    await keepLedgerPartitions(db(), later);
    // The newest segment stays: the next is chained to it.
    expect(await verified(db(), { clock: later })).toMatchObject({
      problems: [],
      segments: 1,
      lines: 0,
      removedByRetention: 2,
    });
    // By the current clock it is too early: an attacker dropped them.
    expect(await found()).toEqual([
      { problem: 'segment_removed', segment: 1 },
      { problem: 'segment_removed', segment: 2 },
      { problem: 'month_removed', segment: 3, month: MONTH, lines: 2 },
    ]);
    await writeLines(db(), ['g'], monthsLater(5));
    await sealAll(db(), { clock: later });
    await keepLedgerPartitions(db(), later);
    expect(await verified(db(), { clock: later })).toMatchObject({ problems: [], first: 4, lines: 1 });
  });

  test('that is extended does not require entries that were removed before', async () => {
    const later = clockAt(monthsLater(5));
    await writeLines(db(), ['g'], monthsLater(5));
    await sealAll(db(), { clock: later });
    await keepLedgerPartitions(db(), later);
    await writeLines(db(), ['h'], monthsLater(5));
    await sealAll(db(), { clock: later, keptDays: 3650 });
    expect(await verified(db(), { clock: later })).toMatchObject({ problems: [] });
  });

  test('is set by the owner: entries are dropped by it, and the role of a server cannot change it', async () => {
    expect(await keepLedgerFor(db(), 365)).toBe(365);
    await keepLedgerPartitions(db(), clockAt(monthsLater(5)));
    expect(await found()).toEqual([]);
    const role = await openAsRuntimeRole(ports.database, ports.url);
    try {
      expect(await keepLedgerFor(role.database.drizzle, 30)).toBe(365);
      for (const statement of [
        'update ledger_retention set kept_days = 1',
        'delete from ledger_seals',
        `update ledger_seals set signature = ''`,
        'truncate ledger_seals',
      ]) {
        await expect(role.database.drizzle.execute(sql.raw(statement)), statement).rejects.toThrow();
      }
      await writeLines(role.database.drizzle, ['by the server']);
      expect(await sealAll(role.database.drizzle)).toMatchObject([{ lines: 1 }]);
    } finally {
      await role.close();
    }
    expect(await keepLedgerFor(db(), 30)).toBe(30);
    await keepLedgerPartitions(db(), clockAt(monthsLater(3)));
    expect(await verified(db(), { clock: clockAt(monthsLater(3)) })).toMatchObject({ segments: 1, lines: 0 });
  });
});

test('a segment ends before the oldest transaction in progress', async () => {
  await writeLines(db(), ['before']);
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const slow = db().transaction(async (transaction) => {
    await transaction.execute(
      sql`insert into transitions (shard_key, at, machine, event, from_state, to_state, reason) values (gen_random_uuid(), now(), 'm', 'e', 'a', 'b', 'slow')`,
    );
    begun.resolve();
    await end.promise;
  });
  await begun.promise;
  await writeLines(db(), ['after']);
  await until(async () => {
    await sealOnce(db());
    return (await verified(db())).lines >= 7;
  });
  expect(await verified(db())).toMatchObject({ problems: [], lines: 7, open: 1 });
  end.resolve();
  await slow;
  await sealAll(db());
  expect(await verified(db())).toMatchObject({ problems: [], lines: 9, open: 0 });
});

test('a transaction with more lines than a segment is divided, and each segment has its bound', async () => {
  await db().execute(sql`insert into transitions (shard_key, at, machine, event, from_state, to_state)
    select gen_random_uuid(), now(), 'm', 'e', 'a', 'b' from generate_series(1, 5000)`);
  await writeLines(db(), ['g']);
  const closed = await sealAll(db(), { most: 2000 });
  expect(closed.map(({ lines }) => lines)).toEqual([2000, 2000, 1001]);
  expect(await verified(db())).toMatchObject({ problems: [], open: 0, lines: 6 + 5001 });
  await tamper(
    `delete from transitions where ctid = (select ctid from transitions where machine = 'm' order by position offset 2500 limit 1)`,
  );
  expect(await found()).toMatchObject([{ problem: 'line_removed', segment: 5 }]);
});

test('unordered entries are sealed in bounded segments, also those of one instant', async () => {
  const other = await openTestDatabase('postgres');
  try {
    // 3000 of one instant, and each of the others of its own.
    await other.database.drizzle.transaction(async (transaction) => {
      await transaction.execute(sql`set local session_replication_role = replica`);
      await transaction.execute(sql`insert into transitions (shard_key, at, machine, event, from_state, to_state, recorded_in, position)
        select gen_random_uuid(), now() - greatest(n - 3000, 0) * interval '1 microsecond', 'm', 'e', 'a', n::text, '0', 0 from generate_series(1, 4500) n`);
    });
    await writeLines(other.database.drizzle, ['a']);
    expect((await sealAll(other.database.drizzle, { most: 1000 })).map(({ lines }) => lines)).toEqual([
      1000, 500, 1000, 1000, 1000, 1,
    ]);
    expect(await verified(other.database.drizzle)).toMatchObject({ problems: [], lines: 4501, open: 0 });
    await other.database.drizzle.transaction(async (transaction) => {
      await transaction.execute(sql`set local session_replication_role = replica`);
      await transaction.execute(sql`update transitions set to_state = 'forged' where to_state = '77'`);
    });
    // Among lines that share a place, a changed one has another hash, and so may be missed in one segment and found in another.
    const problems = (await verified(other.database.drizzle)).problems.map(({ problem }) => problem);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.filter((problem) => !problem.startsWith('line_'))).toEqual([]);
  } finally {
    await other.close();
  }
});

test('a ledger in another Postgres, which counts transactions from the start, stays valid', async () => {
  // As after a dump: the entries and seals that were written there have numbers that are far ahead here.
  const ahead = 1_000_000_000_000n;
  const other = await openTestDatabase('postgres');
  const there = other.database.drizzle;
  try {
    const restored = (statement: ReturnType<typeof sql>) =>
      there.transaction(async (transaction) => {
        await transaction.execute(sql`set local session_replication_role = replica`);
        await transaction.execute(statement);
      });
    await restored(sql`insert into transitions (shard_key, at, machine, event, from_state, to_state, reason, recorded_in)
      select gen_random_uuid(), now(), 'm', 'e', 'a', 'b', 'there ' || n, ((${ahead}::bigint + n)::text)::xid8 from generate_series(1, 5) n`);
    // And one with a number that is used here as well.
    await restored(sql`insert into transitions (shard_key, at, machine, event, from_state, to_state, reason, recorded_in)
      values (gen_random_uuid(), now(), 'm', 'e', 'a', 'b', 'shared', '500')`);
    const there3 = String(ahead + 4n);
    const alone = sealAlone(there, databaseClock);
    await until(
      async () =>
        (await sealNext({
          alone: (work) =>
            alone(async (store) => {
              const nodes = [{ settledBelow: there3, begunBelow: String(ahead + 9n) }];
              const standing = { ...(await store.standing()), nodes };
              return work({ ...store, standing: async () => standing });
            }),
          keys: sealKeys(testKeys),
          keptDays: () => 90,
        })) !== null,
    );
    expect(await verified(there)).toMatchObject({ problems: [], lines: 4, open: 2 });

    await writeLines(there, ['here']);
    await until(async () => (await sealOnce(there)) !== null);
    await writeLines(there, ['here too']);
    await until(async () => (await sealOnce(there)) !== null);
    expect(await verified(there)).toMatchObject({ problems: [], segments: 3 });
    const found = async () => (await verified(there)).problems;
    await there.transaction(async (transaction) => {
      await transaction.execute(sql`set local session_replication_role = replica`);
      await transaction.execute(sql`update transitions set event = 'forged' where reason in ('shared', 'here')`);
    });
    expect((await found()).map(({ problem, segment }) => [problem, segment])).toEqual([
      ['line_changed', 1],
      ['line_changed', 2],
    ]);
  } finally {
    await other.close();
  }
});

test('the statement of a segment is the input of its chain', async () => {
  const [first, second] = await seals();
  if (!first || !second) throw new Error('no segments');
  expect(readStatement(second)?.previous?.digest).toBe(digestOf(first));
});
