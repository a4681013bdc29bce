/** The record of each root secret that nodes have used. */
import { isNotNull, sql } from 'drizzle-orm';
import type { KeptKey } from '../crypto/kept-key.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { nowOf } from './now.ts';
import { rootSecrets } from './schema.ts';

/** Nodes report once a minute. */
const REPORT_HOLDS_SECONDS = 180;

export const rootSecretStore = (db: Drizzle, clock: Clock) => ({
  /** A node has it in front of its list. @throws StoreUnavailable */
  report: async (keyId: string): Promise<void> => {
    const makesUntil = sql<Date>`${nowOf(clock)} + make_interval(secs => ${REPORT_HOLDS_SECONDS})`;
    await writing(() =>
      db
        .insert(rootSecrets)
        .values({ keyId, makesUntil })
        .onConflictDoUpdate({ target: rootSecrets.keyId, set: { makesUntil: sql`excluded.makes_until` } }),
    );
  },
  /** @throws StoreUnavailable */
  keptKeys: async (): Promise<readonly KeptKey[]> => {
    const { keyId, sealedKey } = rootSecrets;
    const rows = await reading(() =>
      db.select({ keyId, sealed: sealedKey }).from(rootSecrets).where(isNotNull(sealedKey)),
    );
    return rows.map(({ keyId, sealed }) => ({ keyId, sealed: sealed ?? '' }));
  },
  /** @throws StoreUnavailable */
  keep: async ({ keyId, sealed }: KeptKey): Promise<void> => {
    await writing(() =>
      db
        .insert(rootSecrets)
        .values({ keyId, sealedKey: sealed })
        .onConflictDoUpdate({ target: rootSecrets.keyId, set: { sealedKey: sealed } }),
    );
  },
});
