/** The migration that holds the machines: it is the one that the machines make, and a changed machine gets a new one. */
import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readMachine } from '../../../src/catalogue/read.ts';
import { type GeneratedFile, generate, type Repository } from '../../../src/review/sql/migration.ts';
import { type Machines, heldMachines as machines } from '../../../src/review/sql/rules.ts';
import { sqlOf } from '../../../src/review/sql/text.ts';
import { databaseKinds, openTestDatabase } from '../../support/database.ts';
import { GRANT, putRows } from './held-rows.ts';
import { rowsOf, surprise } from './hold.ts';

/** One more arm, with a reason of its own. */
function withLostDevices(): Machines {
  const grant = JSON.parse(JSON.stringify(machines.grant.written));
  const lost = { type: 'writeRevoked', params: { reason: 'device_lost' } };
  Object.assign(grant.states.active.on, { deviceLost: { target: 'revoked', actions: lost } });
  return { ...machines, grant: readMachine(grant) };
}

const stored = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const repository = (made: readonly GeneratedFile[], isCommitted: boolean): Repository => ({
  read: (path) => made.find((one) => one.path === path)?.text ?? stored(path),
  isCommitted: () => isCommitted,
});

test('what is committed is what the machines make', () => {
  const files = generate();
  expect(files).toHaveLength(1);
  for (const { path, text } of files) expect(stored(path)).toBe(text);
});

test('a machine that changes gets a migration of its own, and those that are committed stay', () => {
  const [sqlFile, journalFile, snapshotFile, ...none] = generate(withLostDevices(), repository([], true));
  expect(none).toEqual([]);
  const [before, after] = [stored('drizzle/meta/_journal.json'), journalFile?.text ?? ''].map((text) =>
    JSON.parse(text),
  );
  const last = before.entries.at(-1);
  const number = String(last.idx + 1).padStart(4, '0');
  expect(sqlFile).toEqual({ path: `drizzle/${number}_machines.sql`, text: sqlOf(withLostDevices()) });
  expect(journalFile?.path).toBe('drizzle/meta/_journal.json');
  expect(after.entries.slice(0, -1)).toEqual(before.entries);
  expect(after.entries.at(-1)).toMatchObject({ idx: last.idx + 1, tag: `${number}_machines`, breakpoints: true });
  // Drizzle applies what is newer than the last that was applied.
  expect(after.entries.at(-1).when).toBeGreaterThan(last.when);
  expect(snapshotFile?.path).toBe(`drizzle/meta/${number}_snapshot.json`);
  const previous = JSON.parse(stored(`drizzle/meta/${String(last.idx).padStart(4, '0')}_snapshot.json`));
  const snapshot = JSON.parse(snapshotFile?.text ?? '');
  expect(snapshot).toEqual({ ...previous, id: snapshot.id, prevId: previous.id });
  expect(snapshot.id).not.toBe(previous.id);
});

test('until it is committed, a further change goes into the same migration', () => {
  const first = generate(withLostDevices(), repository([], true));
  expect(generate(withLostDevices(), repository(first, false))).toEqual(first.slice(0, 1));
  expect(generate(machines, repository(first, false))).toEqual([{ path: first[0]?.path, text: sqlOf(machines) }]);
});

describe.each(databaseKinds)('on %s', (kind) => {
  test('the migration of a changed machine replaces what was there, and the one of before does so again', async () => {
    const { database, close } = await openTestDatabase(kind);
    onTestFinished(close);
    const db = database.drizzle;
    await putRows(db);
    const apply = async (text: string) => {
      for (const statement of text.split('--> statement-breakpoint')) await db.execute(sql.raw(statement));
    };
    const triggers = async () =>
      rowsOf(
        await db.execute(sql`select tgrelid::regclass::text as "table", tgname, pg_get_triggerdef(oid) as definition
          from pg_trigger where not tgisinternal order by 1, 2`),
      );
    const lost = {
      what: 'a lost device',
      statements: [
        `update grants set state = 'revoked', revoked_at = now(), revoked_reason = 'device_lost' where id = '${GRANT.rotated}'`,
      ],
    };
    const before = await triggers();
    expect(await surprise(db, { ...lost, refusedBy: 'grants_ends_once_with_a_reason' })).toBeNull();

    const changed = sqlOf(withLostDevices());
    await apply(changed.replaceAll('grants_moves_with_its_machine', 'grants_of_another_name'));
    expect(await surprise(db, { ...lost, refusedBy: null })).toBeNull();
    expect((await triggers()).length).toBe(before.length);

    await apply(sqlOf(machines));
    expect(await triggers()).toEqual(before);
    expect(await surprise(db, { ...lost, refusedBy: 'grants_ends_once_with_a_reason' })).toBeNull();
  });
});
