/** The parts that statements about grants share, whether they have values of one row, of a list, or arguments (grant-functions.ts). */
import { and, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Claims } from '../model/user.ts';
import type { Given } from './bound.ts';
import { type LedgerValues, ledgerColumns } from './ledger.ts';
import { nowOr } from './now.ts';
import { clients, grants, server, users } from './schema.ts';

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

/** All facts of a presentation, of the row of each. */
export const presented = (given: Given) => ({
  serverEpoch: server.epoch,
  client: PRESENTING_CLIENT,
  grant: PRESENTED_GRANT,
  // Drizzle takes a row whose first column is null for none.
  user: { epoch: users.epoch, disabledAt: users.disabledAt, sub: users.sub },
  /** As `findClaims` of users.ts; null where they are not wanted, so that a rotation does not read them in vain. */
  claims: sql<Claims | null>`case when ${given('withClaims', 'boolean')}
    then jsonb_build_object('preferred_username', ${users.username}) || ${users.claims} end`.mapWith(users.claims),
});

const same = (column: AnyPgColumn, value: SQL) => sql`${column} is not distinct from ${value}`;

/** Facts of the row itself: state, head, and that the presented credential has not ended. */
export const rowStillHolds = (given: Given, committedAt: SQL) =>
  and(
    sql`${grants.id} = ${given('grantId', 'uuid')}`,
    eq(grants.state, 'active'),
    sql`${committedAt} < ${given('endsAt', 'timestamptz')}`,
    same(grants.refreshGeneration, given('loadedGeneration', 'bigint')),
    same(grants.refreshNonce, given('loadedNonce', 'bytea')),
  );

/** Which clients and end-users can have tokens. */
export const CLIENT_IS_THERE = isNull(clients.deletedAt);
export const USER_IS_ENABLED = isNull(users.disabledAt);

/** Every loaded fact still holds: those of the row, and the epochs of client, user and server. */
export const stillHolds = (given: Given) =>
  and(
    rowStillHolds(given, nowOr('committedAt')),
    eq(clients.clientId, grants.clientId),
    eq(clients.epoch, grants.clientEpoch),
    CLIENT_IS_THERE,
    eq(users.id, grants.userId),
    eq(users.epoch, grants.userEpoch),
    USER_IS_ENABLED,
    eq(server.epoch, grants.serverEpoch),
  );

export const newHead = (given: Given) => ({
  refreshGeneration: given('generation', 'bigint'),
  refreshNonce: given('nonce', 'bytea'),
  lastUsedAt: given('now', 'timestamptz'),
  chainEndsAt: given('chainEndsAt', 'timestamptz'),
});

/** @param by the actor who asked on behalf of others, or the presenter of a used credential. */
export const ledgerOf = (
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
