/** drizzle/triggers.sql: it is what the machines make, and that of a changed machine replaces it. */
import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readMachine } from '../../../src/catalogue/read.ts';
import { type Machines, heldMachines as machines } from '../../../src/review/sql/rules.ts';
import { sqlOf } from '../../../src/review/sql/text.ts';
import { triggersFile, withRevision } from '../../../src/review/sql/triggers-file.ts';
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

test('the stored SQL is what the machines generate', () => {
  const text = readFileSync(new URL('../../../drizzle/triggers.sql', import.meta.url), 'utf8');
  expect(text.replace(/^-- Revision \d+\n/, '')).toBe(sqlOf(machines));
  expect(triggersFile()).toEqual([{ path: 'drizzle/triggers.sql', text }]);
});

test.each([
  ['nothing is stored', null, null, '-- Revision 1\nnew'],
  ['what is committed is another', '-- Revision 7\nold', '-- Revision 7\nold', '-- Revision 8\nnew'],
  ['there is no history', '-- Revision 7\nold', null, '-- Revision 8\nnew'],
  ['a change before this one is not committed', '-- Revision 8\nother', '-- Revision 7\nold', '-- Revision 8\nnew'],
  ['it is there', '-- Revision 8\nnew', '-- Revision 7\nold', '-- Revision 8\nnew'],
  ['a change was taken back', '-- Revision 8\nold', '-- Revision 7\nnew', '-- Revision 7\nnew'],
])('the revision, where %s', (_, present, committed, expected) => {
  expect(withRevision('new', { present, committed })).toBe(expected);
});

test('a changed machine changes the lines of its own triggers alone', () => {
  const linesOf = (of: Machines) => sqlOf(of).split('\n');
  const before = linesOf(machines);
  const changed = linesOf(withLostDevices()).flatMap((line, index) => (line === before[index] ? [] : [line]));
  expect(changed).toEqual([expect.stringContaining("'device_lost'")]);
});

describe.each(databaseKinds)('on %s', (kind) => {
  test('the triggers of a changed machine replace the former ones, and the former ones replace them again', async () => {
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
    await apply(
      changed
        .replaceAll('grants_moves_with_its_machine', 'grants_of_another_name')
        .replaceAll('mails_remembers_its_end', 'mails_is_remembered'),
    );
    expect(await surprise(db, { ...lost, refusedBy: null })).toBeNull();
    expect((await triggers()).length).toBe(before.length);

    await apply(sqlOf(machines));
    expect(await triggers()).toEqual(before);
    expect(await surprise(db, { ...lost, refusedBy: 'grants_ends_once_with_a_reason' })).toBeNull();
  });
});
