/**
 * The statements about federated and delegated sign-ins. One statement moves the sign-in, registers the end-user and links the
 * identity. Where another request has taken the username or the identity, Postgres refuses all of it.
 */
import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { ExternalSignIn } from '../lifecycles/external-sign-in/entity.ts';
import type {
  ExternalSignInStore,
  LoadedExternalSignIn,
  NewExternalSignIn,
  SoughtUser,
} from '../lifecycles/external-sign-in/lifecycle.ts';
import { externalSignInFacts } from '../lifecycles/external-sign-in/table.ts';
import type { ExternalIdentity, LinkedIdentity } from '../lifecycles/linked-identity/entity.ts';
import { linkedIdentityFacts } from '../lifecycles/linked-identity/table.ts';
import type { RegisteredUser } from '../model/user.ts';
import { isUuid } from '../oauth/sub.ts';
import type { Clock } from '../system/clock.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { identifiedByAddress } from './identified.ts';
import { readInstantOrNull, readNow } from './now.ts';
import { FIRST_VERSION } from './row-version.ts';
import { externalSignIns, linkedIdentities, server, users } from './schema.ts';
import { databaseNow } from './server-row.ts';
import { authenticColumns, isAuthenticUser, registeredColumns, usernameKey } from './users.ts';

const used = alias(externalSignIns, 'used');

/** In the same browser, for the same request: when the last that has signed in began. Its key is another. */
function lastUsed(db: Drizzle, isMeant: SQL) {
  const meant = db.$with('meant', {}).as(sql`select * from ${externalSignIns} where ${isMeant}`);
  const last = db
    .$with('last_used', {})
    .as(sql`select max(${used.beganAt}) as began_at from ${externalSignIns} ${used}, ${meant}
    where ${used.browserHash} = meant.browser_hash and ${used.interactionId} is not distinct from meant.interaction_id
    and ${used.purpose} = meant.purpose and ${used.state} = 'used'`);
  return [meant, last] as const;
}

export const externalSignInStore = (db: Drizzle, clock: Clock, macs: RowMacs): ExternalSignInStore => ({
  insert: (signIn) => insert(db, clock, macs, signIn),
  find: async (referenceHash) => {
    const [row] = await reading(() =>
      db
        .select({ now: readNow(clock), signIn: externalSignIns })
        .from(externalSignIns)
        .where(eq(externalSignIns.referenceHash, Buffer.from(referenceHash))),
    );
    return row && isRight(macs, row.signIn) ? row : null;
  },
  load: async (referenceHash, sought, usernames, address = null) => {
    const isMeant = eq(externalSignIns.referenceHash, Buffer.from(referenceHash));
    const [row] = await reading(() =>
      db
        .with(...lastUsed(db, isMeant))
        .select({
          now: readNow(clock),
          signIn: externalSignIns,
          lastUsedBeganAt: readInstantOrNull(sql`(select began_at from last_used)`),
          serverEpoch: server.epoch,
          addressesIdentify: server.addressesIdentify,
          addressOf: identifiedByAddress(address),
        })
        .from(externalSignIns)
        .innerJoin(server, sql`true`)
        .where(isMeant),
    );
    if (!row || !isRight(macs, row.signIn)) return null;
    const wanted = identityIn(sought);
    const identity = wanted && (await findIdentity(db, macs, wanted));
    const { addressOf, ...loaded } = row;
    return {
      ...loaded,
      addressIsTaken: addressOf !== null,
      identity,
      user: await findUser(db, macs, sought, row.signIn, identity),
      freeUsernames: await freeOf(db, usernames),
    } satisfies LoadedExternalSignIn;
  },
  commit: commitStore(db, macs),
});

/** A row that was not made here is no sign-in. */
const isRight = (macs: RowMacs, signIn: typeof externalSignIns.$inferSelect): boolean =>
  macs.isRight(...externalSignInFacts(signIn), signIn.mac);

async function insert(
  db: Drizzle,
  clock: Clock,
  macs: RowMacs,
  { lifetimeSeconds, interactionEndsAt, ...signIn }: NewExternalSignIn,
): Promise<void> {
  // Asked first: the end stands under the MAC.
  const now = await databaseNow(db, clock);
  const endsAt = new Date(
    Math.min(now.getTime() + lifetimeSeconds * 1000, interactionEndsAt?.getTime() ?? Number.POSITIVE_INFINITY),
  );
  const first = {
    userEpoch: null,
    amr: null,
    authenticatedAt: null,
    ...signIn,
    state: 'awaiting',
    endsAt,
    macVersion: FIRST_VERSION,
  } as const;
  await writing(() =>
    db.insert(externalSignIns).values({
      ...signIn,
      referenceHash: Buffer.from(signIn.referenceHash),
      browserHash: Buffer.from(signIn.browserHash),
      state: 'awaiting',
      beganAt: now,
      endsAt,
      mac: macs.macOf(...externalSignInFacts(first)),
    }),
  );
}

const identityIn = (sought: SoughtUser): ExternalIdentity | null =>
  sought.by === 'identity' || sought.by === 'signIn' ? sought.identity : null;

async function findIdentity(
  db: Drizzle,
  macs: RowMacs,
  { issuer, subject }: ExternalIdentity,
): Promise<LinkedIdentity | null> {
  const [identity] = await reading(() =>
    db
      .select()
      .from(linkedIdentities)
      .where(
        and(
          eq(linkedIdentities.issuer, issuer),
          eq(linkedIdentities.subject, subject),
          eq(linkedIdentities.state, 'active'),
        ),
      ),
  );
  return identity && macs.isRight(...linkedIdentityFacts(identity), identity.mac) ? identity : null;
}

async function findUser(
  db: Drizzle,
  macs: RowMacs,
  sought: SoughtUser,
  signIn: ExternalSignIn,
  identity: LinkedIdentity | null,
): Promise<RegisteredUser | null> {
  const where = whoIs(sought, signIn, identity);
  if (where === null) return null;
  const [row] = await reading(() =>
    db.select({ user: registeredColumns, authentic: authenticColumns }).from(users).where(where),
  );
  if (row === undefined) return null;
  if (isAuthenticUser({ ...row.user, ...row.authentic }, macs)) return row.user;
  // A row that the server did not write signs in no user: neither under the username in it, nor after a foreign write has enabled it.
  return sought.by === 'username' ? null : { ...row.user, disabledAt: row.user.disabledAt ?? new Date(0) };
}

function whoIs(sought: SoughtUser, signIn: ExternalSignIn, identity: LinkedIdentity | null): SQL | null {
  const withSub = (id: string | null | undefined) => (id && isUuid(id) ? eq(users.id, id) : null);
  switch (sought.by) {
    case 'identity':
      return withSub(identity?.userId);
    case 'signIn':
      return withSub(signIn.userId);
    case 'sub': {
      const id = sought.sub.toLowerCase();
      return sql`(${users.sub} = ${sought.sub} or ${isUuid(id) ? eq(users.id, id) : sql`false`})`;
    }
    case 'username':
      return eq(users.usernameKey, usernameKey(sought.username));
  }
}

async function freeOf(db: Drizzle, usernames: readonly string[]): Promise<readonly string[]> {
  if (usernames.length === 0) return [];
  const keys = usernames.map(usernameKey);
  const taken = await reading(() =>
    db
      .select({ key: users.usernameKey, address: users.signInAddress })
      .from(users)
      .where(or(inArray(users.usernameKey, keys), inArray(users.signInAddress, keys))),
  );
  const known = new Set(taken.flatMap(({ key, address }) => [key, address]));
  return usernames.filter((_, at) => !known.has(keys[at] ?? ''));
}
