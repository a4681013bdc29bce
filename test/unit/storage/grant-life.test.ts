import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadLife } from '../../../src/storage/grant-life.ts';
import { deleteClient, disableUser } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import {
  type Granted,
  givenGrant,
  loadGrant,
  moveHead,
  nextMove,
  openPorts,
  type Ports,
  reuseOf,
  revoke,
} from './ports.ts';

describe.each(databaseKinds)('the life of a grant on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  const lifeOf = ({ grantId }: Pick<Granted, 'grantId'>) => loadLife(ports.db, ports.clock, grantId);

  test('has its client, its end-user, and every entry, the oldest first', async () => {
    const granted = await givenGrant(ports);
    for (let moves = 0; moves < 2; moves++) {
      ports.clock.advanceSeconds(1);
      await moveHead(ports, nextMove(ports, await loadGrant(ports, granted)));
    }
    ports.clock.advanceSeconds(1);
    const loaded = await loadGrant(ports, granted);
    await revoke(ports, reuseOf(ports, loaded));
    const life = await lifeOf(granted);
    const now = ports.clock.now();
    const ended = { state: 'revoked', revokedReason: 'refresh_token_reused', revokedAt: now, policy: 'default' };
    expect(life.now).toEqual(now);
    expect(life.grant).toEqual({ ...loaded, ...ended });
    expect(life.client).toMatchObject({ clientId: granted.clientId, clientName: `Client ${granted.clientId}` });
    const { id, username } = granted.person;
    expect(life.user).toMatchObject({ id, username, disabledAt: null });
    expect(life.lines.map(({ machine, event, from, to }) => [machine, event, from, to])).toEqual([
      ['interaction', 'consented', 'awaitingSignIn', 'approved'],
      ['authorizationCode', 'presented', 'active', 'used'],
      ['refreshToken', 'presented', 'active', 'used'],
      ['refreshToken', 'presented', 'used', 'revoked'],
      ['grant', 'refreshTokenReused', 'active', 'revoked'],
    ]);
    expect(life.lines.at(-1)).toEqual({
      at: now,
      machine: 'grant',
      event: 'refreshTokenReused',
      from: 'active',
      to: 'revoked',
      reason: 'refresh_token_reused',
      generation: 1n,
      clientId: granted.clientId,
      policy: 'default',
      scopeWithheld: null,
      actor: null,
      address: null,
      userAgent: null,
    });
    expect(life.earlierLines).toBe(0);
  });

  test('has at the same instant the consequence last', async () => {
    const granted = await givenGrant(ports);
    const code = await loadGrant(ports, granted);
    await moveHead(ports, nextMove(ports, code));
    await moveHead(ports, nextMove(ports, await loadGrant(ports, granted)));
    await moveHead(ports, nextMove(ports, await loadGrant(ports, granted)));
    await revoke(ports, reuseOf(ports, await loadGrant(ports, granted)));
    const { lines } = await lifeOf(granted);
    expect(lines.map(({ machine, generation }) => `${machine} ${generation}`)).toEqual([
      'interaction null',
      'authorizationCode 0',
      'refreshToken 1',
      'refreshToken 2',
      'refreshToken 2',
      'grant 2',
    ]);
  });

  test('has at the same instant an order independent of the storage', async () => {
    const granted = await givenGrant(ports);
    const stored: [string, number | null][] = [
      ['grant', 2],
      ['refreshToken', 1],
      ['authorizationCode', 0],
      ['refreshToken', 2],
    ];
    for (const [machine, generation] of stored) {
      await ports.db.execute(sql`
        insert into transitions (shard_key, at, machine, grant_id, event, from_state, to_state, generation)
        select grant_id, at, ${machine}, grant_id, 'presented', 'active', 'used', ${generation}::bigint
        from transitions where grant_id = ${granted.grantId}::uuid and machine = 'interaction'`);
    }
    const { lines } = await lifeOf(granted);
    expect(lines.map(({ machine, generation }) => `${machine} ${generation}`)).toEqual([
      'interaction null',
      'authorizationCode 0',
      'refreshToken 1',
      'refreshToken 2',
      'grant 2',
    ]);
  });

  test('shows when its client was deleted and its end-user disabled', async () => {
    const [deleted, disabled] = [await givenGrant(ports), await givenGrant(ports)];
    await deleteClient(ports.db, deleted.clientId);
    await disableUser(ports.db, disabled.person.username);
    const [one, other] = [await lifeOf(deleted), await lifeOf(disabled)];
    expect(one.grant).toMatchObject({ liveClientEpoch: null, liveUserEpoch: 0n });
    expect(one.client?.deletedAt).toBeInstanceOf(Date);
    expect(other.grant).toMatchObject({ liveClientEpoch: 0n, liveUserEpoch: null });
    expect(other.user?.disabledAt).toBeInstanceOf(Date);
  });

  test('is empty for an unknown grant, with the time', async () => {
    const nothing = { grant: null, client: null, user: null, lines: [], earlierLines: 0 };
    expect(await lifeOf({ grantId: randomUUID() })).toEqual({ ...nothing, now: ports.clock.now() });
  });

  test('has the newest thousand entries, and the number of earlier ones', async () => {
    const granted = await givenGrant(ports);
    await ports.db.execute(sql`
      insert into transitions (shard_key, at, machine, grant_id, event, from_state, to_state, generation)
      select grant_id, at + n * interval '1 second', 'refreshToken', grant_id, 'presented', 'active', 'used', n
      from transitions, generate_series(1, 1001) n where grant_id = ${granted.grantId}::uuid`);
    const { lines, earlierLines } = await lifeOf(granted);
    expect(lines).toHaveLength(1000);
    expect([lines[0]?.generation, lines.at(-1)?.generation]).toEqual([2n, 1001n]);
    expect(earlierLines).toBe(2);
  });
});
