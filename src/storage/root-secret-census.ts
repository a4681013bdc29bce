/**
 * The consequences when an entry of the root secret leaves the list. This file has the register of its purposes (one without an entry
 * does not compile), and the count of stored rows that still need an entry. `check` and `recover` print it.
 */

import { type SQL, sql } from 'drizzle-orm';
import { getTableConfig } from 'drizzle-orm/pg-core';
import type { KeptKey } from '../crypto/kept-key.ts';
import type { Purpose } from '../crypto/root-secret.ts';
import { byKey, hex, keptAmong, type MadeUnderRoot, type Remedy } from '../lifecycles/root-keys.ts';
import type { HeldTable } from '../lifecycles/table.ts';
import { HELD_TABLES } from '../lifecycles/tables.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { nowOf } from './now.ts';
import { rawRows } from './raw-rows.ts';
import { authenticatedTables } from './renew-row-macs.ts';
import { rootSecrets } from './schema.ts';

type Stored = Omit<MadeUnderRoot, 'purpose'>;
type AfterRotation =
  | { readonly counted: readonly Stored[] }
  /** Nothing stored outlives the wait that the guide asks for. */
  | { readonly passes: string };

const MADE: readonly MadeUnderRoot[] = HELD_TABLES.flatMap(({ madeUnderRoot = [] }: HeldTable) => madeUnderRoot);

type MadePurpose = NonNullable<(typeof HELD_TABLES)[number]['madeUnderRoot']>[number]['purpose'];

const OTHERS: Readonly<Record<Exclude<Purpose, MadePurpose>, AfterRotation>> = {
  row: {
    counted: authenticatedTables.map(({ table, alive }) => ({
      what: `rows of ${getTableConfig(table).name}`,
      remedy: 'renewed',
      count: () => byKey(hex(sql`substring(mac from 1 for 4)`), sql`${table} where mac is not null and ${alive}`),
    })),
  },
  'kept-key': { passes: 'seals the keys of another purpose, and is counted with what they made' },
  'authorization-code': { passes: 'a code lives for minutes' },
  interaction: { passes: 'a sign-in page that is open is begun again' },
  'pushed-request': { passes: 'a pushed request that has no answer is pushed again' },
  form: { passes: 'a form that is open is loaded again' },
  throttle: { passes: 'counts of failures begin again' },
  idempotency: { passes: 'an answer is repeated for a day' },
  console: { passes: 'the console asks for its access token again' },
  'external-sign-in': { passes: 'a federated sign-in that has begun is begun again' },
  device: { passes: 'a browser is known again after its next sign-in; it opens nothing by that' },
  mail: { passes: 'a mail waits for a day at most; one that no listed root secret opens is dropped' },
  passkey: { passes: 'a challenge lives for minutes' },
  'dpop-nonce': { passes: 'a client repeats its request with the nonce of the answer' },
  'ledger-seal': { passes: 'seals are verified with public keys, and each vouches for the one before' },
  account: { passes: 'the same account has another hash from then on, in ledger and log' },
};

export const AFTER_A_ROTATION: Readonly<Record<string, AfterRotation>> = {
  ...Object.fromEntries(MADE.map(({ purpose, ...stored }) => [purpose, { counted: [stored] }])),
  ...OTHERS,
};

/** Stored values that still need a root secret which is not the first. */
export type Need = {
  readonly keyId: string;
  readonly what: string;
  readonly count: number;
  readonly remedy: Remedy;
  /** Until the last of them has ended; null: they do not end by themselves. */
  readonly endsAt: Date | null;
};

/**
 * @param firstId the id of the first root secret, which is needed anyway.
 * @param isKept whether the first root secret opens this key, so that its values no longer need the older secret.
 * @throws StoreUnavailable
 */
export async function rootSecretNeeds(
  db: Drizzle,
  clock: Clock,
  firstId: string,
  isKept: (kept: KeptKey, purpose: Purpose) => boolean,
): Promise<readonly Need[]> {
  const rows = async <Row>(statement: SQL): Promise<readonly Row[]> =>
    rawRows(await reading(() => db.execute(statement)));
  const stored = await rows<{ keyId: string; sealed: string | null }>(
    sql`select key_id as "keyId", ${rootSecrets.sealedKey} as sealed from ${rootSecrets}`,
  );
  const { purpose } = keptAmong(HELD_TABLES);
  const kept = new Set(
    stored.flatMap(({ keyId, sealed }) => (sealed !== null && isKept({ keyId, sealed }, purpose) ? [keyId] : [])),
  );
  const needs: Need[] = [];
  for (const after of Object.values(AFTER_A_ROTATION)) {
    if (!('counted' in after)) continue;
    for (const { what, remedy, count, keptIn } of after.counted) {
      const found = await rows<{ key_id: string; count: string; ends_at: string | Date | null }>(count(nowOf(clock)));
      for (const { key_id: keyId, count, ends_at } of found) {
        if (keyId === firstId || (keptIn !== undefined && kept.has(keyId))) continue;
        needs.push({ keyId, what, remedy, count: Number(count), endsAt: ends_at === null ? null : new Date(ends_at) });
      }
    }
  }
  return needs;
}
