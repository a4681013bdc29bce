/** The signing keys of a database, without a server: changed through the engine, read as stored. */

import { asc, eq, isNotNull, sql } from 'drizzle-orm';
import { DEFAULT_SIGNING_KEYS, type SigningKeyPolicy } from '../../policies/schema.ts';
import { keyDeps } from '../../src/boot/key-ring.ts';
import { keyLifetimes } from '../../src/config/key-lifetimes.ts';
import { keysInDatabase } from '../../src/crypto/key-source.ts';
import type { KeyChange, SigningKeyPorts } from '../../src/lifecycles/signing-key/lifecycle.ts';
import type { Drizzle } from '../../src/storage/database.ts';
import { signingKeys, transitions } from '../../src/storage/schema.ts';
import type { Clock } from '../../src/system/clock.ts';
import { testKeys } from './app.ts';

export const POLICY = DEFAULT_SIGNING_KEYS;
export const LIFETIMES = keyLifetimes(POLICY);

/** Only ES256 by default: generating RSA keys is slow. */
export const keysOf = (db: Drizzle, clock: Clock, policy: Partial<SigningKeyPolicy> = {}): SigningKeyPorts =>
  keyDeps({
    db,
    keys: testKeys,
    source: keysInDatabase(testKeys),
    clock,
    policy: () => ({ ...POLICY, algorithms: ['ES256'], ...policy }),
  });

export type StoredKey = typeof signingKeys.$inferSelect;

/** Oldest first; keys that were created in the same instant in the order of the ledger. */
export async function storedKeys(db: Drizzle): Promise<StoredKey[]> {
  const keys = await db.select().from(signingKeys);
  const lines = await db
    .select({ kid: transitions.signingKeyId })
    .from(transitions)
    .where(isNotNull(transitions.signingKeyId))
    .orderBy(asc(transitions.position));
  const place = ({ kid }: StoredKey): number => lines.findIndex((line) => line.kid === kid);
  return keys.toSorted(
    (one, other) => one.createdAt.getTime() - other.createdAt.getTime() || place(one) - place(other),
  );
}

export const stateOf = async (db: Drizzle, kid: string): Promise<string | undefined> =>
  (await db.select().from(signingKeys).where(eq(signingKeys.kid, kid)))[0]?.state;

/** `event: from → to (reason)`, in the order of the ledger. */
export async function keyLedger(db: Drizzle, kid: string): Promise<string[]> {
  const rows = await db.select().from(transitions).where(eq(transitions.signingKeyId, kid)).orderBy(sql`at, position`);
  for (const row of rows) {
    if (row.machine !== 'signingKey' || row.clientId !== null || row.grantId !== null) throw new Error('not a key');
  }
  return rows.map(lineOf);
}

const lineOf = ({ event, fromState, toState, reason }: typeof transitions.$inferSelect) =>
  `${event}: ${fromState} → ${toState}${reason === null ? '' : ` (${reason})`}`;

export const changes = (done: readonly KeyChange[] | null): string[] =>
  (done ?? []).map(({ event, from, to, reason }) =>
    lineOf({ event, fromState: from, toState: to, reason } as typeof transitions.$inferSelect),
  );
