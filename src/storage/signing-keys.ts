/** The table of signing keys: the statements that read it, and the single statement that moves keys. */

import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { StoredSigningKey } from '../crypto/signing-keys.ts';
import type { SigningKeyCommit, SigningKeyStore } from '../lifecycles/signing-key/lifecycle.ts';
import { signingKeyFacts } from '../lifecycles/signing-key/table.ts';
import { actorName } from '../model/actor.ts';
import type { SigningKeyRow } from '../model/signing-key.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { committing, reading, writing } from './failures.ts';
import { instant, keyOf, ledgerColumns } from './ledger.ts';
import { nowOf } from './now.ts';
import { FIRST_VERSION } from './row-version.ts';
import { server, signingKeys, transitions } from './schema.ts';
import { noServerRow } from './server-row.ts';

export type ListedSigningKey = Omit<StoredSigningKey, 'privateJwe'> &
  Pick<SigningKeyRow, 'state'> & {
    /** Null: erased. */
    readonly privateJwe: string | null;
    readonly mac: Buffer | null;
    readonly macVersion: bigint;
  };

/** Whether a process with the root secret published it. */
export const isAuthenticKey = (
  key: Pick<ListedSigningKey, 'kid' | 'alg' | 'publicJwk' | 'mac' | 'macVersion'>,
  macs: RowMacs,
): boolean => macs.isRight(...signingKeyFacts(key), key.mac);

/** Newest first. */
export const listSigningKeys = (db: Drizzle): Promise<ListedSigningKey[]> =>
  reading(() =>
    db
      .select({
        kid: signingKeys.kid,
        alg: signingKeys.alg,
        publicJwk: signingKeys.publicJwk,
        privateJwe: signingKeys.privateJwe,
        state: signingKeys.state,
        mac: signingKeys.mac,
        macVersion: signingKeys.macVersion,
      })
      .from(signingKeys)
      .orderBy(desc(signingKeys.createdAt), signingKeys.kid),
  );

/** Keys that are not retired, and that the server neither uses nor publishes. */
export const ignoredSigningKeys = async (db: Drizzle, macs: RowMacs): Promise<readonly ListedSigningKey[]> =>
  (await listSigningKeys(db)).filter((key) => key.state !== 'retired' && !isAuthenticKey(key, macs));

/** Replaces only the row that was read: a private half that was erased since stays erased. */
export const replacePrivateJwe = (db: Drizzle, kid: string, read: string, privateJwe: string): Promise<unknown> =>
  writing(() =>
    db
      .update(signingKeys)
      .set({ privateJwe })
      .where(and(eq(signingKeys.kid, kid), eq(signingKeys.privateJwe, read))),
  );

/** Replaces only the row that was read. */
export const replaceKeyMac = (db: Drizzle, key: ListedSigningKey, macs: RowMacs): Promise<unknown> => {
  const next = { ...key, macVersion: key.macVersion + 1n };
  return writing(() =>
    db
      .update(signingKeys)
      .set({ mac: macs.macOf(...signingKeyFacts(next)), macVersion: next.macVersion })
      .where(and(eq(signingKeys.kid, key.kid), eq(signingKeys.macVersion, key.macVersion))),
  );
};

export function signingKeyStore(db: Drizzle, clock: Clock, macs: RowMacs): SigningKeyStore {
  return {
    load: async () => {
      const rows = await reading(() =>
        db
          .select({ now: sql<string>`${nowOf(clock)}`, key: LOADED, published: PUBLISHED })
          .from(server)
          .leftJoin(signingKeys, sql`true`)
          .orderBy(desc(signingKeys.createdAt), signingKeys.kid),
      );
      const [row] = rows;
      if (!row) throw noServerRow();
      // The machine decides about keys that were made here.
      return {
        now: new Date(row.now),
        keys: rows.flatMap(({ key, published }) => (key && published && isAuthenticKey(published, macs) ? key : [])),
      };
    },
    commit: (commit) => committing(() => commitStatement(db, macs, commit)),
  };
}

const PUBLISHED = {
  kid: signingKeys.kid,
  alg: signingKeys.alg,
  publicJwk: signingKeys.publicJwk,
  mac: signingKeys.mac,
  macVersion: signingKeys.macVersion,
};

const LOADED = {
  kid: signingKeys.kid,
  alg: signingKeys.alg,
  state: signingKeys.state,
  createdAt: signingKeys.createdAt,
  maySignAt: signingKeys.maySignAt,
  beganSigningAt: signingKeys.beganSigningAt,
  rotationAskedAt: signingKeys.rotationAskedAt,
  stoppedSigningAt: signingKeys.stoppedSigningAt,
  retiredAt: signingKeys.retiredAt,
  retiredReason: signingKeys.retiredReason,
  hasPrivateHalf: sql<boolean>`${signingKeys.privateJwe} is not null`,
};

/** Of the advisory locks: any number that no other use has. */
const TURN_OF_KEYS = 7517;

const values = (rows: readonly SQL[]): SQL => sql`values ${sql.join([...rows], sql`, `)}`;

/**
 * All or nothing in one statement. `held` locks every row that is to move, if it is still in the state that it moves from; if a
 * row is missing, nothing moves and nothing is added. So two handovers, or a handover and a revocation, never leave an algorithm
 * without a signer; the constraint of the table prevents two signers. Nodes take turns: two that hurt an exclusion constraint at the
 * same time would wait for each other, until Postgres ends one of them after a second.
 */
function commitStatement(db: Drizzle, macs: RowMacs, { now, moves, added, entries }: SigningKeyCommit) {
  // The last row only sets the types, and matches no key.
  const steps = values([
    ...moves.map(
      ({ from, after }) =>
        sql`(${after.kid}::text, ${from}::text, ${after.state}::text, ${instant(after.beganSigningAt)},
          ${instant(after.rotationAskedAt)}, ${instant(after.stoppedSigningAt)}, ${instant(after.retiredAt)},
          ${after.retiredReason}::text, ${after.hasPrivateHalf}::boolean)`,
    ),
    sql`(null, null, null, null::timestamptz, null::timestamptz, null::timestamptz, null::timestamptz, null, null::boolean)`,
  ]);
  const lines = values(
    entries.map(
      ({ signingKeyId, machine, event, from, to, reason, actor }, index) =>
        sql`(${index}::int, ${signingKeyId}::text, ${machine}::text, ${event}::text, ${from}::text, ${to}::text, ${reason}::text,
          ${actor ? actorName(actor) : null}::text, ${actor?.addressHash ?? null}::text)`,
    ),
  );
  const whole = sql`exists (select from turn) and (select count(*) from held) = ${moves.length}::int`;
  const kid = { kid: sql<string>`kid`.as('kid') };
  const step = db
    .$with('step', kid)
    .as(
      sql`select * from (${steps}) as s (kid, from_state, to_state, began, asked, stopped, retired, reason, has_private_half)`,
    );
  const turn = db
    .$with('turn', { turn: sql<string>`turn`.as('turn') })
    .as(sql`select pg_advisory_xact_lock(${TURN_OF_KEYS})::text as turn`);
  const held = db.$with('held', kid).as(sql`
    select k.kid from signing_keys k join step on step.kid = k.kid and step.from_state = k.state
    where exists (select from turn)
    order by k.kid for update of k`);
  const moved = db.$with('moved', kid).as(sql`
    update signing_keys k set
      state = step.to_state, began_signing_at = step.began, rotation_asked_at = step.asked,
      stopped_signing_at = step.stopped, retired_at = step.retired, retired_reason = step.reason,
      private_jwe = case when step.has_private_half then k.private_jwe end
    from step where step.kid = k.kid and step.from_state = k.state and ${whole}
    returning k.kid`);
  const created = db.$with('created', kid).as(
    added === null
      ? sql`select null::text as kid where false`
      : sql`
    insert into signing_keys (kid, alg, public_jwk, private_jwe, state, created_at, may_sign_at, began_signing_at, mac)
    select ${added.key.kid}::text, ${added.key.alg}::text, ${JSON.stringify(added.key.publicJwk)}::jsonb,
      ${added.key.privateJwe}::text, ${added.after.state}::text, ${instant(added.after.createdAt)},
      ${instant(added.after.maySignAt)}, ${instant(added.after.beganSigningAt)},
      ${macs.macOf(...signingKeyFacts({ ...added.key, macVersion: FIRST_VERSION }))}::bytea
    where ${whole}
    returning kid`,
  );
  const line = db.$with('line', kid).as(sql`
    select * from (${lines}) as l (place, kid, machine, event, from_state, to_state, reason, actor, address_hash)`);
  return db
    .with(step, turn, held, moved, created, line)
    .insert(transitions)
    .select(
      db
        .select(
          ledgerColumns({
            at: instant(now),
            machine: sql`line.machine`,
            event: sql`line.event`,
            from: sql`line.from_state`,
            to: sql`line.to_state`,
            reason: sql`line.reason`,
            shardKey: keyOf(sql`line.kid`),
            signingKeyId: sql`line.kid`,
            actor: sql`line.actor`,
            addressHash: sql`line.address_hash`,
          }),
        )
        .from(line)
        .where(sql`line.kid in (select kid from moved union all select kid from created)`)
        .orderBy(sql`line.place`),
    )
    .returning({ signingKeyId: transitions.signingKeyId });
}
