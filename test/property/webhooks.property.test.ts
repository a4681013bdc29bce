/**
 * Administrators, end-users and attackers in any order, while two delivery workers look for events at any moment, and endpoints fail at
 * times. Each committed decision is delivered exactly once, and a rejected one never. The expected events are computed from the actions
 * and their answers.
 */
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedSecretMac } from '../../src/crypto/client-secret.ts';
import { rawSecret, storedPasswordHash } from '../../src/crypto/secret-types.ts';
import { endUser, theServer } from '../../src/model/actor.ts';
import { administerClient, administerUser } from '../../src/registration/administration.ts';
import { makeClient, makeUser, refresh, type TestClient, type TestUser } from '../support/actors.ts';
import { deleteClient } from '../support/administration.ts';
import { anyDatabase } from '../support/database.ts';
import { testMacs } from '../support/macs.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { deliveryWorkerOf, type TestDeliveryWorker, webhooksFile } from '../support/webhooks.ts';

const ACTS = [
  'make user',
  'disable',
  'enable',
  'delete user',
  'change password',
  'make client',
  'change client',
  'add secret',
  'delete client',
  'steal',
  'look',
  'look',
  'fail',
  'mend',
] as const;
type Act = (typeof ACTS)[number];

describe('events', () => {
  let scene: Scene;
  let receiver: Receiver;
  let status = 204;
  let workers: readonly TestDeliveryWorker[];
  /** `type id` of each decision. */
  let expected: string[] = [];
  let users: TestUser[] = [];
  let clients: TestClient[] = [];
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
    receiver = await openReceiver((response) => void response.writeHead(status).end());
    const file = webhooksFile([{ url: receiver.url, events: ['user', 'client', 'grant'] }], { maxAttempts: 50 });
    workers = [deliveryWorkerOf(scene, file), deliveryWorkerOf(scene, file)];
    await workers[0]?.round();
  });
  afterAll(async () => {
    await receiver.close();
    await scene.close();
  });

  const done = (isDone: boolean, type: string, id: string) => void (isDone && expected.push(`${type} ${id}`));

  async function act(what: Act, number: number): Promise<void> {
    const { drizzle: db } = scene.database;
    const user = users[number % users.length];
    const client = clients[number % clients.length];
    const deps = { db, macs: testMacs, actor: theServer };
    /** A disabled user is not disabled again. */
    const changed = async (type: 'disableRequested' | 'enableRequested', { id }: TestUser) => {
      const answer = await administerUser(deps, { id, change: { type } });
      return answer.kind === 'done' && (answer.before?.disabledAt === null) !== (answer.user.disabledAt === null);
    };
    switch (what) {
      case 'make user': {
        const made = await makeUser(scene);
        users.push(made);
        return done(true, 'user.created', made.id);
      }
      case 'disable':
        return user && done(await changed('disableRequested', user), 'user.disabled', user.id);
      case 'enable':
        return user && done(await changed('enableRequested', user), 'user.enabled', user.id);
      case 'delete user': {
        if (!user) return;
        users = users.filter((one) => one !== user);
        const { kind } = await administerUser(deps, { id: user.id, change: { type: 'deletionRequested' } });
        return done(kind === 'done', 'user.deleted', user.id);
      }
      case 'change password': {
        if (!user) return;
        const change = {
          type: 'passwordChangeRequested',
          passwordHash: storedPasswordHash(`hash ${number}`),
          byPasswordAlone: true,
        } as const;
        const { kind } = await administerUser({ ...deps, actor: endUser(user.id) }, { id: user.id, change });
        return done(kind === 'done', 'user.credential_changed', user.id);
      }
      case 'make client': {
        const made = await makeClient(scene);
        clients.push(made);
        return done(true, 'client.created', made.clientId);
      }
      case 'change client': {
        if (!client) return;
        const { secret: _, ...registration } = { ...client, clientName: `Client ${number}` };
        const change = {
          type: 'registrationRequested',
          registration: { ...registration, declared: false, registeredBy: 'operator' },
        } as const;
        const answer = await administerClient(deps, client.clientId, { change });
        return done(answer.kind === 'done' && answer.fields.length > 0, 'client.changed', client.clientId);
      }
      case 'add secret': {
        if (!client) return;
        const mac = storedSecretMac(scene.keys, rawSecret(`another secret ${number}`));
        const { kind } = await administerClient(deps, client.clientId, {
          change: { type: 'secretRequested', secret: mac },
        });
        return done(kind === 'done', 'client.secret_rotated', client.clientId);
      }
      case 'delete client': {
        if (!client) return;
        clients = clients.filter((one) => one !== client);
        return done(await deleteClient(db, client.clientId), 'client.deleted', client.clientId);
      }
      case 'steal': {
        const token = await scene.chain();
        await refresh(scene, scene.client, token);
        const { status: answer } = await refresh(scene, scene.client, token);
        return done(answer === 400, 'grant.reuse_detected', scene.user.id);
      }
      case 'look':
        scene.clock.advanceSeconds(number * 1000);
        await Promise.all(workers.map(({ round }) => round()));
        return;
      case 'fail':
        status = 503;
        return;
      case 'mend':
        status = 200;
        return;
    }
  }

  it('are delivered exactly once for each committed decision', async () => {
    const run = fc.array(fc.tuple(fc.constantFrom(...ACTS), fc.nat(50)), { minLength: 5, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(run, async (acts) => {
        expected = [];
        const before = new Set(receiver.received.map(({ id }) => id));
        scene.clock.set(new Date(Math.max(Date.now(), scene.clock.now().getTime())));
        for (const [what, number] of acts) await act(what, number);
        status = 204;
        scene.clock.advanceSeconds(200_000);
        for (const { round } of workers) await round();
        const fresh = receiver.received.filter(({ id }) => !before.has(id));
        const received = new Map(fresh.map(({ id, text }) => [id, JSON.parse(text)]));
        const words = [...received.values()].map(
          ({ type, data }) => `${type} ${type.startsWith('client') ? data.client_id : data.sub}`,
        );
        expect(words.toSorted()).toEqual(expected.toSorted());
      }),
      { numRuns: 15 },
    );
  });
});
