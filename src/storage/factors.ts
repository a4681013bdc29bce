/** The statements about authenticator apps, recovery codes, passkeys and trusted browsers. Each commit writes its line of the ledger. */

import { and, desc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { Passkey } from '../lifecycles/passkey/entity.ts';
import { type LoadedPasskey, type PasskeyStore, unregistered } from '../lifecycles/passkey/lifecycle.ts';
import { passkeyFacts } from '../lifecycles/passkey/table.ts';
import type { LoadedRecoveryCode, RecoveryCodeStore } from '../lifecycles/recovery-code/lifecycle.ts';
import type { SecondFactor } from '../lifecycles/second-factor/entity.ts';
import type { LoadedSecondFactor, SecondFactorStore } from '../lifecycles/second-factor/lifecycle.ts';
import type { LoadedTrustedBrowser, TrustedBrowserStore } from '../lifecycles/trusted-browser/lifecycle.ts';
import { trustedBrowserFacts } from '../lifecycles/trusted-browser/table.ts';
import { NO_PASSWORD } from '../model/user.ts';
import type { Clock } from '../system/clock.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { endedAmong } from './ended-rows.ts';
import { reading, writing } from './failures.ts';
import { EPOCHS_OF_USER } from './live-epochs.ts';
import { nowOf, readInstantOrNull, readNow } from './now.ts';
import { ofAnotherKey } from './of-another-key.ts';
import { otherWays } from './other-ways.ts';
import {
  type linkedIdentities,
  passkeys,
  recoveryCodes,
  secondFactors,
  server,
  spentChallenges,
  trustedBrowsers,
  users,
} from './schema.ts';
import { selectionFor } from './selection.ts';
import { readServer } from './server-row.ts';
import { isAuthenticUser } from './users.ts';

/** The `id` tells an end-user who may sign in from none. */
const OWNER = { id: users.id, disabledAt: users.disabledAt };

/** Another active factor of this end-user than the one with this id, which may be a column of the same table. */
const another = (userId: SQL, id: SQL): SQL<boolean> => sql`(
  exists (select 1 from ${secondFactors} other where other.user_id = ${userId} and other.state = 'active' and other.id <> ${id})
  or exists (select 1 from ${passkeys} other where other.user_id = ${userId} and other.state = 'active' and other.id <> ${id}))`;

/** The factors beside the password, by the table of their active rows. Recovery codes stand in for a lost factor. */
export const TABLE_OF_FACTOR = {
  passkey: passkeys,
  authenticator_app: secondFactors,
  recovery_code: recoveryCodes,
} as const;

/** Factors that are where a cluster has their end-user; each node has the others. */
export const FACTORS_BESIDE_SESSIONS = [secondFactors, recoveryCodes] as const;

type Counted = typeof passkeys | typeof secondFactors | typeof recoveryCodes | typeof linkedIdentities;

const active = (table: Counted, userId: string): SQL =>
  sql`from ${table} where ${table.userId} = ${userId} and ${table.state} = 'active'`;

export const numberOfActive = (table: Counted, userId: string): SQL<number> =>
  sql<number>`(select count(*)::int ${active(table, userId)})`;

/** `appSince`: when the oldest authenticator app was set up; null: the end-user has none. */
export const factorCounts = (userId: string) => ({
  passkeys: numberOfActive(passkeys, userId),
  apps: numberOfActive(secondFactors, userId),
  appSince: readInstantOrNull(sql`(select min(${secondFactors.confirmedAt}) ${active(secondFactors, userId)})`),
  recoveryCodes: numberOfActive(recoveryCodes, userId),
});

export type FactorCounts = Readonly<Record<'passkeys' | 'apps' | 'recoveryCodes', number>> & {
  readonly appSince: Date | null;
};

const uuid = (id: string): SQL => sql`${id}::uuid`;

/**
 * A statement of its own locks the row of the end-user first: a row that the next statement finds missing is still missing at its commit.
 * Under READ COMMITTED (Postgres, §13.2.1) a statement that waited for this lock itself would not see the rows inserted since.
 */
const alone = <T>(db: Drizzle, userId: string, write: (tx: Drizzle) => PromiseLike<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update');
    return write(tx);
  });

export function secondFactorStore(db: Drizzle, clock: Clock): SecondFactorStore & FactorLists {
  const loadBy = (userId: string, which: SQL): Promise<readonly LoadedSecondFactor[]> =>
    reading(() =>
      db
        .select({
          now: readNow(clock),
          factor: secondFactors,
          user: OWNER,
          hasAnother: another(sql`${secondFactors.userId}`, sql`${secondFactors.id}`),
        })
        .from(secondFactors)
        .innerJoin(users, eq(users.id, secondFactors.userId))
        .where(and(eq(secondFactors.userId, userId), which))
        .orderBy(desc(secondFactors.createdAt)),
    );
  return {
    load: async (userId, id) => (await loadBy(userId, eq(secondFactors.id, id)))[0] ?? null,
    loadActive: (userId) => loadBy(userId, eq(secondFactors.state, 'active')),
    commit: commitStore(db),
    insertApp: async (factor) => {
      await writing(() =>
        db.insert(secondFactors).values({ ...factor, state: 'unconfirmed', createdAt: nowOf(clock) }),
      );
    },
    kindsOf: (userId) => {
      const has = (table: typeof secondFactors | typeof passkeys) =>
        sql<boolean>`exists (select 1 from ${table} where ${table.userId} = ${userId}::uuid and ${table.state} = 'active')`;
      const hasPassword = sql<boolean>`exists (select 1 from ${users} where ${users.id} = ${userId}::uuid
        and ${users.passwordHash} <> ${NO_PASSWORD})`;
      return readServer(() =>
        db
          .select({ now: readNow(clock), hasApp: has(secondFactors), hasPasskey: has(passkeys), hasPassword })
          .from(server),
      );
    },
    listApps: (userId) =>
      reading(() =>
        db
          .select()
          .from(secondFactors)
          .where(and(eq(secondFactors.userId, userId), inArray(secondFactors.state, ['unconfirmed', 'active'])))
          .orderBy(desc(secondFactors.createdAt)),
      ),
    listPasskeys: (userId) =>
      reading(() =>
        db
          .select()
          .from(passkeys)
          .where(and(eq(passkeys.userId, userId), eq(passkeys.state, 'active')))
          .orderBy(desc(passkeys.createdAt)),
      ),
  };
}

export type FactorLists = {
  /** The set-up of an app begins. */
  readonly insertApp: (factor: {
    readonly id: string;
    readonly userId: string;
    readonly sealedSecret: string;
  }) => Promise<void>;
  /** Those that are active, newest first, as the machine is asked about them. */
  readonly loadActive: (userId: string) => Promise<readonly LoadedSecondFactor[]>;
  /** The kinds of those that are active, whether there is a password, and the time at which they were read. */
  readonly kindsOf: (userId: string) => Promise<{
    readonly hasApp: boolean;
    readonly hasPasskey: boolean;
    readonly hasPassword: boolean;
    readonly now: Date;
  }>;
  /** Those that were not removed, newest first. */
  readonly listApps: (userId: string) => Promise<readonly SecondFactor[]>;
  readonly listPasskeys: (userId: string) => Promise<readonly Passkey[]>;
};

/** Whether the end-user has, or had, one of the codes. @throws StoreUnavailable */
export async function begunCodes(db: Drizzle, userId: string, hashes: readonly Buffer[]): Promise<boolean> {
  const rows = await reading(() =>
    db
      .select({ id: recoveryCodes.id })
      .from(recoveryCodes)
      .where(and(eq(recoveryCodes.userId, userId), inArray(recoveryCodes.codeHash, [...hashes])))
      .limit(1),
  );
  const keys = hashes.map((hash) => hash.toString('hex'));
  return rows.length > 0 || (await endedAmong(db, 'recovery_codes', keys)).length > 0;
}

export function recoveryCodeStore(db: Drizzle, clock: Clock): RecoveryCodeStore {
  const { id, userId: owner, state, endedAt } = recoveryCodes;
  const found = async (userId: string, which: SQL): Promise<LoadedRecoveryCode | null> => {
    const [row] = await reading(() =>
      db
        .select({
          now: readNow(clock),
          code: { id, userId: owner, state, endedAt },
          user: OWNER,
        })
        .from(recoveryCodes)
        .innerJoin(users, eq(users.id, owner))
        .where(and(eq(owner, userId), which)),
    );
    return row ?? null;
  };
  return {
    find: (userId, hashes) =>
      found(
        userId,
        inArray(
          recoveryCodes.codeHash,
          hashes.map((hash) => Buffer.from(hash)),
        ),
      ),
    load: (userId, code) => found(userId, eq(id, code)),
    active: async (userId) => {
      const rows = await reading(() =>
        db
          .select({ id })
          .from(recoveryCodes)
          .where(and(eq(owner, userId), eq(state, 'active'))),
      );
      return rows.map((row) => row.id);
    },
    insert: async (userId, codes) => {
      const rows = codes.map(({ id, hash }) => sql`(${id}::uuid, ${Buffer.from(hash)}::bytea)`);
      const insert = (tx: Drizzle) =>
        tx
          .insert(recoveryCodes)
          .select(
            tx
              .select(
                selectionFor(recoveryCodes, {
                  id: sql`made.id`,
                  userId: sql`owner.id`,
                  state: sql`'active'::text`,
                  codeHash: sql`made.hash`,
                  createdAt: nowOf(clock),
                }),
              )
              .from(
                sql`(select id from ${users} where id = ${userId}::uuid) as owner
                  cross join (values ${sql.join(rows, sql`, `)}) as made (id, hash)`,
              )
              .where(
                sql`not exists (select 1 from ${recoveryCodes} where user_id = ${userId}::uuid and state = 'active')`,
              ),
          )
          .returning({ id });
      // Two concurrent requests do not make twenty codes.
      const inserted = await writing(() => alone(db, userId, insert));
      return inserted.length > 0;
    },
    commit: commitStore(db),
  };
}

export function passkeyStore(db: Drizzle, clock: Clock, macs: RowMacs): PasskeyStore & ChallengeStore {
  const loadBy = async (which: SQL | undefined): Promise<LoadedPasskey | null> => {
    const theirs = sql`${secondFactors.userId} in (select ${passkeys.userId} from ${passkeys} where ${which})`;
    const [row] = await reading(() =>
      db
        .with(ofAnotherKey(db, secondFactors, theirs))
        .select({
          now: readNow(clock),
          passkey: passkeys,
          owner: users,
          hasAnother: another(sql`${passkeys.userId}`, sql`${passkeys.id}`),
          otherWays: otherWays(sql`${passkeys.id}`),
        })
        .from(passkeys)
        .innerJoin(users, eq(users.id, passkeys.userId))
        .where(which),
    );
    if (!row) return null;
    const { owner, ...loaded } = row;
    // An end-user whom a foreign write enabled may not sign in.
    return { ...loaded, user: isAuthenticUser(owner, macs) ? owner : null, userEpoch: owner.epoch };
  };
  const load: PasskeyStore['load'] = async (key) => {
    if (!('credentialId' in key)) return loadBy(and(eq(passkeys.id, key.id), eq(passkeys.userId, key.userId)));
    const loaded = await loadBy(eq(passkeys.credentialId, Buffer.from(key.credentialId)));
    // A row that the server did not write signs in no user.
    const isOurs = loaded === null || loaded.passkey.state === 'removed' || isRight(loaded.passkey, macs);
    return isOurs ? loaded : null;
  };
  return {
    load,
    loadNew: async (passkey) => {
      const known = await load({ credentialId: passkey.credentialId });
      if (known !== null) return known;
      const row = await readServer(() =>
        db
          .select({
            now: readNow(clock),
            user: OWNER,
            hasAnother: another(uuid(passkey.userId), uuid(passkey.id)),
            otherWays: otherWays(uuid(passkey.id)),
          })
          .from(server)
          .leftJoin(users, eq(users.id, passkey.userId)),
      );
      return { ...row, passkey: unregistered(passkey, row.now) };
    },
    commit: commitStore(db, macs),
    spend: async (challengeHash, endsAt) => {
      const rows = await writing(() =>
        db
          .insert(spentChallenges)
          .values({ challengeHash: Buffer.from(challengeHash), endsAt })
          .onConflictDoNothing()
          .returning({ endsAt: spentChallenges.endsAt }),
      );
      return rows.length > 0;
    },
  };
}

const isRight = (passkey: LoadedPasskey['passkey'], macs: RowMacs): boolean =>
  'mac' in passkey &&
  macs.isRight(...passkeyFacts(passkey as typeof passkeys.$inferSelect), passkey.mac as Buffer | null);

export type ChallengeStore = {
  /** @returns false: it was spent before. */
  readonly spend: (challengeHash: Uint8Array, endsAt: Date) => Promise<boolean>;
};

/** More than an end-user trusts. */
const MAX_LISTED = 100;

const isActiveFactor = (userId: SQL, id: SQL): SQL<boolean> => sql<boolean>`(
  exists (select 1 from ${secondFactors} f where f.id = ${id} and f.user_id = ${userId} and f.state = 'active')
  or exists (select 1 from ${passkeys} f where f.id = ${id} and f.user_id = ${userId} and f.state = 'active'))`;

export function trustedBrowserStore(db: Drizzle, clock: Clock, macs: RowMacs): TrustedBrowserStore {
  const loadBy = async (userId: string, which: SQL | undefined): Promise<readonly LoadedTrustedBrowser[]> => {
    const rows = await reading(() =>
      db
        .select({
          now: readNow(clock),
          stored: trustedBrowsers,
          factorStands: isActiveFactor(sql`${trustedBrowsers.userId}`, sql`${trustedBrowsers.factorId}`),
          ...EPOCHS_OF_USER,
        })
        .from(trustedBrowsers)
        .innerJoin(users, eq(users.id, trustedBrowsers.userId))
        .innerJoin(server, sql`true`)
        .where(and(eq(trustedBrowsers.userId, userId), which))
        .orderBy(desc(trustedBrowsers.createdAt))
        .limit(MAX_LISTED),
    );
    return rows
      .filter(({ stored }) => isAuthenticTrust(stored, macs))
      .map(({ now, factorStands, stored: { mac, macVersion, ...stored }, liveUserEpoch, liveServerEpoch }) => ({
        now,
        factorStands,
        browser: { ...stored, liveUserEpoch, liveServerEpoch },
      }));
  };
  return {
    find: async (userId, hashes) => {
      if (hashes.length === 0) return null;
      const sent = hashes.map((hash) => Buffer.from(hash));
      return (await loadBy(userId, inArray(trustedBrowsers.secretHash, sent)))[0] ?? null;
    },
    load: async (userId, id) => (await loadBy(userId, eq(trustedBrowsers.id, id)))[0] ?? null,
    loadNew: async ({ userId, factorId }) => {
      const [row] = await reading(() =>
        db
          .select({
            now: readNow(clock),
            factorStands: isActiveFactor(sql`${userId}::uuid`, sql`${factorId}::uuid`),
            ...EPOCHS_OF_USER,
          })
          .from(users)
          .innerJoin(server, sql`true`)
          .where(eq(users.id, userId)),
      );
      return row ?? null;
    },
    list: (userId) =>
      loadBy(
        userId,
        and(
          eq(trustedBrowsers.state, 'active'),
          gt(trustedBrowsers.endsAt, nowOf(clock)),
          // Those that an epoch has ended would take the places of others.
          eq(trustedBrowsers.userEpoch, users.epoch),
          eq(trustedBrowsers.serverEpoch, server.epoch),
        ),
      ),
    commit: commitStore(db, macs),
  };
}

/** A row that was not made here stands in for no factor. An ended row does not, with any other columns. */
const isAuthenticTrust = (row: typeof trustedBrowsers.$inferSelect, macs: RowMacs): boolean =>
  row.state === 'ended' || macs.isRight(...trustedBrowserFacts(row), row.mac);

/** By the names under which use cases ask for them. */
export const factorStores = (db: Drizzle, clock: Clock, macs: RowMacs) => ({
  secondFactors: secondFactorStore(db, clock),
  recoveryCodes: recoveryCodeStore(db, clock),
  passkeys: passkeyStore(db, clock, macs),
  trustedBrowsers: trustedBrowserStore(db, clock, macs),
});
