/** The counts on the first page of an account, in one statement. */
import { eq, sql } from 'drizzle-orm';
import type { Claims } from '../model/user.ts';
import type { Drizzle } from './database.ts';
import { type FactorCounts, factorCounts, numberOfActive } from './factors.ts';
import { reading } from './failures.ts';
import { linkedIdentities, users } from './schema.ts';

export type StoredSummary = FactorCounts & {
  readonly claims: Claims;
  readonly hasPassword: boolean;
  readonly linkedIdentities: number;
};

/** @returns null: the end-user is not found. @throws StoreUnavailable */
export async function accountSummaryOf(db: Drizzle, userId: string): Promise<StoredSummary | null> {
  const [row] = await reading(() =>
    db
      .select({
        claims: users.claims,
        hasPassword: sql<boolean>`${users.passwordHash} <> ''`,
        linkedIdentities: numberOfActive(linkedIdentities, userId),
        ...factorCounts(userId),
      })
      .from(users)
      .where(eq(users.id, userId)),
  );
  return row ?? null;
}
