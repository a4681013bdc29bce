/** Changes by administrators: each replaces exactly the loaded row, and leaves an entry that names the actor. */

import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import { changeClient, clientWrite } from '../../../src/lifecycles/client/lifecycle.ts';
import { changeUser, type UserChange, userWrite } from '../../../src/lifecycles/user/lifecycle.ts';
import { type Actor, commandLine } from '../../../src/model/actor.ts';
import { clientStore } from '../../../src/storage/client-store.ts';
import { clients, transitions, users } from '../../../src/storage/schema.ts';
import { userStore } from '../../../src/storage/user-store.ts';
import { findUserForSignIn, isSub } from '../../../src/storage/users.ts';
import { databaseKinds } from '../../support/database.ts';
import { listUsers } from '../../support/listed-users.ts';
import { testMacs } from '../../support/macs.ts';
import { findClient } from '../../support/stored-clients.ts';
import { openPorts, type Ports, registration } from './ports.ts';

const OPERATOR: Actor = { kind: 'operator', id: 'the-sub-of-an-operator', addressHash: 'hashed' };
const sleep = async () => {};
const secretMac = (id: string) => ({ keyId: '11111111', mac: 'ab', id });

describe.each(databaseKinds)('administration on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  const clientPorts = () => ({ clients: clientStore(ports.db, ports.clock, testMacs), sleep });
  const userPorts = () => ({ users: userStore(ports.db, ports.clock, testMacs), sleep });
  const sent = (clientId: string, change = {}) => ({
    type: 'registrationRequested' as const,
    registration: { ...registration(clientId), declared: false, registeredBy: 'operator' as const, ...change },
  });
  const linesAbout = async (column: 'clientId' | 'userId', id: string) =>
    (await ports.db.select().from(transitions).where(eq(transitions[column], id)).orderBy(transitions.at)).map(
      ({ event, fromState, toState, actor, addressHash, fields }) => ({
        event,
        fromState,
        toState,
        actor,
        addressHash,
        fields,
      }),
    );
  const record = (username: string, password: string | null = 'pa55') => ({
    type: 'registrationRequested' as const,
    registration: {
      username,
      claims: { name: username },
      passwordHash: password === null ? null : storedPasswordHash(password),
    },
  });
  const ask = (id: string, change: UserChange) => changeUser(userPorts(), { id, actor: OPERATOR, change });

  test('each change of a client has an entry: the actor, the address, and the changed fields, without a value', async () => {
    const id = 'described';
    await changeClient(clientPorts(), id, { actor: commandLine, change: sent(id) });
    await changeClient(clientPorts(), id, {
      actor: OPERATOR,
      change: sent(id, { clientName: 'Renamed', redirectUris: ['https://other.example/'] }),
    });
    await changeClient(clientPorts(), id, {
      actor: OPERATOR,
      change: { type: 'secretRequested', secret: secretMac('2') },
    });
    await changeClient(clientPorts(), id, { actor: OPERATOR, change: { type: 'deletionRequested' } });
    const byOperator = { actor: 'operator the-sub-of-an-operator', addressHash: 'hashed' };
    expect(await linesAbout('clientId', id)).toEqual([
      {
        event: 'registrationRequested',
        fromState: 'unregistered',
        toState: 'registered',
        actor: 'command_line',
        addressHash: null,
        fields: null,
      },
      {
        event: 'registrationRequested',
        fromState: 'registered',
        toState: 'registered',
        ...byOperator,
        fields: ['client_name', 'redirect_uris'],
      },
      { event: 'secretRequested', fromState: 'registered', toState: 'registered', ...byOperator, fields: null },
      { event: 'deletionRequested', fromState: 'registered', toState: 'deleted', ...byOperator, fields: null },
    ]);
  });

  test('a change without effect, or a rejected one, leaves no entry', async () => {
    const id = 'quiet';
    await changeClient(clientPorts(), id, { actor: OPERATOR, change: sent(id) });
    const again = await changeClient(clientPorts(), id, { actor: OPERATOR, change: sent(id) });
    expect(again).toMatchObject({ kind: 'done', fields: [] });
    const last = await changeClient(clientPorts(), id, {
      actor: OPERATOR,
      change: { type: 'secretRemovalRequested', secretId: 'first' },
    });
    expect(last).toEqual({ kind: 'rejected', reason: 'last_secret' });
    expect(await linesAbout('clientId', id)).toHaveLength(1);
  });

  test('a client has two secrets during a rotation, and the removed one is gone', async () => {
    const id = 'exchanged';
    const ask = (change: Parameters<typeof changeClient>[2]['change']) =>
      changeClient(clientPorts(), id, { actor: OPERATOR, change });
    await ask(sent(id));
    expect(await ask({ type: 'secretRequested', secret: secretMac('second') })).toMatchObject({ kind: 'done' });
    expect(await ask({ type: 'secretRequested', secret: secretMac('third') })).toMatchObject({
      reason: 'too_many_secrets',
    });
    expect((await findClient(ports.db, id))?.secretMacs).toHaveLength(2);
    expect(await ask({ type: 'secretRemovalRequested', secretId: 'none' })).toMatchObject({ reason: 'secret_unknown' });
    expect(await ask({ type: 'secretRemovalRequested', secretId: 'first' })).toMatchObject({ kind: 'done' });
    expect((await findClient(ports.db, id))?.secretMacs).toEqual([secretMac('second')]);
    expect(await ask({ type: 'secretReplacementRequested', secret: secretMac('new') })).toMatchObject({ kind: 'done' });
    expect((await findClient(ports.db, id))?.secretMacs).toEqual([secretMac('new')]);
  });

  test('a change of another writer since the load is not overwritten, also where no machine decided it', async () => {
    const id = 'raced';
    await changeClient(clientPorts(), id, { actor: OPERATOR, change: sent(id) });
    const store = clientStore(ports.db, ports.clock, testMacs);
    const { now, row, version } = await store.load(id);
    if (row.client === null) throw new Error('not registered');
    const entry = { machine: 'client', event: 'e', from: 'f', to: 't', reason: null, generation: null, clientId: id };
    const { client } = row;
    const after = { ...client, clientName: 'Too late' };
    const commit = (before: typeof client | null, seen: typeof version) =>
      store.commit({ now, requires: [], writes: [clientWrite(before, after, seen)], entries: [entry] });
    // As a node of the version before would.
    await ports.db.update(clients).set({ policy: 'strict' }).where(eq(clients.clientId, id));
    expect(await commit(client, version)).toBe(false);
    expect(await findClient(ports.db, id)).toMatchObject({ policy: 'strict', clientName: row.client.clientName });
    const { version: fresh } = await store.load(id);
    expect(await commit(client, fresh)).toBe(true);
    expect(await commit(client, fresh)).toBe(false);
    expect(await commit(null, null)).toBe(false);
    const lines = await linesAbout('clientId', id);
    expect(lines).toHaveLength(2);
    // It contains only the content of the entry.
    expect(lines[1]).toEqual({
      event: 'e',
      fromState: 'f',
      toState: 't',
      actor: null,
      addressHash: null,
      fields: null,
    });
  });

  test('of many changes that arrive together each applies to the one before it', async () => {
    const id = 'busy';
    await changeClient(clientPorts(), id, { actor: OPERATOR, change: sent(id) });
    const names = ['one', 'two', 'three', 'four'];
    const outcomes = await Promise.all(
      names.map((clientName) => changeClient(clientPorts(), id, { actor: OPERATOR, change: sent(id, { clientName }) })),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(names.map(() => 'done'));
    expect(await linesAbout('clientId', id)).toHaveLength(1 + names.length);
  });

  test('a deleted end-user is not found, keeps the sub, and frees the username', async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    await ask(id, record('carol'));
    expect(await ask(id, { type: 'deletionRequested' })).toMatchObject({ kind: 'done' });
    expect(await findUserForSignIn(ports.db, 'carol')).toBeNull();
    expect((await listUsers(ports.db)).map((user) => user.id)).not.toContain(id);
    expect(await isSub(ports.db, id)).toBe(true);
    const [row] = await ports.db.select().from(users).where(eq(users.id, id));
    expect(row).toMatchObject({ username: '', passwordHash: '', claims: {} });
    expect(
      Object.values(row ?? {})
        .map(String)
        .join(),
    ).not.toContain('carol');
    expect(await ask(other, record('carol'))).toMatchObject({ kind: 'done' });
    expect(await ask(id, record('carol'))).toEqual({ kind: 'rejected', reason: 'user_unknown' });
    const events = (await linesAbout('userId', id)).map(({ event, toState }) => `${event} ${toState}`);
    expect(events).toEqual(['registrationRequested enabled', 'deletionRequested deleted']);
  });

  test('several can be deleted', async () => {
    for (const name of ['dora', 'doris']) {
      const id = randomUUID();
      await ask(id, record(name));
      expect(await ask(id, { type: 'deletionRequested' })).toMatchObject({ kind: 'done' });
    }
  });

  test('a username belongs to one user, also where it is taken between load and commit', async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    await ask(id, record('erin'));
    await ask(other, record('frank'));
    expect(await ask(other, record('ERIN', null))).toEqual({ kind: 'rejected', reason: 'username_taken' });
    const store = userStore(ports.db, ports.clock, testMacs);
    const { now, row, version } = await store.load(other, 'gale');
    if (row.user === null) throw new Error('not registered');
    await ask(id, record('gale', null));
    const entry = { machine: 'user', event: 'e', from: 'f', to: 't', reason: null, generation: null };
    const writes = [userWrite(row.user, { ...row.user, username: 'gale' }, version)] as const;
    expect(await store.commit({ now, requires: [], writes, entries: [entry] })).toBe(false);
    expect((await findUserForSignIn(ports.db, 'gale'))?.id).toBe(id);
    expect((await findUserForSignIn(ports.db, 'frank'))?.id).toBe(other);
  });

  test('of two users who take the same username concurrently, one gets it', async () => {
    const outcomes = await Promise.all([ask(randomUUID(), record('henry')), ask(randomUUID(), record('henry'))]);
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['done', 'rejected']);
  });

  test('the ledger names the changed fields of an end-user', async () => {
    const id = randomUUID();
    await ask(id, record('iris'));
    await ask(id, {
      ...record('iris', null),
      registration: { ...record('iris').registration, passwordHash: null, claims: {} },
    });
    await ask(id, record('irene', 'another'));
    await ask(id, { type: 'disableRequested' });
    await ask(id, { type: 'disableRequested' });
    expect((await linesAbout('userId', id)).map(({ fields }) => fields)).toEqual([
      null,
      ['claims'],
      ['username', 'password', 'claims'],
      null,
    ]);
    const [text] = await ports.db
      .select({ text: sql<string>`string_agg(${transitions}::text, ' ')` })
      .from(transitions)
      .where(eq(transitions.userId, id));
    expect(text?.text).not.toMatch(/pa55|another|iris/);
  });
});
