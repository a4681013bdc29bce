import { sql } from 'drizzle-orm';
import { index, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from '../columns.ts';
import { anHourBefore, earlier } from '../retention.ts';
import { isNotEmptied, keeps, refuses, staysUntil } from '../rules.ts';
import { described } from '../table.ts';

/** Proofs that were used (machines/used-jti/machine.ts). A row takes authority away, and its proof has no other effect. */
export const usedJtis = pgTable(
  'used_jtis',
  {
    /**
     * SHA-256 in base64url, of the sender and the `jti` of the proof (src/crypto/jti-hash.ts, src/guard/dpop-proof.ts): two senders may
     * choose the same `jti`.
     */
    hash: text('hash').primaryKey(),
    usedAt: instant('used_at').notNull(),
    endsAt: instant('ends_at').notNull(),
  },
  (table) => [index('used_jtis_ends_at').on(table.endsAt)],
);

export const usedJtiTable = described(usedJtis, {
  machine: 'usedJti',
  key: usedJtis.hash,
  changes: {},
  spreadBy: usedJtis.hash,
  rights: ['select', 'insert', 'delete'],
  counted: { state: sql`'used'` },
  removal: (now) => [{ ended: sql`${usedJtis.endsAt} < ${anHourBefore(earlier(now))}`, over: usedJtis.endsAt }],
  rules: [
    // A row is a use; lifecycle.ts derives the state from it.
    refuses('begins_in_its_time', 'insert', 'a jti is used before its proof expires', ['NEW.ends_at <= NEW.used_at']),
    keeps('keeps_its_use', 'a used jti stays used'),
    // A request that loaded before the end may commit after it.
    staysUntil('stays_until_its_end', 'a used jti is kept for an hour after its proof has expired', [
      "OLD.ends_at >= now() - interval '1 hour'",
    ]),
    isNotEmptied('used jtis end one by one'),
  ],
});
