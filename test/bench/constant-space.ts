/**
 * A chain costs the same bytes and ends in the same time after 10 rotations and after very many. The engine's store is
 * driven directly, without waiting for the disk: neither bytes nor the ratio of the times depend on that.
 */
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { readAuthorizationCode } from '../../src/crypto/authorization-code.ts';
import type { GrantStore } from '../../src/lifecycles/grant/lifecycle.ts';
import type { Grant } from '../../src/model/grant.ts';
import { grantStore } from '../../src/storage/grant-store.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { databaseClock } from '../../src/system/clock.ts';
import { testClients } from '../support/macs.ts';
import { CLIENT_ID, REFRESH_IDLE_SECONDS } from './setting.ts';
import { median } from './statistics.ts';
import { insertGrants, registerClientAndPerson } from './targets/statehouse-rows.ts';

export type ConstantSpace = { readonly few: AfterRotations; readonly many: AfterRotations };

export type AfterRotations = {
  readonly rotations: number;
  /** pg_column_size of the chain's row. */
  readonly rowBytes: number;
  /** pg_total_relation_size of `grants`, indexes included, after VACUUM. */
  readonly tableBytes: number;
  /** The same of the ledger, which has a line for each rotation until its month is dropped. */
  readonly ledgerBytes: number;
  /** Median. */
  readonly endMilliseconds: number;
};

const FEW = 10;
/** Beside the two chains that are rotated: a table with one row would hide what it costs. */
const OTHER_CHAINS = 1000;
const ENDINGS = 200;

export async function constantSpace(databaseUrl: string, manyRotations: number): Promise<ConstantSpace> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql`alter database ${sql(new URL(databaseUrl).pathname.slice(1))} set synchronous_commit = off`;
  const database = openPostgres(databaseUrl, { connections: 1 });
  try {
    await database.migrate();
    await registerClientAndPerson(database.drizzle);
    const codes = await insertGrants(database.drizzle, OTHER_CHAINS + 2);
    const [few = '', many = ''] = codes.map((code) => readAuthorizationCode(code)?.grantId ?? '');
    const store = grantStore(database.drizzle, databaseClock, testClients);

    await rotate(store, few, FEW);
    const bytesAfterFew = await bytes(sql, few);
    await rotate(store, many, manyRotations);
    const bytesAfterMany = await bytes(sql, many);
    const endings = await endInTurns(store, sql, few, many);
    return {
      few: { rotations: FEW, ...bytesAfterFew, endMilliseconds: median(endings.few) },
      many: { rotations: manyRotations, ...bytesAfterMany, endMilliseconds: median(endings.many) },
    };
  } finally {
    await database.close();
    await sql.end();
  }
}

/** The exchange of the code, then the rotations: the engine's commit for each. */
async function rotate(store: GrantStore, grantId: string, rotations: number): Promise<void> {
  const { grant, now } = await store.load({ clientId: CLIENT_ID, grantId });
  if (!grant) throw new Error('The grant was not inserted.');
  const chainEndsAt = new Date(now.getTime() + REFRESH_IDLE_SECONDS * 1000);
  let loaded: Grant = grant;
  for (let generation = 0n; generation <= rotations; generation++) {
    const nonce = randomBytes(16);
    const machine = generation === 0n ? 'authorizationCode' : 'refreshToken';
    const entry = { machine, event: 'presented', from: 'active', to: 'used', reason: null, generation };
    const move = { loaded, now, generation, nonce, chainEndsAt, endsAt: chainEndsAt, policy: 'default', entry };
    const moved = await store.commit({ kind: 'moveHead', move });
    if (!moved) throw new Error(`Rotation ${generation} was not committed.`);
    loaded = { ...loaded, refreshGeneration: generation, refreshNonce: nonce };
  }
}

type Bytes = Pick<AfterRotations, 'rowBytes' | 'tableBytes' | 'ledgerBytes'>;

async function bytes(sql: postgres.Sql, grantId: string): Promise<Bytes> {
  await sql`vacuum grants`;
  const [row] = await sql<[Bytes]>`
    select pg_column_size(grants) as "rowBytes", pg_total_relation_size('grants')::int as "tableBytes",
      (select sum(pg_total_relation_size(inhrelid))::int from pg_inherits where inhparent = 'transitions'::regclass)
        as "ledgerBytes"
    from grants where id = ${grantId}`;
  return row;
}

/** One and the other, many times: a single ending is too short to time. Reviving is not timed, and only for measuring. */
async function endInTurns(
  store: GrantStore,
  sql: postgres.Sql,
  few: string,
  many: string,
): Promise<{ few: number[]; many: number[] }> {
  const timed = { few: [] as number[], many: [] as number[] };
  for (let index = 0; index < ENDINGS; index++) {
    timed.few.push(await endOnce(store, few));
    timed.many.push(await endOnce(store, many));
    // Nothing but the owner of the table can do this, by taking its triggers off.
    await sql.begin(async (own) => {
      await own`alter table grants disable trigger user`;
      await own`update grants set state = 'active', revoked_at = null, revoked_reason = null where id in ${own([few, many])}`;
      await own`alter table grants enable trigger user`;
    });
  }
  return timed;
}

async function endOnce(store: GrantStore, grantId: string): Promise<number> {
  const reason = 'refresh_token_reused';
  const change = { event: 'presented', to: 'revoked', reason, generation: null } as const;
  const entries = [
    { ...change, machine: 'refreshToken', from: 'used' },
    { ...change, machine: 'grant', from: 'active' },
  ];
  const ending = { grantId, now: new Date(), reason, clientId: CLIENT_ID, policy: 'default', entries } as const;
  const began = performance.now();
  const ended = await store.commit({ kind: 'revoke', revocation: ending });
  const milliseconds = performance.now() - began;
  if (!ended) throw new Error('The chain did not end.');
  return milliseconds;
}
