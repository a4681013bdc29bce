/** The duty of a node: the segments that it closes, its log lines, and its memory of the newest segment. */
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ledgerRounds } from '../../../src/boot/ledger.ts';
import type { Configuration } from '../../../src/config/configuration.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { verified, writeLines } from '../../support/ledger.ts';
import { testKeys } from '../../support/macs.ts';
import { until } from '../../support/until.ts';

let ports: TestDatabase;
beforeEach(async () => {
  ports = await openTestDatabase(anyDatabase);
});
afterEach(() => ports.close());

const configuration = () => ({ ledger: { keptDays: 90 } }) as Configuration;

function nodeOf(keys = testKeys) {
  const logged: { level: string; facts: object; words: string }[] = [];
  const at = (level: string) => (facts: object, words: string) => void logged.push({ level, facts, words });
  const logger = { info: at('info'), warn: at('warn'), error: at('error') } as unknown as Parameters<
    typeof ledgerRounds
  >[2];
  const round = ledgerRounds({ database: ports.database, keys }, configuration, logger, {
    partialAfterMilliseconds: 0,
  });
  const closing = async () => {
    await until(async () => {
      await round();
      return (await verified(ports.database.drizzle, { keys })).open === 0;
    });
    return logged.splice(0);
  };
  return { logged, round, closing };
}

test('a node logs each segment, with the digest to verify it', async () => {
  const { closing, round, logged } = nodeOf();
  await writeLines(ports.database.drizzle, ['a', 'b']);
  const lines = await closing();
  const { head } = await verified(ports.database.drizzle);
  expect(lines.at(-1)).toMatchObject({
    level: 'info',
    facts: { segment: head?.number, digest: head?.digest },
    words: 'ledger: segment closed',
  });
  await round();
  expect(logged).toEqual([]);
});

test('a node logs an error for a missing or replaced newest segment', async () => {
  const { closing, round, logged } = nodeOf();
  await writeLines(ports.database.drizzle, ['a']);
  await closing();
  const { head } = await verified(ports.database.drizzle);
  await ports.database.drizzle.execute(sql`delete from ledger_seals where number = ${head?.number}`);
  await round();
  expect(logged[0]).toMatchObject({ level: 'error', facts: { number: head?.number, digest: head?.digest } });
  expect(await closing()).not.toEqual([]);
  await ports.database.drizzle.execute(sql`update ledger_seals set signature = 'none' where number = ${head?.number}`);
  await round();
  expect(logged[0]).toMatchObject({ level: 'error', words: expect.stringContaining('was removed or replaced') });
});

test('a node logs an error for an earlier segment that is not authentic, once', async () => {
  await writeLines(ports.database.drizzle, ['a']);
  await nodeOf(rootKeys(['another root secret for tests, of 32 bytes and more'])).closing();
  await writeLines(ports.database.drizzle, ['b']);
  const node = nodeOf();
  expect((await node.closing()).filter(({ level }) => level === 'error')).toMatchObject([
    { facts: { segment: 1, reason: 'key_unknown' } },
  ]);
  await writeLines(ports.database.drizzle, ['logged once']);
  expect((await node.closing()).filter(({ level }) => level === 'error')).toEqual([]);
  await ports.database.drizzle.execute(sql`update ledger_seals set signature = 'none' where number > 1`);
  await writeLines(ports.database.drizzle, ['c']);
  expect(await nodeOf().closing()).toContainEqual(
    expect.objectContaining({ level: 'error', facts: { segment: 2, reason: 'forged' } }),
  );
});

test('a node fails the run while the database is unreachable, and the next run tries again', async () => {
  const { round } = nodeOf();
  await ports.database.drizzle.execute(sql`alter table ledger_seals rename to elsewhere`);
  await expect(round()).rejects.toMatchObject({ name: 'StoreUnavailable' });
  await ports.database.drizzle.execute(sql`alter table elsewhere rename to ledger_seals`);
});
