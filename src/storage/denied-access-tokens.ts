/** Access tokens that were revoked and have no grant to end. A denial is kept until its token would have expired anyway. */

import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { TokenClient } from '../model/client.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { PRESENTING_CLIENT } from './grant-parts.ts';
import { fixedNow, nowOr, readInstant } from './now.ts';
import { clients, deniedAccessTokens, server } from './schema.ts';
import { noServerRow } from './server-row.ts';

type LoadedDenial = {
  /** The database's clock. */
  readonly now: Date;
  /** The client that the token was issued to; null: not found. A deleted client is loaded with its `deletedAt`. */
  readonly client: TokenClient | null;
  readonly isDenied: boolean;
};

export function deniedAccessTokenStore(db: Drizzle, clock: Clock) {
  const loadStatement = prepareLoad(db);
  return {
    load: async (key: { readonly clientId: string; readonly jti: string }): Promise<LoadedDenial> => {
      const [row] = await reading(() => loadStatement.execute({ ...key, now: fixedNow(clock) }));
      if (!row) throw noServerRow();
      return row;
    },
    /** Idempotent. */
    deny: (denial: { readonly jti: string; readonly clientId: string; readonly endsAt: Date }): Promise<unknown> =>
      writing(() => db.insert(deniedAccessTokens).values(denial).onConflictDoNothing()),
  };
}

function prepareLoad(db: Drizzle) {
  return db
    .select({
      now: readInstant(nowOr('now')),
      client: PRESENTING_CLIENT,
      isDenied: sql<boolean>`${isNotNull(deniedAccessTokens.jti)}`,
    })
    .from(server)
    .leftJoin(clients, eq(clients.clientId, sql.placeholder('clientId')))
    .leftJoin(
      deniedAccessTokens,
      // A denial counts only for the client that sent it, so that no client can deny another client's token.
      and(
        eq(deniedAccessTokens.jti, sql.placeholder('jti')),
        eq(deniedAccessTokens.clientId, sql.placeholder('clientId')),
      ),
    )
    .prepare('load_denial');
}
