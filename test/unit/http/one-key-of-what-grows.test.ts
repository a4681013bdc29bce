/**
 * No statement of the token endpoint needs rows of two keys, beside the tables that each node of a distributed Postgres has (docs/decisions/0070).
 * Each statement is recorded as it is sent, and planned again with its values: Postgres says which tables it touches, and where.
 */
import { getTableName, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readAuthorizationCode } from '../../../src/crypto/authorization-code.ts';
import type { Database } from '../../../src/storage/database.ts';
import { TABLES } from '../../../src/storage/tables.ts';
import { exchange, refresh, token } from '../../support/actors.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { openSceneOn, type Scene } from '../../support/scene.ts';

type Sent = { readonly statement: string; readonly values: readonly unknown[] };
type Plan = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
};

const spread = new Map(
  TABLES.flatMap(({ table, spreadBy }) =>
    typeof spreadBy === 'string' ? [] : [[getTableName(table), spreadBy.name] as const],
  ),
);

describe('a statement of the token endpoint is about one key', () => {
  let opened: TestDatabase<string>;
  let scene: Scene;
  let client: postgres.Sql;
  let sent: Sent[] = [];
  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    client = postgres(opened.url, {
      max: 1,
      onnotice: () => {},
      // As the server's own connections: a table with few rows is not read as a whole.
      connection: { enable_seqscan: 'off' },
      debug: (_, statement, values) => sent.push({ statement, values }),
    });
    const database: Database = {
      ...opened.database,
      drizzle: drizzle(client),
      close: () => client.end().then(opened.close),
    };
    scene = await openSceneOn({ database, url: opened.url, close: database.close });
  });
  afterAll(() => scene.close());
  beforeEach(() => {
    sent = [];
  });

  const flat = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)];
  const tableOf = ({ 'Relation Name': name = '' }: Plan) => (name.startsWith('transitions') ? 'transitions' : name);

  /** The tables of each statement, those that each node has left out; `scans`: of rows that are there, by which condition they are found. */
  async function touched(work: () => Promise<unknown>) {
    sent = [];
    await work();
    const statements = [...sent];
    const plans: (readonly Plan[])[] = [];
    for (const { statement, values } of statements) {
      const rows = await client.unsafe(`explain (format json) ${statement}`, values as never[]);
      for (const row of rows) for (const { Plan } of row['QUERY PLAN']) plans.push(flat(Plan));
    }
    const scans = plans.flat().filter((plan) => spread.has(tableOf(plan)) && plan['Node Type'] !== 'ModifyTable');
    return {
      tables: plans.map((nodes) => [...new Set(nodes.map(tableOf).filter((name) => spread.has(name)))].toSorted()),
      conditions: [...new Set(scans.map((scan) => `${tableOf(scan)} ${scan['Index Cond'] ?? 'all rows'}`))],
    };
  }

  const ofGrant = (id: string) => [`grants (id = '${id}'::uuid)`];
  const LOAD = ['grants'];
  const COMMIT = ['grants', 'transitions'];

  async function aChain() {
    const code = await scene.code();
    const { json } = await exchange(scene, scene.client, code);
    return { ...json, grantId: readAuthorizationCode(code.code)?.grantId ?? '' };
  }

  function ask(path: '/oauth/introspect' | '/oauth/revoke', value: string) {
    const { clientId, secret } = scene.client;
    return scene.app.inject({
      method: 'POST',
      url: path,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
      },
      payload: new URLSearchParams({ token: value }).toString(),
    });
  }

  it('the exchange of a code, and the code again', async () => {
    const code = await scene.code();
    const { grantId = '' } = readAuthorizationCode(code.code) ?? {};
    for (const status of [200, 400]) {
      const found = await touched(async () => expect((await exchange(scene, scene.client, code)).status).toBe(status));
      expect(found).toEqual({ tables: [LOAD, COMMIT], conditions: ofGrant(grantId) });
    }
  });

  it('a rotation, and a reuse', async () => {
    const { grantId, refresh_token: first = '' } = await aChain();
    for (const status of [200, 400]) {
      const found = await touched(async () => expect((await refresh(scene, scene.client, first)).status).toBe(status));
      expect(found).toEqual({ tables: [LOAD, COMMIT], conditions: ofGrant(grantId) });
    }
  });

  it.each(['refresh_token', 'access_token'] as const)(
    'introspection and revocation of the %s of a chain',
    async (kind) => {
      const chain = await aChain();
      const value = chain[kind] ?? '';
      const asked = await touched(() => ask('/oauth/introspect', value));
      expect(asked).toEqual({ tables: [LOAD], conditions: ofGrant(chain.grantId) });
      const revoked = await touched(() => ask('/oauth/revoke', value));
      expect(revoked).toEqual({ tables: [LOAD, COMMIT], conditions: ofGrant(chain.grantId) });
    },
  );

  it('client credentials, and introspection and revocation of their token', async () => {
    let value = '';
    const issued = await touched(async () => {
      value = (await token(scene, scene.client, { grant_type: 'client_credentials' })).json.access_token ?? '';
    });
    expect(value).not.toBe('');
    expect(issued).toEqual({ tables: [[]], conditions: [] });
    const jti = JSON.parse(Buffer.from(value.split('.')[1] ?? '', 'base64url').toString()).jti;
    for (const path of ['/oauth/introspect', '/oauth/revoke', '/oauth/introspect'] as const) {
      const { tables, conditions } = await touched(() => ask(path, value));
      expect(new Set(tables.flat())).toEqual(new Set(['denied_access_tokens']));
      // A revocation inserts a row, and finds none.
      const byKey = [`denied_access_tokens (jti = '${jti}'::text)`];
      expect(byKey).toEqual(expect.arrayContaining(conditions));
    }
  });

  it('each entry that they write has the key of its grant', async () => {
    const { grantId, refresh_token: first = '' } = await aChain();
    await refresh(scene, scene.client, first);
    await refresh(scene, scene.client, first);
    const entries = await client`select distinct machine, shard_key from transitions where grant_id = ${grantId}`;
    const machines = ['authorizationCode', 'grant', 'interaction', 'refreshToken'];
    expect(entries.map(({ machine }) => machine).toSorted()).toEqual(machines);
    expect(new Set(entries.map(({ shard_key: key }) => key))).toEqual(new Set([grantId]));
  });

  it('finds a statement about two grants', async () => {
    const found = await touched(() =>
      drizzle(client).execute(sql`select * from grants one join grants other on other.user_id = one.user_id`),
    );
    expect(found.conditions).not.toEqual(ofGrant(expect.any(String)));
    expect(found.conditions.length).toBeGreaterThan(0);
  });
});
