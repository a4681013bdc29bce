/**
 * End-users in bulk: the store of src/storage/user-store.ts, for many registrations at the same time. Loads that come together
 * are one statement, and so are registrations; each is still decided and guarded by itself, and has its own line of the ledger.
 */
import { eq, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { Commit } from '../engine/commit.ts';
import type { LoadedUser, UserStore } from '../lifecycles/user/lifecycle.ts';
import { actorName } from '../model/actor.ts';
import type { RegisteredUser } from '../model/user.ts';
import type { Clock } from '../system/clock.ts';
import { batched } from './batches.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { identifiedBy, identifiedByAddress } from './identified.ts';
import { ledgerColumns } from './ledger.ts';
import { readNow } from './now.ts';
import { rowVersion } from './row-version.ts';
import { server, transitions, users } from './schema.ts';
import { selectionFor } from './selection.ts';
import { noServerRow } from './server-row.ts';
import { macOfUser, usernameKeyOf, versionOf } from './user-macs.ts';
import { userStore } from './user-store.ts';
import { registeredColumns, usernameKey } from './users.ts';

/** Each registration holds a lock until its statement ends (`sub_is_no_client_id` in drizzle/), and Postgres has some thousands of them. */
const MAX_ITEMS = 250;

type Asked = {
  readonly id: string;
  readonly username: string | null;
  readonly sub: string | null;
  readonly address: string | null;
};

/** The end-user with the sent `sub`. */
const holder = alias(users, 'holder');

export function userImportStore(db: Drizzle, clock: Clock, macs: RowMacs): UserStore {
  const store = userStore(db, clock, macs);
  const load = batched<Asked, LoadedUser>({
    name: 'loadImportedUser',
    alone: ({ id, username, sub, address }) => store.load(id, username, sub, address),
    together: (asked) => loadTogether(db, clock, macs, asked),
    keyOf: ({ id }) => id,
    writes: false,
    maxItems: MAX_ITEMS,
  });
  const commit = batched<Commit, boolean>({
    name: 'importUser',
    alone: store.commit,
    together: (commits) => registerTogether(db, macs, commits),
    keyOf: (commit) => userIn(commit).id,
    writes: true,
    maxItems: MAX_ITEMS,
  });
  return { load: (id, username, sub = null, address = null) => load({ id, username, sub, address }), commit };
}

async function loadTogether(db: Drizzle, clock: Clock, macs: RowMacs, asked: readonly Asked[]): Promise<LoadedUser[]> {
  const list = JSON.stringify(
    asked.map(({ id, username, sub, address }, place) => ({
      place,
      id,
      key: username === null ? null : usernameKey(username),
      sub,
      address,
    })),
  );
  const rows = await reading(() =>
    db
      .select({
        place: sql<number>`asked.place`,
        now: readNow(clock),
        user: registeredColumns,
        version: rowVersion(users),
        mac: users.mac,
        macVersion: users.macVersion,
        addressesIdentify: server.addressesIdentify,
        usernameOf: identifiedBy(sql`asked.key`),
        addressOf: identifiedByAddress(sql`asked.address`),
        holderId: holder.id,
      })
      .from(server)
      .innerJoin(
        sql`jsonb_to_recordset(${list}::text::jsonb) as asked(place int, id uuid, key text, sub text, address text)`,
        sql`true`,
      )
      .leftJoin(users, eq(users.id, sql`asked.id`))
      .leftJoin(holder, eq(holder.sub, sql`asked.sub`)),
  );
  if (rows.length !== asked.length) throw noServerRow();
  const loaded: LoadedUser[] = [];
  for (const { place, now, user, holderId, version: stored, mac, macVersion, ...identified } of rows) {
    const version = user && versionOf(macs, user, { version: stored, mac, macVersion });
    const subIsTaken = holderId !== null && holderId !== asked[place]?.id;
    loaded[place] = { now, row: { user }, version, subIsTaken, ...identified };
  }
  return loaded;
}

/** Undefined: sent alone, as all that is no registration is, and a registration that another was faster than. */
async function registerTogether(
  db: Drizzle,
  macs: RowMacs,
  commits: readonly Commit[],
): Promise<(boolean | undefined)[]> {
  const registrations = commits.filter(
    ({ writes: [write], entries }) => write.kind === 'insert' && entries.length === 1,
  );
  if (registrations.length === 0) return commits.map(() => undefined);
  const sent = db.$with('sent').as(
    db
      .select({
        id: column<string>('id'),
        sub: column<string>('sub'),
        username: column<string>('username'),
        usernameKey: column<string>('username_key'),
        passwordHash: column<string>('password_hash'),
        importedHash: column<string>('imported_hash'),
        claims: column<object>('claims'),
        signInAddress: column<string>('sign_in_address'),
        epoch: column<bigint>('epoch'),
        createdAt: column<string | null>('created_at'),
        at: column<string>('at'),
        event: column<string>('event'),
        fromState: column<string>('from_state'),
        toState: column<string>('to_state'),
        actor: column<string>('actor'),
        addressHash: column<string>('address_hash'),
        mac: column<string>('mac'),
      })
      .from(sql`jsonb_to_recordset(${JSON.stringify(registrations.map((commit) => rowOf(macs, commit)))}::text::jsonb) as listed(id uuid,
        sub text, username text, username_key text, password_hash text, imported_hash text, claims jsonb, sign_in_address text,
        epoch bigint, created_at timestamptz, at timestamptz, event text,
        from_state text, to_state text, actor text, address_hash text, mac text)`),
  );
  const saved = db.$with('saved').as(
    db
      .insert(users)
      .select(
        db
          .select(
            selectionFor(users, {
              id: sent.id,
              sub: sent.sub,
              username: sent.username,
              usernameKey: sent.usernameKey,
              passwordHash: sent.passwordHash,
              importedHash: sent.importedHash,
              claims: sent.claims,
              signInAddress: sent.signInAddress,
              epoch: sent.epoch,
              createdAt: sql`coalesce(${sent.createdAt}, now())`,
              mac: sql`decode(${sent.mac}, 'hex')`,
              macVersion: sql`0`,
            }),
          )
          .from(sent),
      )
      .onConflictDoNothing()
      // The columns of `sent` stand without its name: another "id" beside them would be ambiguous.
      .returning({ savedId: sql<string>`${users.id}`.as('saved_id') }),
  );
  const line = ledgerColumns({
    at: sql`${sent.at}`,
    machine: sql`'user'`,
    event: sql`${sent.event}`,
    from: sql`${sent.fromState}`,
    to: sql`${sent.toState}`,
    actor: sql`${sent.actor}`,
    addressHash: sql`${sent.addressHash}`,
    shardKey: sql`${sent.id}`,
    userId: sql`${sent.id}`,
  });
  const rows = await writing(() =>
    db
      .with(sent, saved)
      .insert(transitions)
      .select(db.select(line).from(sent).innerJoin(saved, eq(saved.savedId, sent.id)))
      .returning({ userId: transitions.userId }),
  );
  const registered = new Set(rows.map(({ userId }) => userId));
  return commits.map((commit) => registered.has(userIn(commit).id) || undefined);
}

const column = <T>(name: string) => sql<T>`listed.${sql.identifier(name)}`.as(name);

const userIn = ({ writes: [write] }: Commit): RegisteredUser =>
  (write.kind === 'insert' ? write.row : write.loaded) as RegisteredUser;

const rowOf = (macs: RowMacs, commit: Commit) => {
  const user = userIn(commit);
  const {
    entries: [entry],
    now,
  } = commit;
  return {
    id: user.id,
    sub: user.sub,
    username: user.username,
    username_key: usernameKeyOf(user),
    password_hash: user.passwordHash,
    imported_hash: user.importedHash,
    claims: user.claims,
    sign_in_address: user.signInAddress,
    epoch: String(user.epoch),
    created_at: user.createdAt?.toISOString() ?? null,
    at: now.toISOString(),
    event: entry?.event,
    from_state: entry?.from,
    to_state: entry?.to,
    actor: entry?.actor ? actorName(entry.actor) : null,
    address_hash: entry?.actor?.addressHash ?? null,
    mac: macOfUser(macs, user).toString('hex'),
  };
};
