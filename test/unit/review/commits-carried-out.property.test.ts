/**
 * The model executes commits in memory (src/review/proof/carry-out.ts), the server as statements (src/storage/commit.ts). Both do the
 * same with the same random commits, row for row.
 */
import { randomUUID } from 'node:crypto';
import { count, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Commit, Insert, Requirement, Selection, Update, Write } from '../../../src/engine/commit.ts';
import { NO_PASSWORD } from '../../../src/model/user.ts';
import { carryOut, type Tables } from '../../../src/review/proof/carry-out.ts';
import { commitStore } from '../../../src/storage/commit.ts';
import { linkedIdentities, secondFactors, transitions } from '../../../src/storage/schema.ts';
import { insertUser } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import { openPorts, type Ports } from '../storage/ports.ts';

const NOW = new Date('2030-01-01T00:00:00.000Z');
const INSTANTS = [NOW, new Date(NOW.getTime() + 1), new Date(NOW.getTime() + 2)];
const STEPS = [null, 1, 2];
const IDS = [randomUUID(), randomUUID(), randomUUID()];
const NEW_IDS = [...IDS, randomUUID(), randomUUID()];
const USERS = [randomUUID(), randomUUID()];

const one = <T>(values: readonly T[]) => fc.constantFrom(...values);

/** Of an app whose step may be another now. */
const updates: fc.Arbitrary<Update> = fc
  .record({
    id: one(IDS),
    lastStep: one(STEPS),
    createdAt: one(INSTANTS),
    expect: fc.subarray(['lastStep', 'createdAt']),
    to: one(STEPS),
  })
  .map(({ id, lastStep, createdAt, expect, to }) => ({
    kind: 'update',
    table: 'secondFactors',
    loaded: { id, lastStep, createdAt },
    key: ['id'],
    expect,
    set: { lastStep: to },
    unlike: [],
  }));

/** Of an identity whose id, or whose account at the provider, may be another's now. */
const inserts: fc.Arbitrary<Insert> = fc
  .record({ id: one(NEW_IDS), userId: one(USERS), subject: one(['ada', 'bob']) })
  .map(({ id, userId, subject }) => ({
    kind: 'insert',
    table: 'linkedIdentities',
    row: {
      id,
      userId,
      issuer: 'https://login.example',
      subject,
      provider: 'company',
      linkedAt: NOW,
      state: 'active',
      removedAt: null,
      removedReason: null,
    },
    unlike: [{ id }, { issuer: 'https://login.example', subject, state: 'active' }],
  }));

const selections: fc.Arbitrary<Selection> = fc.oneof(
  fc.record({
    table: fc.constant('secondFactors'),
    where: fc.oneof(fc.record({ userId: one(USERS) }), fc.record({ lastStep: one(STEPS) })),
    not: fc.oneof(fc.record({ id: one(IDS) }), fc.constant({})),
    later: fc.oneof(fc.record({ createdAt: one(INSTANTS) }), fc.constant({})),
  }),
  fc.record({
    table: fc.constant('linkedIdentities'),
    where: fc.record({ userId: one(USERS), subject: one(['ada', 'bob']) }),
  }),
);

const requirements: fc.Arbitrary<Requirement> = fc.oneof(
  fc.record({
    that: fc.constant('some or none'),
    rows: fc.array(selections, { minLength: 1, maxLength: 2 }),
    are: one(['some', 'none'] as const),
  }),
  fc.record({
    that: fc.constant('locked'),
    rows: fc.array(selections, { minLength: 1, maxLength: 2 }),
    are: fc.constant('some' as const),
    locked: fc.constant(true as const),
  }),
  fc.record({
    that: fc.constant('few'),
    rows: fc.tuple(selections),
    are: fc.record({ fewerThan: one([1, 2, 3]) }),
  }),
);

const ENTRY = { machine: 'secondFactor', event: 'confirmed', from: 'a', to: 'b', reason: null, generation: null };

const changedBy = (write: Write): unknown => (write.kind === 'update' ? write.loaded['id'] : write);
const changingOnce = (more: readonly Write[], first: Write): readonly Write[] =>
  [...new Map([first, ...more].map((write) => [changedBy(write), write])).values()].filter(
    (write) => changedBy(write) !== changedBy(first),
  );

const commits: fc.Arbitrary<Commit> = fc
  .record({
    first: fc.oneof(updates, inserts),
    more: fc.array(fc.oneof(updates, inserts), { maxLength: 2 }),
    requires: fc.array(requirements, { maxLength: 2 }),
    inTurn: one([undefined, { table: 'users', key: { id: USERS[0] } }]),
    entries: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ first, more, requires, inTurn, entries }) => ({
    now: NOW,
    requires,
    // A commit changes a row once.
    writes: [first, ...changingOnce(more, first)],
    entries: Array.from({ length: entries }, () => ENTRY),
    ...(inTurn && { inTurn }),
  }));

const FACTORS = IDS.map((id, place) => ({
  id,
  userId: USERS[place % 2] ?? '',
  state: 'unconfirmed' as const,
  sealedSecret: 'sealed',
  lastStep: STEPS[place] ?? null,
  createdAt: INSTANTS[place] ?? NOW,
  confirmedAt: null,
  removedAt: null,
}));

describe.each(databaseKinds)('a commit in memory and on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
    for (const id of USERS) await insertUser(ports.db, { id, username: id, passwordHash: NO_PASSWORD, claims: {} });
    // The rules of the machines are another question.
    await ports.db.execute(sql`alter table second_factors disable trigger user`);
    await ports.db.execute(sql`alter table linked_identities disable trigger user`);
  });
  afterAll(() => ports.close());

  const stored = async (): Promise<Tables> => {
    const [factors, identities] = [
      await ports.db.select().from(secondFactors).orderBy(secondFactors.id),
      await ports.db.select().from(linkedIdentities).orderBy(linkedIdentities.id),
    ];
    return {
      secondFactors: factors,
      linkedIdentities: identities.map(({ mac: _, macVersion: __, ...identity }) => identity),
    };
  };
  const inOrder = (tables: Tables): Tables =>
    Object.fromEntries(
      Object.entries(tables).map(([name, rows]) => [name, rows.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))]),
    );
  const lines = async () => (await ports.db.select({ lines: count() }).from(transitions))[0]?.lines ?? 0;

  it('writes the same rows, or none', async () => {
    const seen = { held: 0, notHeld: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(commits, { minLength: 1, maxLength: 6 }), async (all) => {
        await ports.db.delete(linkedIdentities);
        await ports.db.delete(secondFactors);
        await ports.db.insert(secondFactors).values(FACTORS);
        let memory: Tables = await stored();
        for (const commit of all) {
          const before = await lines();
          const after = carryOut(memory, commit);
          expect(await commitStore(ports.db, testMacs)(commit)).toBe(after !== null);
          memory = after ?? memory;
          expect(await stored()).toEqual(inOrder(memory));
          expect(await lines()).toBe(before + (after === null ? 0 : commit.entries.length));
          seen[after === null ? 'notHeld' : 'held']++;
        }
      }),
      { numRuns: 150, endOnFailure: true },
    );
    expect(Math.min(seen.held, seen.notHeld)).toBeGreaterThan(50);
  });
});

const idOf = (row: object): string => (row as { readonly id: string }).id;
