/** Each kind of row is removed from its moment on, and stays until then. */
import { randomBytes, randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_ACCESS_TOKEN_SECONDS } from '../../../src/lifecycles/retention.ts';
import { housekeeper } from '../../../src/storage/housekeeping.ts';
import { deniedAccessTokens, grants, interactions, sessions, signInFailures } from '../../../src/storage/schema.ts';
import { databaseKinds } from '../../support/database.ts';
import { givenClient, givenGrant, givenInteraction, givenUser, openPorts, type Ports } from './ports.ts';

const BEGUN = new Date('2020-01-15T00:00:00.000Z');
const END = new Date('2020-01-15T01:00:00.000Z');
const HOUR_SECONDS = 3600;

describe.each(databaseKinds)('ended rows, on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  type Ending = [what: string, secondsKept: number, table: PgTable, insert: () => Promise<unknown>];
  const endings: Ending[] = [
    [
      'a session',
      0,
      sessions,
      async () => {
        const { id: userId } = await givenUser(ports);
        const signedIn = { idHash: randomBytes(32), sid: randomUUID(), userId, userEpoch: 0n, serverEpoch: 0n };
        await ports.sessions.insert({
          ...signedIn,
          amr: ['pwd'],
          state: 'active',
          userAgent: null,
          lifetimeSeconds: HOUR_SECONDS,
        });
      },
    ],
    [
      'an interaction',
      HOUR_SECONDS,
      interactions,
      async () => {
        const id = await givenInteraction(ports, await givenClient(ports));
        await ports.db.execute(sql`alter table interactions disable trigger user`);
        await ports.db.update(interactions).set({ endsAt: END }).where(eq(interactions.id, id));
        await ports.db.execute(sql`alter table interactions enable trigger user`);
      },
    ],
    [
      'a denial of an access token',
      HOUR_SECONDS,
      deniedAccessTokens,
      () => ports.db.insert(deniedAccessTokens).values({ jti: randomUUID(), clientId: 'c', endsAt: END }),
    ],
    [
      'a window of failed sign-ins',
      0,
      signInFailures,
      () => ports.db.insert(signInFailures).values({ keyHash: randomBytes(32), failures: 1, windowEndsAt: END }),
    ],
    ['a grant whose code was never exchanged', MAX_ACCESS_TOKEN_SECONDS, grants, () => aGrant(END, null)],
    [
      'a grant whose chain has ended',
      MAX_ACCESS_TOKEN_SECONDS,
      grants,
      () => aGrant(new Date(BEGUN.getTime() + 60_000), END),
    ],
  ];

  async function aGrant(codeEndsAt: Date, chainEndsAt: Date | null): Promise<void> {
    const { grantId } = await givenGrant(ports);
    await ports.db.execute(sql`alter table grants disable trigger user`);
    await ports.db.update(grants).set({ codeEndsAt, chainEndsAt }).where(eq(grants.id, grantId));
    await ports.db.execute(sql`alter table grants enable trigger user`);
  }

  test.each(endings)('%s stays until %d seconds after its end', async (_, secondsKept, table, insert) => {
    // Rows that were made on the way have ended long before.
    ports.clock.set(BEGUN);
    await insert();
    const until = END.getTime() + secondsKept * 1000;
    ports.clock.set(new Date(until));
    await housekeeper(ports.db, ports.clock).cleanUp();
    expect(await ports.db.$count(table)).toBe(1);
    ports.clock.set(new Date(until + 1));
    const { removed } = await housekeeper(ports.db, ports.clock).cleanUp();
    expect(await ports.db.$count(table)).toBe(0);
    expect(removed).toBe(table === grants ? 1 : 0);
  });

  test('are walked by age, window after window, and from the start again, for grants', async () => {
    ports.clock.set(BEGUN);
    const { grantId } = await givenGrant(ports);
    await copies(grantId, 5000);
    ports.clock.set(new Date(BEGUN.getTime() + 30 * 86_400_000));
    const keeper = housekeeper(ports.db, ports.clock);
    expect((await keeper.cleanUp()).removed).toBe(5001);
    expect((await keeper.cleanUp()).removed).toBe(0);
    ports.clock.set(BEGUN);
    await givenGrant(ports);
    ports.clock.set(new Date(BEGUN.getTime() + 30 * 86_400_000));
    expect((await keeper.cleanUp()).removed).toBe(1);
  });

  /** Of a grant, each a millisecond younger than the one before. */
  const copies = (grantId: string, count: number) =>
    ports.db.execute(sql`
      insert into grants (id, client_id, user_id, client_epoch, user_epoch, server_epoch, scope, resources,
        policy, code_hash, code_challenge, redirect_uri, code_ends_at, state, created_at)
      select gen_random_uuid(), client_id, user_id, client_epoch, user_epoch, server_epoch, scope, resources,
        policy, code_hash, code_challenge, redirect_uri, code_ends_at, state, created_at + n * interval '1 millisecond'
      from grants, generate_series(1, ${count}::int) n where id = ${grantId}::uuid`);
});
