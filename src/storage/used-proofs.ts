/** DPoP proofs that were used: each passes once, on all nodes. A row stays until nothing accepts its proof any more. */
import { sql } from 'drizzle-orm';
import { bound } from './bound.ts';
import type { Drizzle } from './database.ts';
import { writing } from './failures.ts';
import { spentChallenges } from './schema.ts';

/** @returns whether the proof is used for the first time. Its `id` is a hash, in base64url. */
export function usedProofs(db: Drizzle) {
  const statement = prepareUse(db);
  return async ({ id, endsAt }: { readonly id: string; readonly endsAt: Date }): Promise<boolean> => {
    const hash = Buffer.from(id, 'base64url');
    const inserted = await writing(() => statement.execute({ hash, endsAt: endsAt.toISOString() }));
    return inserted.length > 0;
  };
}

const prepareUse = (db: Drizzle) =>
  db
    .insert(spentChallenges)
    .values({ challengeHash: sql`${bound('hash', 'bytea')}`, endsAt: sql`${bound('endsAt', 'timestamptz')}` })
    .onConflictDoNothing()
    .returning({ endsAt: spentChallenges.endsAt })
    .prepare('use_proof');
