import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { insert } from '../../../src/engine/commit.ts';
import { USED_JTIS } from '../../../src/lifecycles/used-jti/entity.ts';
import { usedJtiStore } from '../../../src/storage/used-jtis.ts';
import { failedStatements, sentBatches } from '../../../src/system/observed.ts';
import { databaseKinds } from '../../support/database.ts';
import { openPorts, type Ports } from './ports.ts';

describe.each(databaseKinds)('used proofs on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  test('concurrent uses share a statement, which Postgres accepts', async () => {
    const { commit, load } = usedJtiStore(ports.db, ports.clock);
    const batches: { name: string; items: number }[] = [];
    const failures: unknown[] = [];
    onTestFinished(sentBatches.listen((batch) => void batches.push(batch)));
    onTestFinished(failedStatements.listen((failure) => void failures.push(failure)));
    const now = ports.clock.now();
    const endsAt = new Date(now.getTime() + 60_000);
    const use = (hash: string) =>
      commit({
        now,
        requires: [],
        writes: [insert(USED_JTIS, { hash, usedAt: now, endsAt }, [{ hash }])],
        entries: [],
      });
    const hashes = [randomUUID(), randomUUID(), randomUUID()];
    expect(await Promise.all(hashes.map(use))).toEqual([true, true, true]);
    expect(await Promise.all(hashes.map(use))).toEqual([false, false, false]);
    expect(batches.filter(({ name }) => name === 'useJti').map(({ items }) => items)).toEqual([3, 3]);
    expect(failures).toEqual([]);
    expect((await load(hashes[1] ?? '')).used).toMatchObject({ usedAt: now, endsAt });
  });
});
