/** Administration of a client, over one row in memory. */
import { describe, expect, test } from 'vitest';
import { InvariantViolation, StoreUnavailable } from '../../../src/engine/errors.ts';
import { run } from '../../../src/engine/run.ts';
import {
  type ClientAsked,
  type ClientChange,
  type ClientFacts,
  changeClient,
  clientLifecycle,
  clientRequest,
  differingFields,
  type SentRegistration,
} from '../../../src/lifecycles/client/lifecycle.ts';
import { type Actor, commandLine, configurationFiles } from '../../../src/model/actor.ts';
import type { RegisteredClient } from '../../../src/model/client.ts';
import { CLIENT, machineAnswering, NOW } from './given.ts';
import { type Fate, oneRow } from './one-row.ts';

const OPERATOR: Actor = { kind: 'operator', id: 'a-sub', addressHash: 'hashed' };
const mac = (id?: string) => ({ keyId: '11111111', mac: `mac of ${id}`, ...(id !== undefined && { id }) });

const { epoch: _, deletedAt: __, ...metadata } = CLIENT;
const SENT: SentRegistration = {
  ...metadata,
  tokenEndpointAuthMethod: 'client_secret_basic',
  secretMacs: [mac()],
  declared: false,
};
const STORED: RegisteredClient = { ...SENT, epoch: 4n, deletedAt: null };
const DELETED: RegisteredClient = { ...STORED, epoch: 5n, secretMacs: [], deletedAt: NOW };
const PUBLIC: RegisteredClient = { ...STORED, tokenEndpointAuthMethod: 'none', secretMacs: [] };
const TWO_SECRETS: RegisteredClient = { ...STORED, secretMacs: [mac(), mac('second')] };

const registering = (change: Partial<SentRegistration> = {}): ClientChange => ({
  type: 'registrationRequested',
  registration: { ...SENT, ...change },
});
const adding = (id: string): ClientChange => ({ type: 'secretRequested', secret: mac(id) });
const removing = (secretId: string): ClientChange => ({ type: 'secretRemovalRequested', secretId });
const REPLACING: ClientChange = { type: 'secretReplacementRequested', secret: mac('new') };
const DELETION: ClientChange = { type: 'deletionRequested' };

function bench(stored: RegisteredClient | null, fates: readonly Fate<RegisteredClient | null>[] = []) {
  const store = oneRow<RegisteredClient>(stored, fates);
  const load = async (clientId: string) => {
    const { row: client, version } = store.current();
    return { now: NOW, row: { clientId, client }, version };
  };
  const ports = { clients: { load, commit: store.commit }, sleep: store.sleep };
  const ask = (change: ClientChange, others: Partial<ClientAsked> = {}) =>
    changeClient(ports, CLIENT.clientId, { actor: OPERATOR, change, ...others });
  return { ...store, ports, ask };
}

const line = (event: string, from: string, to: string, fields: readonly string[] = []) => ({
  machine: 'client',
  event,
  from,
  to,
  reason: null,
  generation: null,
  clientId: CLIENT.clientId,
  policy: CLIENT.policy,
  actor: OPERATOR,
  fields,
});

describe('a committed change', () => {
  const added = [...STORED.secretMacs, mac('second')];
  test.each<[string, RegisteredClient | null, ClientChange, RegisteredClient, string, string]>([
    ['a registration', null, registering(), { ...STORED, epoch: 0n }, 'unregistered', 'registered'],
    ['a registration after a deletion', DELETED, registering(), { ...STORED, epoch: 5n }, 'deleted', 'registered'],
    ['another secret', STORED, adding('second'), { ...STORED, secretMacs: added }, 'registered', 'registered'],
    [
      'a new secret for all',
      TWO_SECRETS,
      REPLACING,
      { ...STORED, secretMacs: [mac('new')] },
      'registered',
      'registered',
    ],
    [
      'the secret of the registration',
      TWO_SECRETS,
      removing('first'),
      { ...STORED, secretMacs: [mac('second')] },
      'registered',
      'registered',
    ],
    ['the later secret removed', TWO_SECRETS, removing('second'), STORED, 'registered', 'registered'],
    ['a deletion', STORED, DELETION, DELETED, 'registered', 'deleted'],
  ])('%s is committed against the loaded row, with its entry', async (_, stored, change, after, from, to) => {
    const { ask, commits, current } = bench(stored);
    const { version } = current();
    const before = stored?.deletedAt === null ? stored : null;
    expect(await ask(change)).toEqual({ kind: 'done', client: after, before, fields: [] });
    expect(commits).toEqual([{ version, after, now: NOW, entries: [line(change.type, from, to)] }]);
    expect(current().row).toEqual(after);
  });

  test('of a registration is reported by the names of its fields, in alphabetical order', async () => {
    const { ask, commits } = bench(STORED);
    const change = { secretMacs: [mac('x')], redirectUris: ['https://other.example/'], clientName: 'Renamed' };
    const fields = ['client_name', 'client_secret', 'redirect_uris'];
    const client = { ...STORED, ...change };
    expect(await ask(registering(change))).toEqual({ kind: 'done', client, before: STORED, fields });
    const entry = line('registrationRequested', 'registered', 'registered', fields);
    expect(commits).toEqual([{ version: 'version 0', after: client, now: NOW, entries: [entry] }]);
  });

  test('configuration may declare a client that was registered, and change it', async () => {
    const { ask, current } = bench(STORED);
    const asked = { actor: configurationFiles };
    expect(await ask(registering({ declared: true }), asked)).toMatchObject({ kind: 'done', fields: ['declared'] });
    expect(await ask(REPLACING, asked)).toMatchObject({ kind: 'done' });
    expect(current().row).toEqual({ ...STORED, declared: true, secretMacs: [mac('new')] });
  });
});

test('every field differs from a missing client', () => {
  expect(differingFields(null, SENT)).toHaveLength(Object.keys(SENT).length);
  expect(differingFields(STORED, SENT)).toEqual([]);
});

test('a registration with the stored values changes nothing', async () => {
  const { ask, commits } = bench(STORED);
  expect(await ask(registering())).toEqual({ kind: 'done', client: STORED, before: STORED, fields: [] });
  expect(commits).toEqual([]);
});

describe('a rejected change commits nothing', () => {
  const DECLARED = { ...TWO_SECRETS, declared: true };
  const all = [registering({ clientName: 'Other' }), adding('third'), REPLACING, removing('first'), DELETION];
  const [, ...ofAnother] = all;
  test.each<[string, RegisteredClient | null, readonly ClientChange[]]>([
    ['client_unknown', null, ofAnother],
    ['client_unknown', DELETED, ofAnother],
    ['client_is_declared', DECLARED, all],
    ['client_is_public', PUBLIC, [adding('one'), REPLACING]],
    ['too_many_secrets', TWO_SECRETS, [adding('third')]],
    ['secret_unknown', TWO_SECRETS, [removing('third'), removing('')]],
    ['last_secret', STORED, [removing('first')]],
  ])('%s', async (reason, stored, changes) => {
    for (const change of changes) {
      const { ask, commits } = bench(stored);
      expect(await ask(change)).toEqual({ kind: 'rejected', reason });
      expect(commits).toEqual([]);
    }
  });

  test.each([
    ['unregistered', null],
    ['registered', STORED],
    ['deleted', DELETED],
  ])('that was meant for another row than the %s one', async (_, stored) => {
    const { ask, commits } = bench(stored);
    const rows: unknown[] = [];
    const expects = (row: unknown) => {
      rows.push(row);
      return false;
    };
    expect(await ask(registering(), { expects })).toEqual({ kind: 'rejected', reason: 'changed_meanwhile' });
    expect(rows).toEqual([{ clientId: CLIENT.clientId, client: stored }]);
    expect(commits).toEqual([]);
  });
});

describe('a concurrent change of another writer', () => {
  const renamed = (client: RegisteredClient | null) => client && { ...client, clientName: 'Theirs' };

  test('is followed by another decision, and kept', async () => {
    const { ask, commits, current } = bench(STORED, [renamed]);
    expect(await ask(adding('second'))).toMatchObject({ kind: 'done', before: { clientName: 'Theirs' } });
    expect(commits.map(({ version }) => version)).toEqual(['version 0', 'version 1']);
    expect(current().row).toMatchObject({ clientName: 'Theirs', secretMacs: [mac(), mac('second')] });
  });

  test("is unknown to the administrator's precondition", async () => {
    const { ask, current } = bench(STORED, [renamed]);
    const expects = ({ client }: { client: RegisteredClient | null }) => client?.clientName === STORED.clientName;
    expect(await ask(DELETION, { expects })).toEqual({ kind: 'rejected', reason: 'changed_meanwhile' });
    expect(current().row).toEqual({ ...STORED, clientName: 'Theirs' });
  });

  test('may take the id: the registration replaces the row that is there then', async () => {
    const { ask, current } = bench(null, [() => ({ ...STORED, clientName: 'Theirs' })]);
    expect(await ask(registering())).toMatchObject({ kind: 'done', fields: ['client_name'] });
    expect(current().row).toEqual(STORED);
  });

  test('is retried a bounded number of times', async () => {
    const { ask } = bench(STORED, [renamed, renamed, renamed, renamed, renamed]);
    await expect(ask(adding('second'))).rejects.toMatchObject({ reason: 'too_many_conflicts' });
  });
});

describe('a commit whose answer is lost', () => {
  test.each([
    ['another secret', STORED, adding('second')],
    ['a deletion', STORED, DELETION],
    ['a registration', null, registering()],
  ])('was made, if %s is in the row: it is not repeated', async (_, stored, change) => {
    const usual = bench(stored);
    const { ask, commits, current } = bench(stored, ['lostAfter']);
    expect(await ask(change)).toEqual(await usual.ask(change));
    expect(commits).toHaveLength(1);
    expect(current().row).toEqual(usual.current().row);
  });

  test('is repeated, if it is not in the row', async () => {
    const { ask, commits, current } = bench(STORED, ['lostBefore']);
    expect(await ask(adding('second'))).toMatchObject({ kind: 'done' });
    expect(commits).toHaveLength(2);
    expect(current().row?.secretMacs).toEqual([mac(), mac('second')]);
  });

  test('is unknown, if the row cannot be read any longer', async () => {
    const { ports, waits } = bench(STORED, ['lostAfter']);
    let loads = 0;
    const load = (clientId: string) => {
      if (loads++ > 0) throw new StoreUnavailable(false);
      return ports.clients.load(clientId);
    };
    const away = { ...ports, clients: { ...ports.clients, load } };
    const answer = changeClient(away, CLIENT.clientId, { actor: commandLine, change: REPLACING });
    await expect(answer).rejects.toMatchObject({ reason: 'commit_unknown' });
    expect(waits).toEqual([200, 1000]);
  });

  test('and was never sent, is an outage', async () => {
    const { ask } = bench(STORED, ['away']);
    await expect(ask(REPLACING)).rejects.toMatchObject({ reason: 'store_unavailable' });
  });
});

describe('a wrong machine', () => {
  const facts: ClientFacts = { now: NOW, version: null, actor: commandLine, change: DELETION, fields: [] };
  const row = (client: RegisteredClient | null) => ({ clientId: CLIENT.clientId, client });
  const { changes } = clientLifecycle;

  test('registers nothing where no record was sent', () => {
    const act = () => changes.registerClient?.(row(null), facts, undefined);
    expect(act).toThrow(new InvariantViolation('client: nothing was sent to register'));
  });

  test('adds no secret where none was sent', () => {
    expect(changes.addSecret?.(row(STORED), facts, undefined)).toEqual(row(STORED));
  });

  test('changes nothing about a missing client', () => {
    expect(changes.raiseEpoch?.(row(null), facts, { of: 'client' })).toEqual(row(null));
    expect(clientLifecycle.contextOf(row(null), facts)).toEqual({
      isDeclared: false,
      isConfidential: false,
      secretIds: [],
    });
    const request = clientRequest({ actor: commandLine, change: removing('first') });
    expect(request.read({ now: NOW, row: row(null), version: null }).event).toMatchObject({ secretId: 'first' });
  });

  test.each([
    ['a client', null, [line('deletionRequested', 'registered', 'deleted')]],
    ['a line', STORED, []],
  ])('commits nothing without %s', (_, client, entries) => {
    const step = { before: row(client), after: row(client), decisions: [], entries };
    const act = () => clientLifecycle.commitOf(step, facts, entries);
    expect(act).toThrow(new InvariantViolation('client: a commit needs a client and a ledger entry'));
  });

  test('that accepts a change of a missing client has no answer', async () => {
    const machine = machineAnswering(['unregistered'], 'deletionRequested', 'unregistered', []);
    const request = clientRequest({ actor: commandLine, change: DELETION });
    const { clients, sleep } = bench(null).ports;
    const answer = run(
      { load: () => clients.load('unknown-client'), commit: clients.commit, sleep },
      { ...request, lifecycle: { ...clientLifecycle, machine } },
    );
    await expect(answer).rejects.toThrow(
      new InvariantViolation('client: a request that was not rejected left no client'),
    );
  });
});
