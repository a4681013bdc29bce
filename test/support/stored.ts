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
 * A digest of all grants and the whole ledger. `xmin` and `ctid` change with every rewrite of a row, so that even writing the same
 * values again shows.
 */
export async function everything(db: Drizzle): Promise<{ grants: string | null; ledger: string | null }> {
  const digest = (row: unknown) => sql<string | null>`md5(string_agg(${row}, ';' order by ${row}))`;
  const [ofGrants] = await db
    .select({ digest: digest(sql`concat(${grants}.xmin, ${grants}.ctid, ${grants}::text)`) })
    .from(grants);
  const [ofLedger] = await db.select({ digest: digest(sql`${transitions}::text`) }).from(transitions);
  return { grants: ofGrants?.digest ?? null, ledger: ofLedger?.digest ?? null };
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
