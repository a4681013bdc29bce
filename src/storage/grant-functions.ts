/**
 * The commits of grants as functions of Postgres, for tables that are spread (docs/decisions/0118). Citus sends a call to the worker that
 * has the grant. There the change of the row and its entry of the ledger are one transaction. Each statement within is about one table
 * and one key, which Citus plans faster than a join.
 *
 * The functions have the conditions and values of the statements in grant-store.ts. The name of each ends with a digest of its text: nodes
 * of two versions of this server call functions of their own.
 */
import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { CLIENT_IS_THERE, ledgerOf, newHead, rowStillHolds, USER_IS_ENABLED } from './grant-parts.ts';
import {
  type Arguments,
  argument,
  argumentOf,
  type MadeFunction,
  madeFunction,
  readInto,
  textOf,
  writeInto,
} from './plpgsql.ts';
import { clients, grants, server, transitions, users } from './schema.ts';

const entry = (suffix: string): Arguments => ({
  ...{ [`machine${suffix}`]: 'text', [`event${suffix}`]: 'text', [`from${suffix}`]: 'text', [`to${suffix}`]: 'text' },
  ...{ [`reason${suffix}`]: 'text', [`generation${suffix}`]: 'bigint', [`scopeWithheld${suffix}`]: 'text' },
});
const PRESENTER = { address: 'text', userAgent: 'text' };
const LOADED = { grantId: 'uuid', loadedGeneration: 'bigint', loadedNonce: 'bytea' };
const ISSUED = { now: 'timestamptz', endsAt: 'timestamptz', policy: 'text', ...entry('') };
const HEAD = { nonce: 'bytea', chainEndsAt: 'timestamptz' };
/** By them the function finds the epochs, which it compares with those of the grant. */
const HOLDERS = { clientId: 'text', userId: 'uuid', committedAt: 'timestamptz' };
const MOVE = { ...LOADED, ...ISSUED, ...HEAD, ...HOLDERS };
const REPEAT = { ...LOADED, ...ISSUED, ...HOLDERS, ...PRESENTER };
const REVOKE = {
  ...{ grantId: 'uuid', now: 'timestamptz', revokedReason: 'text', policy: 'text', actor: 'text', addressHash: 'text' },
  ...PRESENTER,
  ...entry('1'),
  ...entry('2'),
};
/** The values of a move that a list of moves has for each. */
export const MOVED = Object.keys({ ...LOADED, ...ISSUED, ...HEAD });

/** Known before the statements: Citus plans one that asks a clock or a sequence more slowly. */
const COMMITTED_AT = sql.raw('committed_at');
const LIVE = { server: sql.raw('live_server'), client: sql.raw('live_client'), user: sql.raw('live_user') };
const FOUND = { id: grants.id, clientId: grants.clientId };
const GUARDED = 'if not found then return false; end if;';

export function grantFunctions(db: Drizzle) {
  const [clientId, userId] = [argument('clientId', 'text'), argument('userId', 'uuid')];
  const live = [
    readInto(db.select({ epoch: server.epoch }).from(server), 'live_server'),
    readInto(
      db
        .select({ epoch: clients.epoch })
        .from(clients)
        .where(and(eq(clients.clientId, clientId), CLIENT_IS_THERE)),
      'live_client',
    ),
    readInto(
      db
        .select({ epoch: users.epoch })
        .from(users)
        .where(and(eq(users.id, userId), USER_IS_ENABLED)),
      'live_user',
    ),
  ];
  const isHeld = and(
    rowStillHolds(argument, COMMITTED_AT),
    eq(grants.clientId, clientId),
    eq(grants.clientEpoch, LIVE.client),
    eq(grants.userId, userId),
    eq(grants.userEpoch, LIVE.user),
    eq(grants.serverEpoch, LIVE.server),
  );
  const revoked = {
    state: 'revoked' as const,
    revokedAt: argument('now', 'timestamptz'),
    revokedReason: argument('revokedReason', 'text'),
  };
  const isActive = and(eq(grants.id, argument('grantId', 'uuid')), eq(grants.state, 'active'));
  const [address, userAgent] = [argument('address', 'text'), argument('userAgent', 'text')];
  const by = { address, userAgent, actor: argument('actor', 'text'), addressHash: argument('addressHash', 'text') };
  return {
    moveHead: commit('move_head', MOVE, [
      ...live,
      writeInto(db.update(grants).set(newHead(argument)).where(isHeld).returning(FOUND), 'found_grant'),
      GUARDED,
      entryOf(''),
    ]),
    repeatHead: commit('repeat_head', REPEAT, [
      ...live,
      readInto(db.select(FOUND).from(grants).where(isHeld).for('share'), 'found_grant'),
      GUARDED,
      entryOf('', { address, userAgent }),
    ]),
    revoke: commit('revoke_grant', REVOKE, [
      writeInto(db.update(grants).set(revoked).where(isActive).returning(FOUND), 'found_grant'),
      GUARDED,
      entryOf('1', by),
      `if ${argumentOf('machine2')} is not null then ${entryOf('2', by)} end if;`,
    ]),
  };
}

/** @returns a statement that is true where the guard held. A value without the right type would be another function. */
export const callOf = ({ name, arguments: all }: MadeFunction, values: Readonly<Record<string, unknown>>): SQL =>
  sql`select ${sql.identifier(name)}(${sql.join(
    Object.keys(all).map((one) => sql`${values[one] ?? null}`),
    sql`, `,
  )}) as done`;

function commit(name: string, all: Arguments, body: readonly string[]): MadeFunction {
  const at = 'committedAt' in all ? `committed_at timestamptz := coalesce(${argumentOf('committedAt')}, now());` : '';
  return madeFunction(name, all, 'boolean', [
    'declare found_grant record; next_position bigint; live_server bigint; live_client bigint; live_user bigint;',
    at,
    'begin',
    ...body,
    'return true;',
    'end',
  ]);
}

function entryOf(suffix: string, by: Parameters<typeof ledgerOf>[4] = {}): string {
  const [grantId, clientId] = [sql.raw('found_grant.id'), sql.raw('found_grant.client_id')];
  const values = ledgerOf(argument, suffix, grantId, clientId, by);
  const asked = { position: sql.raw('next_position'), recordedIn: sql`null` };
  const columns = Object.entries(getTableColumns(transitions)).map(([property, { name }]) => ({
    name: sql.identifier(name),
    value: property in asked ? asked[property as keyof typeof asked] : values[property as keyof typeof values].sql,
  }));
  const [names, given] = [columns.map(({ name }) => name), columns.map(({ value }) => value)];
  // A trigger sets the transaction.
  return `next_position := nextval('transitions_position'); ${textOf(
    sql`insert into ${transitions} (${sql.join(names, sql`, `)}) values (${sql.join(given, sql`, `)});`,
  )}`;
}
