/** Rows of Statehouse's tables, as its own use cases leave them. */

import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { authorizationCodeOf } from '../../../src/crypto/authorization-code.ts';
import { storedSecretMac } from '../../../src/crypto/client-secret.ts';
import { sha256 } from '../../../src/crypto/digest.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { rowMacs } from '../../../src/crypto/row-mac.ts';
import { rawSecret, storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import { MOST_LINES } from '../../../src/ledger/seal.ts';
import { consentFacts } from '../../../src/lifecycles/interaction/table.ts';
import { sessionFacts } from '../../../src/lifecycles/session/table.ts';
import { userFacts } from '../../../src/lifecycles/user/table.ts';
import { DEFAULT_METADATA } from '../../../src/registration/client-metadata.ts';
import type { Drizzle } from '../../../src/storage/database.ts';
import { rawRows } from '../../../src/storage/raw-rows.ts';
import { consents, grants, sessions, users } from '../../../src/storage/schema.ts';
import { insertUser, saveClient } from '../../support/administration.ts';
import type { SignedIn } from '../browser.ts';
import {
  CHALLENGE,
  CLIENT_ID,
  CLIENT_SECRET,
  CODE_SECONDS,
  GRANT_TYPES,
  PASSWORD_HASH,
  REDIRECT_URI,
  RESOURCE,
  SCOPE,
  SERVER_SECRET,
  SESSION_SECONDS,
  SUBJECT_ID,
} from '../setting.ts';

const keys = rootKeys([SERVER_SECRET]);
const macs = rowMacs(keys);

/** Once or again. */
export async function registerClientAndPerson(db: Drizzle): Promise<void> {
  const client = {
    ...DEFAULT_METADATA,
    clientId: CLIENT_ID,
    clientName: 'Bench',
    tokenEndpointAuthMethod: 'client_secret_basic' as const,
    secretMacs: [storedSecretMac(keys, rawSecret(CLIENT_SECRET))],
    redirectUris: [REDIRECT_URI],
    grantTypes: GRANT_TYPES,
  };
  await saveClient(db, client, false, 'operator', macs);
  const user = { id: SUBJECT_ID, username: 'bench', passwordHash: storedPasswordHash('none'), claims: {} };
  await insertUser(db, user, macs);
}

const ROWS_A_STATEMENT = 500;

/** In several statements: each takes a limited number of parameters. */
async function inParts<T>(count: number, insert: (size: number) => Promise<readonly T[]>): Promise<T[]> {
  const made: T[] = [];
  for (const size of parts(count, ROWS_A_STATEMENT)) made.push(...(await insert(size)));
  return made;
}

const parts = (count: number, atMost: number): number[] =>
  Array.from({ length: Math.ceil(count / atMost) }, (_, index) => Math.min(atMost, count - index * atMost));

const listOf = <T>(length: number, make: () => T): T[] => Array.from({ length }, make);

/** As the approval of an interaction leaves them. @returns their codes. */
export const insertGrants = (db: Drizzle, count: number): Promise<string[]> =>
  inParts(count, async (size) => {
    const made = listOf(size, newGrant);
    await db.insert(grants).values(made.map(({ row }) => row));
    return made.map(({ code }) => code);
  });

/** A statement may take four seconds (src/system/deadlines.ts). */
const COPIES_A_STATEMENT = 5_000;

/** The same with unknown codes: the database copies one of them. */
export async function insertOtherGrants(db: Drizzle, count: number): Promise<void> {
  const { row } = newGrant();
  await db.insert(grants).values(row);
  for (const size of parts(count - 1, COPIES_A_STATEMENT)) await insertCopies(db, row.id, size);
}

const insertCopies = (db: Drizzle, id: string, count: number): Promise<unknown> =>
  db.execute(sql`
    insert into grants (id, code_hash, client_id, user_id, client_epoch, user_epoch, server_epoch,
      scope, resources, policy, code_challenge, redirect_uri, code_ends_at, state, created_at)
    select gen_random_uuid(), sha256(uuid_send(gen_random_uuid())), client_id, user_id, client_epoch,
      user_epoch, server_epoch, scope, resources, policy, code_challenge, redirect_uri, code_ends_at, state, created_at
    from grants, generate_series(1, ${count}::int) where id = ${id}`);

const ENTRIES_A_TRANSACTION = 500;

/** Copies of the entry of a rotation. */
export async function insertEntries(db: Drizzle, count: number): Promise<void> {
  for (const size of parts(count, ENTRIES_A_TRANSACTION)) {
    await db.execute(sql`
      insert into transitions (at, machine, shard_key, grant_id, event, from_state, to_state, generation, client_id, policy)
      select now(), 'refreshToken', id, id, 'presented', 'active', 'used', 1, ${CLIENT_ID}, 'default'
      from (select gen_random_uuid() as id from generate_series(1, ${size}::int)) as grants`);
  }
}

export async function openSegments(db: Drizzle): Promise<number> {
  const answer = await db.execute(sql`
    select count(*) as open from transitions where recorded_in >= coalesce(
      (select (statement::jsonb ->> 'below')::xid8 from ledger_seals order by number desc limit 1), '0'::xid8)`);
  const [row] = rawRows<{ readonly open: string }>(answer);
  return Math.floor(Number(row?.open ?? 0) / MOST_LINES);
}

function newGrant() {
  const id = randomUUID();
  const { code, secretHash } = authorizationCodeOf(keys, id);
  const createdAt = new Date();
  const row = {
    id,
    interactionId: randomUUID(),
    clientId: CLIENT_ID,
    userId: SUBJECT_ID,
    clientEpoch: 0n,
    userEpoch: 0n,
    serverEpoch: 0n,
    scope: SCOPE,
    resources: [RESOURCE],
    policy: 'default',
    codeHash: secretHash,
    codeChallenge: CHALLENGE,
    redirectUri: REDIRECT_URI,
    codeEndsAt: new Date(createdAt.getTime() + CODE_SECONDS * 1000),
    state: 'active' as const,
    createdAt,
  };
  return { row, code };
}

/** @returns their usernames. */
export const insertNewUsers = (db: Drizzle, count: number, passwordHash = PASSWORD_HASH): Promise<string[]> =>
  inParts(count, async (size) => {
    const made = listOf(size, () => newUser(passwordHash));
    await db.insert(users).values(made);
    return made.map(({ username }) => username);
  });

/** As a sign-in and a consent leave them, a person each, with both cookies of the browser. */
export const insertBrowsers = (db: Drizzle, count: number): Promise<SignedIn[]> =>
  inParts(count, async (size) => {
    const made = listOf(size, () => ({ user: newUser(), cookie: randomBytes(32).toString('base64url') }));
    const [signedInAt, endsAt] = [new Date(), new Date(Date.now() + SESSION_SECONDS * 1000)];
    const epochs = { userEpoch: 0n, serverEpoch: 0n };
    await db.insert(users).values(made.map(({ user }) => user));
    await db.insert(sessions).values(
      made.map(({ user, cookie }) => {
        const row = { idHash: sha256(cookie), sid: randomUUID(), userId: user.id, ...epochs, amr: ['pwd'] };
        const mac = macs.macOf(...sessionFacts({ ...row, state: 'active', endsAt, macVersion: 0n }));
        return { ...row, signedInAt, endsAt, mac };
      }),
    );
    await db.insert(consents).values(
      made.map(({ user }) => {
        const given = { scope: SCOPE, resources: [RESOURCE], grantedAt: signedInAt, userEpoch: 0n, clientEpoch: 0n };
        const row = { id: randomUUID(), userId: user.id, clientId: CLIENT_ID, ...given, macVersion: 0n };
        return { ...row, mac: macs.macOf(...consentFacts(row)) };
      }),
    );
    return made.map(({ user, cookie }) => ({
      userId: user.id,
      cookie: `statehouse-browser=${randomBytes(32).toString('base64url')}; statehouse-session=${cookie}`,
    }));
  });

function newUser(passwordHash = PASSWORD_HASH) {
  const id = randomUUID();
  const row = { id, username: id, usernameKey: id, passwordHash, claims: {}, passwordByLinkAt: null };
  return { ...row, mac: macs.macOf(...userFacts({ ...row, sub: null, disabledAt: null, macVersion: 0n })) };
}
