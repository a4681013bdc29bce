/** The nodes that serve on this database: each says every few seconds that it is there. */
import { desc, eq, gt, lt, sql } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { nowOf } from './now.ts';
import { nodes } from './schema.ts';

export type Node = {
  readonly id: string;
  readonly version: string;
  readonly startedAt: Date;
  readonly seenAt: Date;
};

/** Without a word for this long, a node has gone. */
export const NODE_GONE_SECONDS = 60;
const MAX_LISTED = 100;

export const nodeStore = (db: Drizzle, clock: Clock) => ({
  /** @throws StoreUnavailable */
  report: async (id: string, version: string): Promise<void> => {
    const now = nowOf(clock);
    await writing(() =>
      db
        .insert(nodes)
        .values({ id, version, startedAt: now, seenAt: now })
        .onConflictDoUpdate({ target: nodes.id, set: { version, seenAt: sql`excluded.seen_at` } }),
    );
    await writing(() =>
      db.delete(nodes).where(lt(nodes.seenAt, sql`${now} - make_interval(secs => ${NODE_GONE_SECONDS * 60})`)),
    );
  },
  /** At a graceful stop. @throws StoreUnavailable */
  leave: async (id: string): Promise<void> => {
    await writing(() => db.delete(nodes).where(eq(nodes.id, id)));
  },
});

/** Those that are there, the newest first. @throws StoreUnavailable */
export const listNodes = (db: Drizzle, clock: Clock): Promise<Node[]> =>
  reading(() =>
    db
      .select()
      .from(nodes)
      .where(gt(nodes.seenAt, sql`${nowOf(clock)} - make_interval(secs => ${NODE_GONE_SECONDS})`))
      .orderBy(desc(nodes.startedAt))
      .limit(MAX_LISTED),
  );
