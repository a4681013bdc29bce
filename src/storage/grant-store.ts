/**
 * The statements about grants: load, move the head, revoke. Prepared once, so a rotation is two round trips. Loads and moves that
 * arrive together share them (batches.ts); each row still has its own guard.
 * One function makes the guard of an issuing commit. It compares an instant, but knows nothing of lifetimes, policies, clients'
 * rights or verifiers: those are guards in the machines.
 */

import { and, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { GrantStore, HeadMove, HeadRepeat, LoadedGrant, Revocation } from '../lifecycles/grant/lifecycle.ts';
import { actorName } from '../model/actor.ts';
import type { LedgerEntry } from '../model/ledger.ts';
import type { Claims } from '../model/user.ts';
import type { Clock } from '../system/clock.ts';
import type { AuthenticClients, ClientRow } from './authentic-clients.ts';
import { batched } from './batches.ts';
import { bound, type Given } from './bound.ts';
import type { Drizzle } from './database.ts';
import { decodeOnce } from './decode-rows.ts';
import { committing, reading, writing } from './failures.ts';
import { type LedgerValues, ledgerColumns } from './ledger.ts';
import { listed, listOf, listsOf } from './listed.ts';
import { fixedNow, nowOr } from './now.ts';
import { clients, grants, server, transitions, users } from './schema.ts';
import { noServerRow } from './server-row.ts';

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

  const moveHead = batched<HeadMove, boolean>({
    name: 'moveHead',
    alone: (move) => committing(() => moveStatement.execute({ ...headMoveValues(move), committedAt: fixedNow(clock) })),
    together: async (moves) => {
      const rows = await writing(() =>
        moveManyStatement.execute({
          ...listsOf(MOVE_COLUMNS, moves.map(headMoveValues)),
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
  const repeatHead = (repeat: HeadRepeat) =>
    committing(() => repeatStatement.execute({ ...headRepeatValues(repeat), committedAt: fixedNow(clock) }));
  const revoke = (revocation: Revocation) => committing(() => revokeStatement.execute(revocationValues(revocation)));

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
    load: batched({
      name: 'loadGrant',
      alone: async (key) => {
        const [row] = await reading(() =>
          loadStatement.execute({ ...key, withClaims: wantsClaims(), now: fixedNow(clock) }),
        );
        if (!row) throw noServerRow();
        return loadedFrom(authentic, row);
      },
      together: loadMany,
      keyOf: (key) => key,
      writes: false,
    }),
    commit: (commit) => {
      if (commit.kind === 'moveHead') return moveHead(commit.move);
      return commit.kind === 'repeatHead' ? repeatHead(commit.repeat) : revoke(commit.revocation);
    },
  };
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

/** Only the columns that a decision needs: each costs time at every rotation. */
export const PRESENTING_CLIENT = {
  clientId: clients.clientId,
  tokenEndpointAuthMethod: clients.tokenEndpointAuthMethod,
  secretMacs: clients.secretMacs,
  grantTypes: clients.grantTypes,
  scope: clients.scope,
  policy: clients.policy,
  idTokenSignedResponseAlg: clients.idTokenSignedResponseAlg,
  dpopBoundAccessTokens: clients.dpopBoundAccessTokens,
  tlsClientCertificateBoundAccessTokens: clients.tlsClientCertificateBoundAccessTokens,
  epoch: clients.epoch,
  deletedAt: clients.deletedAt,
  tokenMac: clients.tokenMac,
  macVersion: clients.macVersion,
};
const { revokedAt: _, policy: __, ...PRESENTED_GRANT } = getTableColumns(grants);

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

const PRESENTED = {
  serverEpoch: server.epoch,
  client: PRESENTING_CLIENT,
  grant: PRESENTED_GRANT,
  // Drizzle takes a row whose first column is null for none.
  user: { epoch: users.epoch, disabledAt: users.disabledAt, sub: users.sub },
  /** As `findClaims` of users.ts; null where they are not wanted, so that a rotation does not read them in vain. */
  claims: sql<Claims | null>`case when ${bound('withClaims', 'boolean')}
    then jsonb_build_object('preferred_username', ${users.username}) || ${users.claims} end`.mapWith(users.claims),
};

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

const same = (column: AnyPgColumn, value: SQL) => sql`${column} is not distinct from ${value}`;

/** Every loaded fact still holds: state, head, the epochs of client, user and server; and the presented credential has not ended. */
const stillHolds = (given: Given) =>
  and(
    sql`${grants.id} = ${given('grantId', 'uuid')}`,
    eq(grants.state, 'active'),
    sql`${nowOr('committedAt')} < ${given('endsAt', 'timestamptz')}`,
    same(grants.refreshGeneration, given('loadedGeneration', 'bigint')),
    same(grants.refreshNonce, given('loadedNonce', 'bytea')),
    eq(clients.clientId, grants.clientId),
    eq(clients.epoch, grants.clientEpoch),
    isNull(clients.deletedAt),
    eq(users.id, grants.userId),
    eq(users.epoch, grants.userEpoch),
    isNull(users.disabledAt),
    eq(server.epoch, grants.serverEpoch),
  );

const newHead = (given: Given) => ({
  refreshGeneration: given('generation', 'bigint'),
  refreshNonce: given('nonce', 'bytea'),
  lastUsedAt: given('now', 'timestamptz'),
  chainEndsAt: given('chainEndsAt', 'timestamptz'),
});

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
  const list = listOf(db, MOVE_COLUMNS);
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

/** @param by the actor who asked on behalf of others, or the presenter of a used credential. */
const ledgerOf = (
  given: Given,
  suffix: string,
  grantId: SQL,
  clientId: SQL,
  by: Pick<LedgerValues, 'actor' | 'addressHash' | 'address' | 'userAgent'> = {},
) =>
  ledgerColumns({
    at: given('now', 'timestamptz'),
    machine: given(`machine${suffix}`, 'text'),
    shardKey: grantId,
    grantId,
    event: given(`event${suffix}`, 'text'),
    from: given(`from${suffix}`, 'text'),
    to: given(`to${suffix}`, 'text'),
    reason: given(`reason${suffix}`, 'text'),
    generation: given(`generation${suffix}`, 'bigint'),
    clientId,
    policy: given('policy', 'text'),
    scopeWithheld: given(`scopeWithheld${suffix}`, 'text'),
    ...by,
  });

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
    loadedGeneration: loaded.refreshGeneration?.toString() ?? null,
    loadedNonce: loaded.refreshNonce,
    now: now.toISOString(),
    endsAt: endsAt.toISOString(),
    policy,
    ...entryValues(entry, ''),
  };
}

const MOVE_COLUMNS = [
  'grantId',
  'loadedGeneration',
  'loadedNonce',
  'now',
  'nonce',
  'chainEndsAt',
  'endsAt',
  'policy',
  'machine',
  'event',
  'from',
  'to',
  'reason',
  'generation',
  'scopeWithheld',
] as const;

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
