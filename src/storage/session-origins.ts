/** The addresses from which sessions began. The ledger has them, so the sessions need not. */
import { and, desc, eq, gte, inArray, isNotNull } from 'drizzle-orm';
import type { Session } from '../model/session.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { transitions } from './schema.ts';

/** An attack on the account writes entries too. Beyond this many, the oldest sessions have no address. */
const MAX_ENTRIES_READ = 20_000;

type Begun = Pick<Session, 'sid' | 'signedInAt'>;

/** By `sid`, of the sessions of this end-user. The ledger drops entries after its retention. @throws StoreUnavailable */
export async function addressesOfSessions(
  db: Drizzle,
  userId: string,
  sessions: readonly Begun[],
): Promise<ReadonlyMap<string, string>> {
  if (sessions.length === 0) return new Map();
  const oldest = new Date(Math.min(...sessions.map(({ signedInAt }) => signedInAt.getTime())));
  const { shardKey, at, begunSessionId, address } = transitions;
  const entries = db
    .select({ begunSessionId, address })
    .from(transitions)
    .where(and(eq(shardKey, userId), gte(at, oldest)))
    .orderBy(desc(at))
    .limit(MAX_ENTRIES_READ)
    .as('entries');
  const rows = await reading(() =>
    db
      .select()
      .from(entries)
      .where(
        and(
          inArray(
            entries.begunSessionId,
            sessions.map(({ sid }) => sid),
          ),
          isNotNull(entries.address),
        ),
      ),
  );
  return new Map(rows.flatMap(({ begunSessionId: sid, address: from }) => (sid && from ? [[sid, from] as const] : [])));
}
