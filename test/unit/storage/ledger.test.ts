import { eq, type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { transitions } from '../../../src/storage/schema.ts';
import { databaseKinds } from '../../support/database.ts';
import { givenGrant, ledgerOf, loadGrant, moveHead, nextMove, openPorts, type Ports } from './ports.ts';

/** The database's own error, without the wrappers of the drivers. */
async function refusalOf(statement: Promise<unknown>): Promise<string> {
  try {
    await statement;
  } catch (error) {
    let innermost = error;
    while (innermost instanceof Error && innermost.cause !== undefined) innermost = innermost.cause;
    return String(innermost);
  }
  return 'not refused';
}

describe.each(databaseKinds)('the ledger on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  const attempts: Record<string, (grantId: string) => SQL> = {
    UPDATE: (grantId) => sql`update transitions set reason = 'forged' where grant_id = ${grantId}::uuid`,
    DELETE: (grantId) => sql`delete from transitions where grant_id = ${grantId}::uuid`,
    'UPDATE of its partition': (grantId) =>
      sql`update transitions_default set reason = 'forged' where grant_id = ${grantId}::uuid`,
    'DELETE from its partition': (grantId) => sql`delete from transitions_default where grant_id = ${grantId}::uuid`,
  };

  test.each(Object.entries(attempts))('%s is rejected, and every entry stays', async (_, attempt) => {
    const { grantId } = await givenGrant(ports);
    const lines = await ledgerOf(ports, grantId);
    expect(lines).not.toEqual([]);
    expect(await refusalOf(ports.db.execute(attempt(grantId)))).toMatch(/the ledger is append-only/);
    expect(await ledgerOf(ports, grantId)).toEqual(lines);
  });

  test('an entry of any month finds a partition', async () => {
    const granted = await givenGrant(ports);
    const move = { ...nextMove(ports, await loadGrant(ports, granted)), now: new Date('2999-12-31T23:59:59.999Z') };
    expect(await moveHead(ports, move)).toBe(true);
    const lines = await ports.db.select().from(transitions).where(eq(transitions.grantId, granted.grantId));
    expect(lines.map(({ at }) => at)).toContainEqual(move.now);
  });
});
