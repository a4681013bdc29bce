/** The keys of requests that must not be carried out twice, for a day. */
import { eq, sql } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { writing } from './failures.ts';
import { nowOf } from './now.ts';
import { idempotencyKeys } from './schema.ts';

export type IdempotencyClaim = {
  /** SHA-256 of the key and of its sender. */
  readonly name: Buffer;
  /** SHA-256 of the request. */
  readonly requestHash: Buffer;
  /** Of the root secret that ids and secrets are derived from, with the salt. */
  readonly rootKeyId: string;
  /** Random: the same key, a day later, creates something else. */
  readonly salt: Buffer;
  readonly seconds: number;
};

export type ClaimedKey = Pick<IdempotencyClaim, 'rootKeyId' | 'salt'> & {
  readonly requestHash: Uint8Array;
  /** False: a request with this key was here before. */
  readonly isNew: boolean;
  /** `carryOut` was called for it. */
  readonly carriedOut: boolean;
};

export const idempotencyKeyStore = (db: Drizzle, clock: Clock) => ({
  /** The first request with a key defines it; an expired key is new. @throws StoreUnavailable */
  claim: async ({ name, requestHash, rootKeyId, salt, seconds }: IdempotencyClaim): Promise<ClaimedKey> => {
    const now = nowOf(clock);
    const values = { requestHash, rootKeyId, salt, carriedOut: false };
    const lasts = sql`make_interval(secs => ${seconds})`;
    const [claimed] = await writing(() =>
      db
        .insert(idempotencyKeys)
        .values({ nameHash: name, ...values, endsAt: sql`${now} + ${lasts}` })
        .onConflictDoUpdate({
          target: idempotencyKeys.nameHash,
          set: { ...values, endsAt: sql`excluded.ends_at` },
          // It has ended. A cluster takes no function of the time here, and a difference of instants needs none.
          setWhere: sql`excluded.ends_at - ${idempotencyKeys.endsAt} >= ${lasts}`,
        })
        .returning(KEPT),
    );
    if (claimed) return { ...claimed, isNew: true };
    const [kept] = await writing(() => db.select(KEPT).from(idempotencyKeys).where(eq(idempotencyKeys.nameHash, name)));
    // Housekeeping removed it between the two statements.
    return kept ? { ...kept, isNew: false } : { requestHash, rootKeyId, salt, carriedOut: false, isNew: true };
  },

  /** Records that the request of this key was carried out. @throws StoreUnavailable */
  carryOut: async (name: Buffer): Promise<void> => {
    await writing(() => db.update(idempotencyKeys).set({ carriedOut: true }).where(eq(idempotencyKeys.nameHash, name)));
  },
});

const KEPT = {
  requestHash: idempotencyKeys.requestHash,
  rootKeyId: idempotencyKeys.rootKeyId,
  salt: idempotencyKeys.salt,
  carriedOut: idempotencyKeys.carriedOut,
};
