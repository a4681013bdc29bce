/** Reads the database directly, to check that something changed, or that nothing did. */
import { asc, eq, sql } from 'drizzle-orm';
import { readAuthorizationCode } from '../../src/crypto/authorization-code.ts';
import { readRefreshToken } from '../../src/crypto/refresh-token.ts';
import type { RootKeys } from '../../src/crypto/root-secret.ts';
import type { Drizzle } from '../../src/storage/database.ts';
import { grants, transitions } from '../../src/storage/schema.ts';

export type StoredGrant = typeof grants.$inferSelect;

export async function storedGrant(db: Drizzle, grantId: string): Promise<StoredGrant> {
  const [row] = await db.select().from(grants).where(eq(grants.id, grantId));
  if (!row) throw new Error(`no such grant: ${grantId}`);
  return row;
}

/** Lines of the ledger about one grant, as "machine: from → to (reason)". */
export async function ledgerOf(db: Drizzle, grantId: string): Promise<string[]> {
  const lines = await db
    .select()
    .from(transitions)
    .where(eq(transitions.grantId, grantId))
    .orderBy(asc(transitions.at), asc(transitions.generation));
  return lines.map(
    ({ machine, fromState, toState, reason }) => `${machine}: ${fromState} → ${toState}${reason ? ` (${reason})` : ''}`,
  );
}

/**
 * Where all grants and the whole ledger are stored, as a number for each. Every rewrite of a row moves it and marks it with the
 * transaction that did it, so that even writing the same values again shows. Rows are many and long: their values are not read.
 */
export async function everything(db: Drizzle): Promise<{ grants: string; ledger: string }> {
  const places = (table: typeof grants | typeof transitions) =>
    db
      .select({
        digest: sql<string>`concat(count(*), ' ', sum(hashtextextended(concat_ws(' ', ${table}.tableoid, ${table}.ctid, ${table}.xmin), 0)))`,
      })
      .from(table);
  const [ofGrants, ofLedger] = [await places(grants), await places(transitions)];
  return { grants: ofGrants[0]?.digest ?? '', ledger: ofLedger[0]?.digest ?? '' };
}

export function grantIdOfCode(code: string): string {
  const read = readAuthorizationCode(code);
  if (!read) throw new Error('not a code');
  return read.grantId;
}

export type Place = { readonly grantId: string; readonly generation: bigint; readonly nonce: Uint8Array };

export function placeOf(keys: RootKeys, refreshToken: string): Place {
  const read = readRefreshToken(keys, refreshToken);
  if (read.kind !== 'authentic') throw new Error(`not a refresh token: ${read.kind}`);
  return read;
}
