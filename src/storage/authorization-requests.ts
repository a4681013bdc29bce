/**
 * The facts of authorization requests, in one statement: the client, the browser's session, and the consents of its end-user for the
 * client. Concurrent requests share the statement.
 */

import { and, eq, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { InteractionStore, LoadedRequest } from '../lifecycles/interaction/lifecycle.ts';
import type { Clock } from '../system/clock.ts';
import type { AuthenticClients } from './authentic-clients.ts';
import { batched } from './batches.ts';
import { bound } from './bound.ts';
import { isAuthenticConsent } from './consents.ts';
import type { Drizzle } from './database.ts';
import { decodeOnce } from './decode-rows.ts';
import { reading } from './failures.ts';
import { fixedNow, nowOr, readInstant } from './now.ts';
import { clients, consents, server, sessions, users } from './schema.ts';
import { noServerRow } from './server-row.ts';
import { authenticFirst, isAuthenticSession, LOADED_SESSION, sessionFrom } from './sessions.ts';

type Load = InteractionStore['loadRequest'];
type Key = Parameters<Load>[0];

/** @returns `loadRequest` of the InteractionStore. */
export function requestLoads(db: Drizzle, clock: Clock, macs: RowMacs, authentic: AuthenticClients): Load {
  const statement = decodeOnce(prepareLoad(db));
  const together = async (keys: readonly Key[]): Promise<LoadedRequest[]> => {
    const rows = await reading(() =>
      statement.execute({
        clientIds: keys.map(({ clientId }) => clientId),
        idHashes: keys.map(({ sessionIdHash }) => sessionIdHash && `\\x${Buffer.from(sessionIdHash).toString('hex')}`),
        now: fixedNow(clock),
      }),
    );
    const byPlace = Map.groupBy(rows, ({ place }) => Number(place) - 1);
    return keys.map((_, place) => loadedFrom(macs, authentic, byPlace.get(place)));
  };
  return batched({
    name: 'loadAuthorizationRequest',
    together,
    alone: async (key) => {
      const [loaded] = await together([key]);
      if (!loaded) throw noServerRow();
      return loaded;
    },
    keyOf: (key) => key,
    writes: false,
  });
}

type Row = Awaited<ReturnType<ReturnType<typeof prepareLoad>['execute']>>[number];

/** @param rows one for each remembered consent; one without, where there is none. */
function loadedFrom(macs: RowMacs, authentic: AuthenticClients, rows: readonly Row[] = []): LoadedRequest {
  const first = authenticFirst(rows, macs);
  if (!first) throw noServerRow();
  const { now, client, session, username, ...epochs } = first;
  const isSession = session !== null && username !== null && isAuthenticSession(session, macs);
  return {
    now,
    client: client && authentic.whole(client),
    session: isSession ? sessionFrom({ session, username, ...epochs }) : null,
    remembered: rows.flatMap(({ consent }) =>
      consent && consent.userId === session?.userId && isAuthenticConsent(macs, consent) ? consent : [],
    ),
  };
}

function prepareLoad(db: Drizzle) {
  const asked = sql`unnest(${bound('clientIds', 'text[]')}, ${bound('idHashes', 'text[]')})
    with ordinality as asked (client_id, id_hash, place)`;
  return db
    .select({
      place: sql<string>`asked.place`,
      now: readInstant(nowOr('now')),
      client: clients,
      ...LOADED_SESSION,
      consent: consents,
    })
    .from(server)
    .innerJoin(asked, sql`true`)
    .leftJoin(clients, sql`${clients.clientId} = asked.client_id`)
    .leftJoin(sessions, sql`${sessions.idHash} = asked.id_hash::bytea`)
    .leftJoin(users, eq(users.id, sessions.userId))
    .leftJoin(
      consents,
      and(
        eq(consents.userId, users.id),
        eq(consents.clientId, clients.clientId),
        // A consent under older epochs no longer counts.
        eq(consents.userEpoch, users.epoch),
        eq(consents.clientEpoch, clients.epoch),
      ),
    )
    .prepare('load_authorization_requests');
}
