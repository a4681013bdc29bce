import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deniedAccessTokenStore } from '../../../src/storage/denied-access-tokens.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { deleteClient } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { givenClient, openPorts, type Ports } from './ports.ts';

describe.each(databaseKinds)('denied access tokens on %s', (kind) => {
  let ports: Ports;
  let denied: ReturnType<typeof deniedAccessTokenStore>;
  beforeAll(async () => {
    ports = await openPorts(kind);
    denied = deniedAccessTokenStore(ports.db, ports.clock);
  });
  afterAll(() => ports.close());

  const aToken = async () => ({ jti: randomUUID(), clientId: await givenClient(ports) });
  const deny = (token: { jti: string; clientId: string }) => denied.deny({ ...token, endsAt: ports.clock.now() });

  test('a token is denied from its denial on, which may be repeated', async () => {
    const token = await aToken();
    const { now, client, isDenied } = await denied.load(token);
    expect(now).toEqual(ports.clock.now());
    expect(client).toMatchObject({ clientId: token.clientId, epoch: 0n, deletedAt: null });
    expect(isDenied).toBe(false);
    await deny(token);
    await deny(token);
    expect(await denied.load(token)).toMatchObject({ client: { clientId: token.clientId }, isDenied: true });
  });

  test('without the clock of a test, the time is the database’s', async () => {
    const { load } = deniedAccessTokenStore(ports.db, databaseClock);
    const timeOf = async () => (await load({ jti: 'jti', clientId: 'unknown' })).now.getTime();
    const [first, second] = [await timeOf(), await timeOf()];
    expect(first).not.toBe(ports.clock.now().getTime());
    expect(second).toBeGreaterThanOrEqual(first);
  });

  test('a denial concerns one token of one client', async () => {
    const [token, other] = [await aToken(), await aToken()];
    await deny(token);
    expect(await denied.load({ ...token, jti: other.jti })).toMatchObject({ isDenied: false });
    expect(await denied.load({ ...token, clientId: other.clientId })).toMatchObject({
      client: { clientId: other.clientId },
      isDenied: false,
    });
  });

  test('a deleted client has the time of its deletion; an unknown one has none', async () => {
    const token = await aToken();
    await deleteClient(ports.db, token.clientId);
    expect((await denied.load(token)).client?.deletedAt).toBeInstanceOf(Date);
    expect(await denied.load({ ...token, clientId: 'unknown' })).toMatchObject({ client: null, isDenied: false });
  });
});
