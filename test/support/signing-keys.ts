/** The signing keys of a database, without a server: changed through the engine, read as stored. */

import { asc, eq, sql } from 'drizzle-orm';
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
export const storedKeys = (db: Drizzle): Promise<StoredKey[]> =>
  db
    .select()
    .from(signingKeys)
    .orderBy(
      asc(signingKeys.createdAt),
      sql`(select t.ctid from transitions t where t.signing_key_id = ${signingKeys.kid} order by t.ctid limit 1)`,
    );

export const stateOf = async (db: Drizzle, kid: string): Promise<string | undefined> =>
  (await db.select().from(signingKeys).where(eq(signingKeys.kid, kid)))[0]?.state;

/** `event: from → to (reason)`, in the order of the ledger. */
export async function keyLedger(db: Drizzle, kid: string): Promise<string[]> {
  const rows = await db.select().from(transitions).where(eq(transitions.signingKeyId, kid)).orderBy(sql`at, ctid`);
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
