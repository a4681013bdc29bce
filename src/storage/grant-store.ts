/**
 * The statements about grants: load, move the head, revoke. Prepared once, so a rotation is two round trips. Loads and moves that
 * arrive together share them (batches.ts); each row still has its own guard.
 * One function makes the guard of an issuing commit. It compares an instant, but knows nothing of lifetimes, policies, clients'
 * rights or verifiers: those are guards in the machines.
 */

import { and, eq, sql } from 'drizzle-orm';
import type { GrantStore, HeadMove, HeadRepeat, LoadedGrant, Revocation } from '../lifecycles/grant/lifecycle.ts';
import { actorName } from '../model/actor.ts';
import type { LedgerEntry } from '../model/ledger.ts';
import type { Clock } from '../system/clock.ts';
import type { AuthenticClients, ClientRow } from './authentic-clients.ts';
import { batched } from './batches.ts';
import { bound } from './bound.ts';
import type { Drizzle } from './database.ts';
import { decodeOnce } from './decode-rows.ts';
import { committing, overDeadlocks, reading, writing } from './failures.ts';
import { callOf, grantFunctions, MOVED } from './grant-functions.ts';
import { prepareLoadByFunction } from './grant-load-function.ts';
import { ledgerOf, newHead, presented, stillHolds } from './grant-parts.ts';
import { listed, listOf, listsOf } from './listed.ts';
import { fixedNow, nowOr } from './now.ts';
import type { MadeFunction } from './plpgsql.ts';
import { rawRows } from './raw-rows.ts';
import { clients, grants, server, transitions, users } from './schema.ts';
import { noServerRow } from './server-row.ts';
import { areSpread } from './spread-databases.ts';

/** @param wantsClaims whether loads bring the claims of the end-user; asked at each load, since configuration can change. */
export function grantStore(
  db: Drizzle,
  clock: Clock,
  authentic: AuthenticClients,
  wantsClaims: () => boolean = () => false,
): GrantStore {
  const loadStatement = decodeOnce(prepareLoad(db));
  const loadManyStatement = decodeOnce(prepareLoadMany(db));
  const loadClientStatement = decodeOnce(prepareLoadClient(db));
  const loadClientsStatement = decodeOnce(prepareLoadClients(db));
  const moveStatement = prepareMoveHead(db);
  const moveManyStatement = prepareMoveHeads(db);
  const repeatStatement = prepareRepeatHead(db);
  const revokeStatement = prepareRevoke(db);

  /** Where tables are spread, a statement has the rows of one grant. */
  const isSpread = () => areSpread(db);
  const functions = once(() => ({
    ...grantFunctions(db),
    load: decodeOnce(prepareLoadByFunction(db), true) as unknown as typeof loadStatement,
  }));
  const loadAlone = async (key: LoadKey): Promise<LoadedGrant> => {
    const values = { ...key, withClaims: wantsClaims(), now: fixedNow(clock) };
    const [row] = await reading(() =>
      isSpread() ? overDeadlocks(() => functions().load.execute(values)) : loadStatement.execute(values),
    );
    // A function returns a row without it.
    if (!row || row.serverEpoch === null) throw noServerRow();
    return loadedFrom(authentic, row);
  };
  const loadMany = async (keys: readonly LoadKey[]): Promise<LoadedGrant[]> => {
    const rows = await reading(() =>
      loadManyStatement.execute({
        clientIds: keys.map(({ clientId }) => clientId),
        grantIds: keys.map(({ grantId }) => grantId),
        withClaims: wantsClaims(),
        now: fixedNow(clock),
      }),
    );
    if (rows.length !== keys.length) throw noServerRow();
    const loaded: LoadedGrant[] = [];
    for (const row of rows) loaded[Number(row.place) - 1] = loadedFrom(authentic, row);
    return loaded;
  };

  const loadBatched = batched({
    name: 'loadGrant',
    alone: loadAlone,
    together: loadMany,
    keyOf: (key: LoadKey) => key,
    writes: false,
  });
  const moveBatched = batched<HeadMove, boolean>({
    name: 'moveHead',
    alone: (move) => committing(() => moveStatement.execute({ ...headMoveValues(move), committedAt: fixedNow(clock) })),
    together: async (moves) => {
      const rows = await writing(() =>
        moveManyStatement.execute({
          ...listsOf(MOVED, moves.map(headMoveValues)),
          committedAt: fixedNow(clock),
        }),
      );
      const moved = new Set(rows.map(({ grantId }) => grantId));
      // A move that changed nothing is sent again alone: its row may only have been locked.
      return moves.map(({ loaded }) => moved.has(loaded.id) || undefined);
    },
    keyOf: ({ loaded }) => loaded.id,
    writes: true,
  });
  const called = (of: MadeFunction, values: Readonly<Record<string, unknown>>) =>
    committing(() =>
      overDeadlocks(async () =>
        rawRows<{ done: boolean }>(await db.execute(callOf(of, { ...values, committedAt: fixedNow(clock) }))).filter(
          ({ done }) => done,
        ),
      ),
    );
  const moveHead = (move: HeadMove) =>
    isSpread() ? called(functions().moveHead, headMoveValues(move)) : moveBatched(move);
  const repeatHead = (repeat: HeadRepeat) =>
    isSpread()
      ? called(functions().repeatHead, headRepeatValues(repeat))
      : committing(() => repeatStatement.execute({ ...headRepeatValues(repeat), committedAt: fixedNow(clock) }));
  const revoke = (revocation: Revocation) =>
    isSpread()
      ? called(functions().revoke, revocationValues(revocation))
      : committing(() => revokeStatement.execute(revocationValues(revocation)));

  return {
    loadClient: batched({
      name: 'loadClient',
      alone: async (clientId) => {
        const [row] = await reading(() => loadClientStatement.execute({ clientId, now: fixedNow(clock) }));
        return loadedClientFrom(authentic, row);
      },
      together: async (clientIds) => {
        const rows = await reading(() =>
          loadClientsStatement.execute({ clientIds: [...new Set(clientIds)], now: fixedNow(clock) }),
        );
        const byId = new Map(rows.map((row) => [row.asked, row]));
        return clientIds.map((clientId) => loadedClientFrom(authentic, byId.get(clientId)));
      },
      // Requests of the same client share a row, too.
      keyOf: () => Symbol(),
      writes: false,
    }),
    load: (key) => (isSpread() ? loadAlone(key) : loadBatched(key)),
    commit: (commit) => {
      if (commit.kind === 'moveHead') return moveHead(commit.move);
      return commit.kind === 'repeatHead' ? repeatHead(commit.repeat) : revoke(commit.revocation);
    },
  };
}

/** Made at the first call: one Postgres needs none of the functions of a cluster. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

type LoadKey = { readonly clientId: string; readonly grantId: string };
type LoadRow = Awaited<ReturnType<ReturnType<typeof prepareLoad>['execute']>>[number];

function loadedFrom(authentic: AuthenticClients, { client: row, ...read }: LoadRow): LoadedGrant {
  const { now, grant, user, claims, serverEpoch } = read;
  const client = row && authentic.forToken(row);
  const loaded = grant && {
    ...grant,
    ...(user?.sub && { sub: user.sub }),
    // The machine rejects another client's presentation before any state matters.
    liveClientEpoch: client?.clientId !== grant.clientId ? grant.clientEpoch : client.deletedAt ? null : client.epoch,
    liveUserEpoch: user && !user.disabledAt ? user.epoch : null,
    liveServerEpoch: serverEpoch,
  };
  return { now: new Date(now), client, grant: loaded, claims };
}

function loadedClientFrom(
  authentic: AuthenticClients,
  row: { readonly now: string; readonly client: ClientRow | null } | undefined,
) {
  if (!row) throw noServerRow();
  return { now: new Date(row.now), client: row.client && authentic.whole(row.client) };
}

function prepareLoadClient(db: Drizzle) {
  return db
    .select({ now: nowOr('now'), client: clients })
    .from(server)
    .leftJoin(clients, eq(clients.clientId, sql.placeholder('clientId')))
    .prepare('load_client');
}

function prepareLoadClients(db: Drizzle) {
  return db
    .select({ asked: sql<string>`asked.client_id`, now: nowOr('now'), client: clients })
    .from(server)
    .innerJoin(sql`unnest(${bound('clientIds', 'text[]')}) as asked (client_id)`, sql`true`)
    .leftJoin(clients, sql`${clients.clientId} = asked.client_id`)
    .prepare('load_clients');
}

const PRESENTED = presented(bound);

function prepareLoad(db: Drizzle) {
  return db
    .select({ now: nowOr('now'), ...PRESENTED })
    .from(server)
    .leftJoin(clients, eq(clients.clientId, sql.placeholder('clientId')))
    .leftJoin(grants, sql`${grants.id} = ${bound('grantId', 'uuid')}`)
    .leftJoin(users, eq(users.id, grants.userId))
    .prepare('load_presentation');
}

function prepareLoadMany(db: Drizzle) {
  const asked = sql`unnest(${bound('clientIds', 'text[]')}, ${bound('grantIds', 'uuid[]')})
    with ordinality as asked (client_id, grant_id, place)`;
  return db
    .select({ place: sql<string>`asked.place`, now: nowOr('now'), ...PRESENTED })
    .from(server)
    .innerJoin(asked, sql`true`)
    .leftJoin(clients, sql`${clients.clientId} = asked.client_id`)
    .leftJoin(grants, sql`${grants.id} = asked.grant_id`)
    .leftJoin(users, eq(users.id, grants.userId))
    .prepare('load_presentations');
}

function prepareMoveHead(db: Drizzle) {
  const moved = db
    .$with('moved')
    .as(
      db
        .update(grants)
        .set(newHead(bound))
        .from(clients)
        .innerJoin(users, sql`true`)
        .innerJoin(server, sql`true`)
        .where(stillHolds(bound))
        .returning({ grantId: grants.id, clientId: grants.clientId }),
    );
  return db
    .with(moved)
    .insert(transitions)
    .select(db.select(ledgerOf(bound, '', sql`${moved.grantId}`, sql`${moved.clientId}`)).from(moved))
    .returning({ grantId: transitions.grantId })
    .prepare('move_head');
}

/**
 * The same for many grants, each at most once. Rows that another statement has locked are left out: a move that waits for a row
 * waits alone, and batches never wait for each other.
 */
function prepareMoveHeads(db: Drizzle) {
  const list = listOf(db, MOVED);
  const free = db.$with('free').as(
    db
      .select({ id: grants.id })
      .from(grants)
      .where(sql`${grants.id} in (select ${listed('grantId', 'uuid')} from listed)`)
      .for('no key update', { skipLocked: true }),
  );
  const moved = db.$with('moved').as(
    db
      .update(grants)
      .set(newHead(listed))
      .from(clients)
      .innerJoin(users, sql`true`)
      .innerJoin(server, sql`true`)
      .innerJoin(sql`listed`, sql`true`)
      .where(and(stillHolds(listed), sql`${grants.id} in (select "id" from "free")`))
      .returning({ grantId: grants.id, clientId: grants.clientId }),
  );
  return db
    .with(list, free, moved)
    .insert(transitions)
    .select(
      db
        .select(ledgerOf(listed, '', sql`${moved.grantId}`, sql`${moved.clientId}`))
        .from(moved)
        .innerJoin(sql`listed`, sql`${moved.grantId} = ${listed('grantId', 'uuid')}`),
    )
    .returning({ grantId: transitions.grantId })
    .prepare('move_heads');
}

/** The lock waits for a rotation that is under way, and keeps the next one out until the entry is written. */
function prepareRepeatHead(db: Drizzle) {
  const kept = db
    .$with('kept')
    .as(
      db
        .select({ grantId: grants.id, clientId: grants.clientId })
        .from(grants)
        .innerJoin(clients, sql`true`)
        .innerJoin(users, sql`true`)
        .innerJoin(server, sql`true`)
        .where(stillHolds(bound))
        .for('share', { of: grants }),
    );
  const by = { address: bound('address', 'text'), userAgent: bound('userAgent', 'text') };
  return db
    .with(kept)
    .insert(transitions)
    .select(db.select(ledgerOf(bound, '', sql`${kept.grantId}`, sql`${kept.clientId}`, by)).from(kept))
    .returning({ grantId: transitions.grantId })
    .prepare('repeat_head');
}

function prepareRevoke(db: Drizzle) {
  // Only the id and the state, so that a moving head cannot outrun a revocation.
  const moved = db.$with('moved').as(
    db
      .update(grants)
      .set({
        state: 'revoked',
        revokedAt: bound('now', 'timestamptz'),
        revokedReason: sql`${sql.placeholder('revokedReason')}`,
      })
      .where(and(sql`${grants.id} = ${bound('grantId', 'uuid')}`, eq(grants.state, 'active')))
      .returning({ grantId: grants.id, clientId: grants.clientId }),
  );
  const by = {
    actor: bound('actor', 'text'),
    addressHash: bound('addressHash', 'text'),
    address: bound('address', 'text'),
    userAgent: bound('userAgent', 'text'),
  };
  const entry = (suffix: string) =>
    db.select(ledgerOf(bound, suffix, sql`${moved.grantId}`, sql`${moved.clientId}`, by)).from(moved);
  return db
    .with(moved)
    .insert(transitions)
    .select(entry('1').unionAll(entry('2').where(sql`${bound('machine2', 'text')} is not null`)))
    .returning({ grantId: transitions.grantId })
    .prepare('revoke_grant');
}

function headMoveValues({ generation, nonce, chainEndsAt, ...issuing }: HeadMove) {
  return {
    ...issuingValues(issuing),
    nonce,
    chainEndsAt: chainEndsAt.toISOString(),
    generation: generation.toString(),
  };
}

const headRepeatValues = (repeat: HeadRepeat) => ({
  ...issuingValues(repeat),
  address: repeat.entry.presenter?.address ?? null,
  userAgent: repeat.entry.presenter?.userAgent ?? null,
});

function issuingValues({ loaded, now, endsAt, policy, entry }: HeadRepeat) {
  return {
    grantId: loaded.id,
    clientId: loaded.clientId,
    userId: loaded.userId,
    loadedGeneration: loaded.refreshGeneration?.toString() ?? null,
    loadedNonce: loaded.refreshNonce,
    now: now.toISOString(),
    endsAt: endsAt.toISOString(),
    policy,
    ...entryValues(entry, ''),
  };
}

function revocationValues({ grantId, now, reason, policy, entries }: Revocation) {
  const [first, second] = entries;
  const { actor, presenter } = first ?? {};
  return {
    actor: actor ? actorName(actor) : null,
    addressHash: actor?.addressHash ?? null,
    address: presenter?.address ?? null,
    userAgent: presenter?.userAgent ?? null,
    grantId,
    now: now.toISOString(),
    revokedReason: reason,
    policy,
    ...entryValues(first, '1'),
    ...entryValues(second, '2'),
  };
}

function entryValues(entry: LedgerEntry | undefined, suffix: string) {
  return {
    [`machine${suffix}`]: entry?.machine ?? null,
    [`event${suffix}`]: entry?.event ?? null,
    [`from${suffix}`]: entry?.from ?? null,
    [`to${suffix}`]: entry?.to ?? null,
    [`reason${suffix}`]: entry?.reason ?? null,
    [`generation${suffix}`]: entry?.generation?.toString() ?? null,
    [`scopeWithheld${suffix}`]: entry?.scopeWithheld ?? null,
  };
}
