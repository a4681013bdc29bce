/** The statements about used proofs. The good case is one insert, which proofs of concurrent requests share. */
import { eq, sql } from 'drizzle-orm';
import type { Commit } from '../engine/commit.ts';
import { InvariantViolation } from '../engine/errors.ts';
import { USED_JTIS, type UsedJti } from '../lifecycles/used-jti/entity.ts';
import type { UsedJtiStore } from '../lifecycles/used-jti/lifecycle.ts';
import type { Clock } from '../system/clock.ts';
import { batched } from './batches.ts';
import { bound } from './bound.ts';
import type { Drizzle } from './database.ts';
import { committing, writing } from './failures.ts';
import { readNow } from './now.ts';
import { server, usedJtis } from './schema.ts';
import { readServer } from './server-row.ts';

export function usedJtiStore(db: Drizzle, clock: Clock): UsedJtiStore {
  const insertStatement = db
    .insert(usedJtis)
    .values({
      hash: bound('hash', 'text'),
      usedAt: bound('usedAt', 'timestamptz'),
      endsAt: bound('endsAt', 'timestamptz'),
    })
    .onConflictDoNothing()
    .returning({ hash: usedJtis.hash })
    .prepare('use_jti');
  const insertManyStatement = prepareInsertMany(db);
  const use = batched<UsedJti, boolean>({
    name: 'useJti',
    alone: ({ hash, usedAt, endsAt }) =>
      committing(() => insertStatement.execute({ hash, usedAt: usedAt.toISOString(), endsAt: endsAt.toISOString() })),
    together: async (rows) => {
      const stored = await writing(() =>
        insertManyStatement.execute({
          hashes: rows.map(({ hash }) => hash),
          usedAts: rows.map(({ usedAt }) => usedAt.toISOString()),
          endsAts: rows.map(({ endsAt }) => endsAt.toISOString()),
        }),
      );
      const used = new Set(stored.map(({ hash }) => hash));
      return rows.map(({ hash }) => used.has(hash));
    },
    keyOf: ({ hash }) => hash,
    writes: true,
  });
  return {
    load: async (hash) => {
      const row = await readServer(() =>
        db
          .select({ now: readNow(clock), used: usedJtis })
          .from(server)
          .leftJoin(usedJtis, eq(usedJtis.hash, hash)),
      );
      return { now: row.now, hash, used: row.used };
    },
    commit: (commit) => use(useIn(commit)),
  };
}

/** The statements here are those of this one write. */
function useIn({ writes: [write, ...others] }: Commit): UsedJti {
  if (write.kind !== 'insert' || write.table !== USED_JTIS.name || others.length > 0)
    throw new InvariantViolation('usedJti: expected one insert');
  return write.row as UsedJti;
}

function prepareInsertMany(db: Drizzle) {
  // The driver of Drizzle sends a list of instants as it is.
  const rows = sql`unnest(${bound('hashes', 'text[]')}, ${bound('usedAts', 'text[]')}, ${bound('endsAts', 'text[]')})
    as used (hash, used_at, ends_at)`;
  return db
    .insert(usedJtis)
    .select(
      db
        .select({
          hash: sql<string>`used.hash`.as('hash'),
          usedAt: sql<Date>`used.used_at::timestamptz`.as('used_at'),
          endsAt: sql<Date>`used.ends_at::timestamptz`.as('ends_at'),
        })
        .from(rows),
    )
    .onConflictDoNothing()
    .returning({ hash: usedJtis.hash })
    .prepare('use_jtis');
}
