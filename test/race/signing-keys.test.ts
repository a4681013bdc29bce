/** Many nodes, one table of signing keys: at every moment exactly one key of an algorithm signs, whatever any node requests. */
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  passTime,
  requestRevocation,
  requestRotation,
  type SigningKeyPorts,
} from '../../src/lifecycles/signing-key/lifecycle.ts';
import { commandLine } from '../../src/model/actor.ts';
import type { Database } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { signingKeys } from '../../src/storage/schema.ts';
import { replacePrivateJwe } from '../../src/storage/signing-keys.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { databaseKinds, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { changes, keysOf, LIFETIMES, stateOf, storedKeys } from '../support/signing-keys.ts';

const NODES = 4;
const TICKS_EACH = 6;
const ROUNDS = 12;

describe('signing keys over several nodes', () => {
  let opened: TestDatabase<string>;
  let pools: Database[];
  let nodes: SigningKeyPorts[];
  let clock: TestClock;
  beforeEach(async () => {
    opened = await openTestDatabase('postgres');
    clock = testClock();
    pools = Array.from({ length: NODES }, () => openPostgres(opened.url, { connections: 4 }));
    nodes = pools.map(({ drizzle }) => keysOf(drizzle, clock));
  });
  afterEach(async () => {
    await Promise.all(pools.map((pool) => pool.close()));
    await opened.close();
  });

  const db = () => opened.database.drizzle;
  const states = async () => (await storedKeys(db())).map((one) => one.state);
  const tickEverywhere = async () => {
    const ticks = nodes.flatMap((node) => Array.from({ length: TICKS_EACH }, () => passTime(node)));
    return (await Promise.all(ticks)).flatMap(changes);
  };

  /** Looks at the table all the while. @returns how many keys of the algorithm signed, at each look. */
  async function watching(work: Promise<unknown>): Promise<ReadonlySet<number>> {
    const seen = new Set<number>();
    let done = false;
    const ended = work.finally(() => {
      done = true;
    });
    while (!done) {
      const rows = await db().select().from(signingKeys).where(eq(signingKeys.state, 'signing'));
      seen.add(rows.length);
    }
    await ended;
    return seen;
  }

  it("every step of a key's life happens once, however many nodes tick concurrently", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      if (round === 0) {
        expect(await tickEverywhere()).toEqual(['noKeySigns: unpublished → signing']);
      }
      clock.advanceSeconds(LIFETIMES.signingLifetimeSeconds - LIFETIMES.successorLeadSeconds);
      const next = (await tickEverywhere()).filter((one) => !one.endsWith('(tokens_expired)'));
      expect(next).toEqual(['successorNeeded: unpublished → published']);
      clock.advanceSeconds(LIFETIMES.successorLeadSeconds);
      const handovers: string[] = [];
      const seen = await watching(tickEverywhere().then((done) => handovers.push(...done)));
      expect(handovers).toEqual(['timePassed: signing → retiring', 'signerStopped: published → signing']);
      expect([...seen]).toEqual([1]);
    }
    expect(await states()).toEqual([...Array(ROUNDS - 1).fill('retired'), 'retiring', 'signing']);
  });

  it('concurrent ticks, rotations and revocations leave one signer, and at most one successor', async () => {
    await tickEverywhere();
    for (let round = 0; round < ROUNDS; round++) {
      clock.advanceSeconds(round % 3 === 0 ? LIFETIMES.publishedBeforeSigningSeconds : 60);
      const kids = (await storedKeys(db())).filter((one) => one.state !== 'retired').map((one) => one.kid);
      const work = nodes.flatMap((node, n) => [
        passTime(node),
        requestRotation(node, 'ES256', n % 2 === 0, commandLine),
        requestRevocation(node, kids[n % kids.length] ?? '', commandLine),
        requestRotation(node, 'ES256', false, commandLine),
      ]);
      const settled = Promise.allSettled(work);
      expect([...(await watching(settled))]).toEqual([1]);
      for (const one of await settled) if (one.status === 'rejected') throw one.reason;
      const now = await states();
      expect(now.filter((one) => one === 'signing')).toHaveLength(1);
      expect(now.filter((one) => one === 'published').length).toBeLessThanOrEqual(1);
      for (const kid of kids.slice(0, NODES)) expect(await stateOf(db(), kid)).toBe('retired');
    }
  });

  it('a handover that waits for the revocation of its successor does not happen', async () => {
    const [node, other] = nodes as [SigningKeyPorts, SigningKeyPorts];
    await passTime(node);
    await requestRotation(node, 'ES256', false, commandLine);
    const [signer, waits] = await storedKeys(db());
    clock.advanceSeconds(LIFETIMES.publishedBeforeSigningSeconds);
    const now = clock.now();
    let handover: Promise<unknown> = Promise.resolve();
    await pools[2]?.drizzle.transaction(async (transaction) => {
      await transaction
        .update(signingKeys)
        .set({ state: 'retired', privateJwe: null, retiredAt: now, retiredReason: 'revocation_requested' })
        .where(eq(signingKeys.kid, waits?.kid ?? ''));
      handover = passTime(other);
      await blockedStatement(pools[3] as Database);
    });
    await handover;
    expect(await stateOf(db(), signer?.kid ?? '')).toBe('signing');
    expect(await states()).toEqual(['signing', 'retired', 'published']);
  });
});

/** Until some statement of this database waits for a lock. */
async function blockedStatement({ drizzle }: Database): Promise<void> {
  while (((await drizzle.execute(lockWaits())) as unknown as unknown[]).length === 0);
}

describe.each(databaseKinds)('between load and commit, on %s', (kind) => {
  let opened: TestDatabase;
  let clock: TestClock;
  let before: SigningKeyPorts;
  /** Runs once, when a commit is about to be sent. */
  let interrupt: (() => Promise<unknown>) | null = null;
  let node: SigningKeyPorts;
  beforeEach(async () => {
    opened = await openTestDatabase(kind);
    clock = testClock();
    before = keysOf(opened.database.drizzle, clock);
    node = {
      ...before,
      store: {
        ...before.store,
        commit: async (commit) => {
          const now = interrupt;
          interrupt = null;
          await now?.();
          return before.store.commit(commit);
        },
      },
    };
  });
  afterEach(() => opened.close());
  const db = () => opened.database.drizzle;
  const states = async () => (await storedKeys(db())).map((one) => one.state);
  const toHandover = async () => {
    await passTime(before);
    await requestRotation(before, 'ES256', false, commandLine);
    clock.advanceSeconds(LIFETIMES.publishedBeforeSigningSeconds);
    const [signer, waits] = await storedKeys(db());
    if (!signer || !waits) throw new Error('no keys');
    return { signer, waits };
  };

  it('another node makes the first key: this node uses it', async () => {
    interrupt = () => passTime(before);
    expect(await passTime(node)).toEqual([]);
    expect(await states()).toEqual(['signing']);
  });

  it('another node hands over: this node has no step left', async () => {
    const { waits } = await toHandover();
    interrupt = () => passTime(before);
    expect(await passTime(node)).toEqual([]);
    expect(await states()).toEqual(['retiring', 'signing']);
    expect(await stateOf(db(), waits.kid)).toBe('signing');
  });

  it('the successor is revoked: the signer continues, and another successor is published', async () => {
    const { signer, waits } = await toHandover();
    interrupt = () => requestRevocation(before, waits.kid, commandLine);
    expect(changes(await passTime(node))).toEqual(['successorNeeded: unpublished → published']);
    expect(await stateOf(db(), signer.kid)).toBe('signing');
  });

  it('the signer is revoked: its successor signs, and is not started twice', async () => {
    const { signer, waits } = await toHandover();
    interrupt = () => requestRevocation(before, signer.kid, commandLine);
    expect(await passTime(node)).toEqual([]);
    expect([await stateOf(db(), signer.kid), await stateOf(db(), waits.kid)]).toEqual(['retired', 'signing']);
  });

  it('a key is revoked while it stops: it stays revoked', async () => {
    const { signer } = await toHandover();
    interrupt = () => passTime(before);
    expect(changes(await requestRevocation(node, signer.kid, commandLine))).toEqual([
      'revocationRequested: retiring → retired (revocation_requested)',
    ]);
  });

  it('the root secret is rotated while the key stops: the erased half stays erased', async () => {
    const { signer } = await toHandover();
    await passTime(before);
    await replacePrivateJwe(db(), signer.kid, signer.privateJwe ?? '', 'sealed again');
    expect((await storedKeys(db()))[0]).toMatchObject({ kid: signer.kid, state: 'retiring', privateJwe: null });
  });

  it('a table that never settles makes the node stop with an error', async () => {
    const restless = { ...node, store: { ...before.store, commit: async () => false } };
    await expect(passTime(restless)).rejects.toMatchObject({ name: 'Unavailable', reason: 'too_many_conflicts' });
    expect(await states()).toEqual([]);
  });
});
