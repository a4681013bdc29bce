/**
 * The engine's statements: load, move the head, revoke. Prepared once, so a rotation is two round trips.
 * The guard of an issuing commit is made by one function, and knows nothing of expiry, clients' rights or verifiers:
 * those are guards in the machines.
 */
import { and, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { GrantStore, HeadMove, LedgerEntry, Revocation } from '../engine/ports.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { committing, reading } from './failures.ts';
import { fixedNow, nowOr } from './now.ts';
import { clients, grants, server, transitions, users } from './schema.ts';

const bound = (name: string, type: string): SQL => sql`${sql.placeholder(name)}::${sql.raw(type)}`;

export function grantStore(db: Drizzle, clock: Clock): GrantStore {
  const loadStatement = prepareLoad(db);
  const loadClientStatement = prepareLoadClient(db);
  const moveStatement = prepareMoveHead(db);
  const revokeStatement = prepareRevoke(db);
  return {
    loadClient: async (clientId) => {
      const [row] = await reading(() => loadClientStatement.execute({ clientId, now: fixedNow(clock) }));
      if (!row) throw new Error(NO_SERVER_ROW);
      return { now: new Date(row.now), client: row.client };
    },
    load: async ({ clientId, grantId }) => {
      const [row] = await reading(() => loadStatement.execute({ clientId, grantId, now: fixedNow(clock) }));
      if (!row) throw new Error(NO_SERVER_ROW);
      const { grant, client, subject } = row;
      const loaded = grant && {
        ...grant,
        // Another client's presentation is refused by the machine before any state is looked at.
        liveClientEpoch:
          client?.clientId !== grant.clientId ? grant.clientEpoch : client.deletedAt ? null : client.epoch,
        liveSubjectEpoch: subject && !subject.disabledAt ? subject.epoch : null,
        liveServerEpoch: row.serverEpoch,
      };
      return { now: new Date(row.now), client, grant: loaded };
    },
    moveHead: (move) => committing(() => moveStatement.execute(headMoveValues(move))),
    revoke: (revocation) => committing(() => revokeStatement.execute(revocationValues(revocation))),
  };
}

/** Only what a decision needs: each column costs at every rotation. */
export const PRESENTING_CLIENT = {
  clientId: clients.clientId,
  tokenEndpointAuthMethod: clients.tokenEndpointAuthMethod,
  secretMacs: clients.secretMacs,
  grantTypes: clients.grantTypes,
  policy: clients.policy,
  idTokenSignedResponseAlg: clients.idTokenSignedResponseAlg,
  epoch: clients.epoch,
  deletedAt: clients.deletedAt,
};
const { revokedAt: _, policy: __, ...PRESENTED_GRANT } = getTableColumns(grants);

const NO_SERVER_ROW = 'The table "server" has lost its row: apply the migrations.';

function prepareLoadClient(db: Drizzle) {
  return db
    .select({ now: nowOr('now'), client: clients })
    .from(server)
    .leftJoin(clients, eq(clients.clientId, sql.placeholder('clientId')))
    .prepare('load_client');
}

function prepareLoad(db: Drizzle) {
  return db
    .select({
      now: nowOr('now'),
      serverEpoch: server.epoch,
      client: PRESENTING_CLIENT,
      grant: PRESENTED_GRANT,
      subject: { epoch: users.epoch, disabledAt: users.disabledAt },
    })
    .from(server)
    .leftJoin(clients, eq(clients.clientId, sql.placeholder('clientId')))
    .leftJoin(grants, sql`${grants.id} = ${bound('grantId', 'uuid')}`)
    .leftJoin(users, eq(users.id, grants.subjectId))
    .prepare('load_presentation');
}

const same = (column: AnyPgColumn, name: string, type: string) =>
  sql`${column} is not distinct from ${bound(name, type)}`;

/** Every loaded fact still holds: state, head, and the epochs of client, subject and server. */
const stillAsLoaded = () =>
  and(
    sql`${grants.id} = ${bound('grantId', 'uuid')}`,
    eq(grants.state, 'active'),
    same(grants.refreshGeneration, 'loadedGeneration', 'bigint'),
    same(grants.refreshNonce, 'loadedNonce', 'bytea'),
    eq(clients.clientId, grants.clientId),
    eq(clients.epoch, grants.clientEpoch),
    isNull(clients.deletedAt),
    eq(users.id, grants.subjectId),
    eq(users.epoch, grants.subjectEpoch),
    isNull(users.disabledAt),
    eq(server.epoch, grants.serverEpoch),
  );

function prepareMoveHead(db: Drizzle) {
  const moved = db.$with('moved').as(
    db
      .update(grants)
      .set({
        refreshGeneration: bound('generation', 'bigint'),
        refreshNonce: bound('nonce', 'bytea'),
        lastUsedAt: bound('now', 'timestamptz'),
        chainEndsAt: bound('chainEndsAt', 'timestamptz'),
      })
      .from(clients)
      .innerJoin(users, sql`true`)
      .innerJoin(server, sql`true`)
      .where(stillAsLoaded())
      .returning({ grantId: grants.id, clientId: grants.clientId }),
  );
  return db
    .with(moved)
    .insert(transitions)
    .select(db.select(ledgerColumns('', sql`${moved.grantId}`, sql`${moved.clientId}`)).from(moved))
    .returning({ grantId: transitions.grantId })
    .prepare('move_head');
}

function prepareRevoke(db: Drizzle) {
  // Nothing but the id and the state: a revocation cannot be outrun by a head that moves.
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
  const entry = (suffix: string) =>
    db.select(ledgerColumns(suffix, sql`${moved.grantId}`, sql`${moved.clientId}`)).from(moved);
  return db
    .with(moved)
    .insert(transitions)
    .select(entry('1').unionAll(entry('2').where(sql`${bound('machine2', 'text')} is not null`)))
    .returning({ grantId: transitions.grantId })
    .prepare('revoke_grant');
}

function ledgerColumns(suffix: string, grantId: SQL, clientId: SQL) {
  return {
    at: sql<Date>`${bound('now', 'timestamptz')}`.as('at'),
    machine: sql<string>`${bound(`machine${suffix}`, 'text')}`.as('machine'),
    grantId: sql<string>`${grantId}`.as('grant_id'),
    interactionId: sql<string>`null::uuid`.as('interaction_id'),
    event: sql<string>`${bound(`event${suffix}`, 'text')}`.as('event'),
    fromState: sql<string>`${bound(`from${suffix}`, 'text')}`.as('from_state'),
    toState: sql<string>`${bound(`to${suffix}`, 'text')}`.as('to_state'),
    reason: sql<string>`${bound(`reason${suffix}`, 'text')}`.as('reason'),
    generation: sql<bigint>`${bound(`generation${suffix}`, 'bigint')}`.as('generation'),
    clientId: sql<string>`${clientId}`.as('client_id'),
    policy: sql<string>`${bound('policy', 'text')}`.as('policy'),
    signingKeyId: sql<string>`null::text`.as('signing_key_id'),
  };
}

function headMoveValues({ loaded, now, generation, nonce, chainEndsAt, policy, entry }: HeadMove) {
  return {
    grantId: loaded.id,
    loadedGeneration: loaded.refreshGeneration?.toString() ?? null,
    loadedNonce: loaded.refreshNonce,
    now: now.toISOString(),
    nonce,
    chainEndsAt: chainEndsAt.toISOString(),
    policy,
    ...entryValues(entry, ''),
    generation: generation.toString(),
  };
}

function revocationValues({ grantId, now, reason, policy, entries }: Revocation) {
  const [first, second] = entries;
  return {
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
  };
}
