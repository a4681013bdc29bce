/**
 * Housekeeping at every boundary. Each of its tables has rows that are a second on either side of their end, and rows that have
 * no end and are ten years old. The table of the cases is written from docs/deploying.md and the comments of the schema, not from the
 * conditions of the code. Rows of all other tables stay.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { getTableColumns, is, type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { STATISTICS_DAYS } from '../../../src/model/statistics.ts';
import { clientLogoStore } from '../../../src/storage/client-logos.ts';
import type { Drizzle } from '../../../src/storage/database.ts';
import { housekeeper, removable } from '../../../src/storage/housekeeping.ts';
import { nodeStore } from '../../../src/storage/nodes.ts';
import * as schema from '../../../src/storage/schema.ts';
import { webhookStore } from '../../../src/storage/webhooks.ts';
import { clockAt } from '../../support/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

const NOW = new Date();
const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;
const TEN_YEARS = 3650 * DAY;
const ago = (seconds: number) => new Date(NOW.getTime() - 1000 * seconds);
/** Of `ledger_retention`, as it is shipped. */
const KEPT = 90 * DAY;
const WEBHOOKS_KEPT = 30 * DAY;

type Values = Readonly<Record<string, unknown>>;
type Case = { readonly what: string; readonly values: Values; readonly stays: boolean };

/** A second before and after something stops being kept. */
const around = (what: string, seconds: number, valuesAt: (instant: Date) => Values): readonly Case[] => [
  { what: `${what}, a second before`, values: valuesAt(ago(seconds - 1)), stays: true },
  { what: `${what}, a second after`, values: valuesAt(ago(seconds + 1)), stays: false },
];
const stays = (what: string, values: Values): Case => ({ what, values, stays: true });
const goes = (what: string, values: Values): Case => ({ what, values, stays: false });

const user = { here: randomUUID(), deleted: randomUUID() };
const ofUser = { userId: user.here };
const ofDeletedUser = { userId: user.deleted };
const KEY = Buffer.from('a key');

const ANSWERED: Readonly<Record<string, Values>> = { used: { ...ofUser, amr: ['pwd'], authenticatedAt: ago(DAY) } };
const ROTATED = { refreshGeneration: 3n, refreshNonce: randomBytes(16), createdAt: ago(TEN_YEARS) };

const MAIL = { purpose: 'link' } as const;
/** Until tomorrow. */
const trust = () => ({ state: 'active', secretHash: randomBytes(32), createdAt: ago(TEN_YEARS), endsAt: ago(-DAY) });
const CASES = {
  sessions: [
    ...['active', 'awaitingSecondFactor'].flatMap((state) =>
      around(`the end of a session, ${state}`, 0, (endsAt) => ({ state, endsAt })),
    ),
    stays('a session that ended early', { state: 'ended', endedReason: 'signed_out', endsAt: ago(-1) }),
  ],
  interactions: ['awaitingSignIn', 'awaitingConsent', 'approved', 'denied'].flatMap((state) =>
    around(`an hour after the end of an interaction, ${state}`, HOUR, (endsAt) => ({ state, endsAt })),
  ),
  clients: [
    stays('a client of an operator', { registeredBy: 'operator', createdAt: ago(TEN_YEARS) }),
    stays('a client with a document, and that an administrator deleted', {
      clientId: 'https://deleted.example/client',
      registeredBy: 'self',
      createdAt: ago(TEN_YEARS),
      deletedAt: ago(DAY),
      epoch: 1n,
    }),
    goes('a client that registered itself, was deleted, and has no registration any more', {
      registeredBy: 'self',
      createdAt: ago(TEN_YEARS),
      deletedAt: ago(DAY),
      epoch: 1n,
    }),
    ...around('an hour after a client introduced itself, without a document', HOUR, (createdAt) => ({
      registeredBy: 'self',
      createdAt,
    })),
  ],
  clientRegistrations: ['unused', 'used', 'ended'].flatMap((state) =>
    around(`an hour after the end of a registration, ${state}`, HOUR, (unusedUntil) => ({
      state,
      tokenHash: randomBytes(32),
      createdAt: ago(TEN_YEARS),
      unusedUntil,
    })),
  ),
  clientDocuments: around('the time in which a document counts', 26 * HOUR, (fetchedAt) => ({
    state: 'known',
    fetchedAt,
    freshUntil: fetchedAt,
  })),
  pushedRequests: ['pushed', 'used'].flatMap((state) =>
    around(`an hour after the end of a pushed request, ${state}`, HOUR, (endsAt) => ({
      state,
      sealed: state === 'used' ? '' : 'sea1ed',
      endsAt,
    })),
  ),
  externalSignIns: ['awaiting', 'answered', 'denied', 'used'].flatMap((state) =>
    around(`an hour after the end of a sign-in elsewhere, ${state}`, HOUR, (endsAt) => ({
      state,
      endsAt,
      ...ANSWERED[state],
    })),
  ),
  signInCodes: [
    ...['requested', 'active', 'used', 'spent', 'superseded'].flatMap((state) =>
      around(`an hour after the end of a code in a mail, ${state}`, HOUR, (endsAt) => ({
        state,
        endsAt,
        ...(state !== 'requested' && { ...ofUser, userEpoch: 0n, address: 'a@example.com' }),
      })),
    ),
    goes('a code of a deleted account', {
      state: 'active',
      endsAt: ago(-HOUR),
      ...ofDeletedUser,
      userEpoch: 0n,
      address: 'a@example.com',
    }),
  ],
  usedJtis: around('an hour after the end of a proof', HOUR, (endsAt) => ({
    hash: randomUUID(),
    usedAt: ago(2 * HOUR),
    endsAt,
  })),
  operatorSetUps: [
    stays('a set-up of an operator', { state: 'active', createdAt: ago(TEN_YEARS), endsAt: ago(TEN_YEARS) }),
    stays('an operator by a set-up', { state: 'used', ...ofUser, createdAt: ago(TEN_YEARS), endsAt: ago(TEN_YEARS) }),
    stays('an ended set-up', { state: 'ended', endedReason: 'replaced', endsAt: ago(TEN_YEARS) }),
    goes('a set-up of a deleted account', { state: 'ended', endedReason: 'replaced', ...ofDeletedUser }),
  ],
  emailChallenges: [
    ...['active', 'used'].flatMap((state) =>
      around(`a day after the end of a link, ${state}`, DAY, (endsAt) => ({
        state,
        endsAt,
        ...ofUser,
        userEpoch: 0n,
        purpose: 'reset_password',
      })),
    ),
    goes('a link of a deleted account', {
      state: 'active',
      endsAt: ago(-HOUR),
      ...ofDeletedUser,
      userEpoch: 0n,
      purpose: 'reset_password',
    }),
  ],
  linkedIdentities: [
    stays('a linked account', { state: 'active', linkedAt: ago(TEN_YEARS), ...ofUser }),
    goes('a linked account that was removed', {
      state: 'removed',
      removedReason: 'removed_by_user',
      removedAt: ago(0),
      linkedAt: ago(0),
      ...ofUser,
    }),
  ],
  statistics: around('the last day of the statistics', STATISTICS_DAYS * DAY, (at) => ({ at })),
  lastSignIns: [
    stays('the last sign-in of an end-user', { ...ofUser, signedInAt: ago(TEN_YEARS) }),
    goes('the last sign-in of a deleted account', { ...ofDeletedUser, signedInAt: ago(0) }),
  ],
  deniedAccessTokens: around('an hour after the end of an access token', HOUR, (endsAt) => ({ endsAt })),
  signInFailures: around('the end of the window', 0, (windowEndsAt) => ({ windowEndsAt, failures: 3 })),
  spentChallenges: around('an hour after the end of a challenge', HOUR, (endsAt) => ({ endsAt })),
  secondFactors: [
    stays('an authenticator app', {
      state: 'active',
      lastStep: 1,
      sealedSecret: 's',
      createdAt: ago(TEN_YEARS),
      ...ofUser,
    }),
    ...around('a day after a set-up that was not completed', DAY, (createdAt) => ({
      state: 'unconfirmed',
      sealedSecret: 's',
      createdAt,
      ...ofUser,
    })),
    ...around('the time that the ledger keeps a removal', KEPT, (removedAt) => ({
      state: 'removed',
      removedAt,
      createdAt: ago(TEN_YEARS),
      ...ofUser,
    })),
    goes('an authenticator app of a deleted account', {
      state: 'active',
      lastStep: 1,
      sealedSecret: 's',
      createdAt: ago(0),
      ...ofDeletedUser,
    }),
  ],
  passkeys: [
    stays('a passkey', { state: 'active', publicKey: KEY, createdAt: ago(TEN_YEARS), ...ofUser }),
    ...around('the time that the ledger keeps a removal', KEPT, (removedAt) => ({
      state: 'removed',
      removedAt,
      createdAt: ago(TEN_YEARS),
      ...ofUser,
    })),
    goes('a passkey of a deleted account', { state: 'active', publicKey: KEY, createdAt: ago(0), ...ofDeletedUser }),
  ],
  recoveryCodes: [
    stays('a recovery code', { state: 'active', createdAt: ago(TEN_YEARS), ...ofUser }),
    ...['used', 'replaced'].flatMap((state) =>
      around(`the time that the ledger keeps the end, ${state}`, KEPT, (endedAt) => ({
        state,
        endedAt,
        createdAt: ago(TEN_YEARS),
        ...ofUser,
      })),
    ),
    goes('a recovery code of a deleted account', { state: 'active', createdAt: ago(0), ...ofDeletedUser }),
  ],
  trustedBrowsers: [
    stays('a trusted browser in its time', { ...trust(), ...ofUser }),
    ...around('the end of the trust', 0, (endsAt) => ({ ...trust(), endsAt, ...ofUser })),
    ...around('the time that the ledger keeps the end', KEPT, (endedAt) => ({
      ...trust(),
      state: 'ended',
      secretHash: null,
      endedAt,
      ...ofUser,
    })),
    goes('a trusted browser of a deleted account', { ...trust(), ...ofDeletedUser }),
  ],
  idempotencyKeys: around('the end of an idempotency key', 0, (endsAt) => ({ endsAt })),
  consoleSessions: around('an hour after the end of a token of the console', HOUR, (tokenEndsAt) => ({ tokenEndsAt })),
  grants: [
    ...around('an hour after the end of a code', HOUR, (codeEndsAt) => ({
      state: 'active',
      codeEndsAt,
      createdAt: ago(TEN_YEARS),
    })),
    ...around('an hour after the end of a chain', HOUR, (chainEndsAt) => ({
      state: 'active',
      chainEndsAt,
      codeEndsAt: ago(TEN_YEARS),
      ...ROTATED,
    })),
    ...around('an hour after the end of a chain that was revoked', HOUR, (chainEndsAt) => ({
      state: 'revoked',
      revokedReason: 'refresh_token_reused',
      revokedAt: ago(DAY),
      chainEndsAt,
      codeEndsAt: ago(TEN_YEARS),
      ...ROTATED,
    })),
  ],
  webhookDeliveries: [
    stays('a delivery that is pending', { state: 'pending', nextAttemptAt: ago(TEN_YEARS), createdAt: ago(TEN_YEARS) }),
    ...around('the time that ended deliveries are kept', WEBHOOKS_KEPT, (endedAt) => ({
      state: 'delivered',
      endedAt,
      createdAt: ago(TEN_YEARS),
    })),
  ],
  mails: [
    ...around('an hour after the time of a mail that waits', HOUR, (givesUpAt) => ({
      ...MAIL,
      state: 'pending',
      sealedContents: 's',
      nextAttemptAt: ago(TEN_YEARS),
      givesUpAt,
    })),
    ...around('an hour after the time of a mail that was sent', HOUR, (givesUpAt) => ({
      ...MAIL,
      state: 'sent',
      endedAt: ago(0),
      givesUpAt,
    })),
    goes('a mail to a deleted account', {
      ...MAIL,
      state: 'sent',
      endedAt: ago(0),
      givesUpAt: ago(-HOUR),
      ...ofDeletedUser,
    }),
  ],
  webhookReceivers: around('the time after which a receiver is forgotten', HOUR, (seenAt) => ({
    seenAt,
    recordedIn: '1',
    position: 1n,
  })),
  nodes: around('an hour after a node was last seen', 60 * MINUTE, (seenAt) => ({ seenAt })),
  clientLogos: [
    stays('an image that a client names', { logoUri: 'https://client.example/logo.png', fetchAt: ago(TEN_YEARS) }),
    goes('an image that no client names', { logoUri: 'https://client.example/old.png', fetchAt: ago(0) }),
  ],
} satisfies Partial<Record<keyof typeof schema, readonly Case[]>>;

type TableName = keyof typeof CASES;
const ofSchema: Readonly<Record<TableName, PgTable>> = schema;
const tableOf = (name: TableName): PgTable => ofSchema[name];

const BY_TYPE: Readonly<Record<string, () => unknown>> = {
  uuid: randomUUID,
  text: () => `text ${randomUUID()}`,
  bytea: () => randomBytes(32),
  integer: () => 0,
  bigint: () => 0n,
  boolean: () => false,
  jsonb: () => ({}),
  xid8: () => '1',
  'text[]': () => [],
  'timestamp with time zone': () => ago(TEN_YEARS),
};

/** Anything, in the columns that have to have something. */
function filled(table: PgTable, values: Values): Record<string, unknown> {
  const missing = Object.entries<PgColumn>(getTableColumns(table)).filter(
    ([name, column]) => column.notNull && !column.hasDefault && !(name in values),
  );
  const made = missing.map(([name, column]) => {
    const type = column.getSQLType().replace(/\(\d\)/, '');
    const value = BY_TYPE[type]?.();
    return [name, type === 'bigint' && column.dataType === 'number' ? 0 : value] as const;
  });
  return { ...Object.fromEntries(made), ...values };
}

let opened: TestDatabase<string>;
beforeAll(async () => {
  opened = await openTestDatabase('postgres');
});
afterAll(() => opened.close());

/** Without triggers and foreign keys: rows as time would have left them. */
const unchecked = (work: (db: Drizzle) => Promise<unknown>) =>
  opened.database.drizzle.transaction(async (transaction) => {
    await transaction.execute(sql`set local session_replication_role = replica`);
    await work(transaction);
  });

async function rowsOf(table: PgTable): Promise<readonly string[]> {
  const rows = (await opened.database.drizzle.execute(
    sql`select to_jsonb(t)::text as row from ${table} t`,
  )) as Iterable<unknown>;
  return Array.from(rows as Iterable<{ readonly row: string }>, ({ row }) => row);
}

it('housekeeping has cases for every table whose rows it removes', () => {
  const names = new Set(
    removable(opened.database.drizzle, sql`now()` as SQL).map(({ table }) => getTableConfig(table).name),
  );
  const covered = Object.keys(CASES).map((name) => getTableConfig(tableOf(name as TableName)).name);
  expect([...names].filter((name) => !covered.includes(name))).toEqual([]);
});

it('housekeeping removes ended rows, keeps every active row at every boundary, and changes no other table', async () => {
  const db = opened.database.drizzle;
  const kept = new Map<string, string>();
  const removed = new Map<string, string>();
  await unchecked(async (transaction) => {
    await transaction.insert(schema.users).values(filled(schema.users, { id: user.here }) as never);
    await transaction
      .insert(schema.users)
      .values(filled(schema.users, { id: user.deleted, deletedAt: ago(DAY), disabledAt: ago(DAY) }) as never);
    await transaction
      .insert(schema.clients)
      .values(filled(schema.clients, { clientId: 'client', logoUri: 'https://client.example/logo.png' }) as never);
    for (const [name, cases] of Object.entries(CASES)) {
      const table = tableOf(name as TableName);
      for (const { what, values, stays } of cases as readonly Case[]) {
        const [row] = await transaction
          .insert(table)
          .values(filled(table, values) as never)
          .returning({ row: sql<string>`to_jsonb(${table})::text` });
        (stays ? kept : removed).set(row?.row ?? '', `${name}: ${what}`);
      }
    }
  });
  const tables = Object.values(schema).filter((table) => is(table, PgTable));
  const untouched = tables.filter((table) => !Object.keys(CASES).some((name) => tableOf(name as TableName) === table));
  const before = await Promise.all(untouched.map(rowsOf));

  const clock = clockAt(NOW);
  // Each round of each kind, twice: the rest of one must not make a row of another look ended.
  for (let round = 0; round < 2; round++) {
    await housekeeper(db, clock).cleanUp();
    await webhookStore(db, clock).removeOld(WEBHOOKS_KEPT);
    await clientLogoStore(db, clock).removeUnused();
    await nodeStore(db, clock).report(randomUUID(), 'test');
  }

  const left = new Set(
    (await Promise.all(Object.keys(CASES).map((name) => rowsOf(tableOf(name as TableName))))).flat(),
  );
  expect([...kept].filter(([row]) => !left.has(row)).map(([, what]) => what)).toEqual([]);
  expect([...removed].filter(([row]) => left.has(row)).map(([, what]) => what)).toEqual([]);
  const names = untouched.map((table) => getTableConfig(table).name);
  const after = await Promise.all(untouched.map(rowsOf));
  // The triggers record deleted rows, so that none comes back.
  for (const [index, name] of names.entries())
    if (name !== 'ended_rows') expect(after[index], name).toEqual(before[index]);
});
