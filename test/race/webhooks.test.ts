/** Several nodes bring the same events, and nodes die: every event arrives, with its id, and by one node at a time. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { rootKeys } from '../../src/crypto/root-secret.ts';
import { transitions, webhookDeliveries, webhookReceivers } from '../../src/storage/schema.ts';
import { makeUser } from '../support/actors.ts';
import { testClock } from '../support/clock.ts';
import { freePort } from '../support/listening.ts';
import { openNodes } from '../support/nodes.ts';
import { type Answering, openReceiver, type Receiver, WEBHOOK_SECRET } from '../support/receiver.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { until } from '../support/until.ts';
import { deliveryWorkerOf, webhooksFile } from '../support/webhooks.ts';
import { startServer } from './server-process.ts';

const SECRET = 'a-root-secret-for-the-server-that-is-killed';

describe('two nodes', () => {
  let closes: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0).toReversed()) await close();
    closes = [];
  });

  it('deliver each event once, though both look for it at the same moment', async () => {
    const [{ nodes, close, clock }, receiver] = [await openNodes(), await openReceiver()];
    closes = [close, receiver.close];
    clock.set(new Date());
    const file = webhooksFile([{ url: receiver.url, events: ['user'] }]);
    const workers = nodes.map((node) => deliveryWorkerOf(node, file));
    for (const { round } of workers) await round();
    for (let n = 0; n < 40; n++) {
      await makeUser(nodes[n % 2] ?? nodes[0]);
      if (n % 5 === 4) await Promise.all(workers.map(({ round }) => round()));
    }
    await Promise.all(workers.map(({ round }) => round()));
    expect(receiver.received).toHaveLength(40);
    expect(new Set(receiver.verified().map(({ data }) => data['sub'])).size).toBe(40);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(40);
    const stored = await workers[0]?.stored();
    expect(stored?.every(({ state, attempts }) => state === 'delivered' && attempts === 1)).toBe(true);
  });

  it('deliver the event of a transaction that stays open while later ones commit and are delivered', async () => {
    const [{ nodes, close, clock }, receiver] = [await openNodes(), await openReceiver()];
    closes = [close, receiver.close];
    clock.set(new Date());
    const file = webhooksFile([{ url: receiver.url, events: ['user'] }]);
    const workers = nodes.map((node) => deliveryWorkerOf(node, file));
    const bothLook = async () => {
      for (const { round } of workers) await round();
    };
    await bothLook();
    const disabled = await makeUser(nodes[0]);
    await bothLook();
    const [commit, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = nodes[0].database.drizzle.transaction(async (transaction) => {
      await transaction.execute(sql`insert into transitions (shard_key, at, machine, event, from_state, to_state, user_id)
        values (gen_random_uuid(), now(), 'user', 'disableRequested', 'enabled', 'disabled', ${disabled.id})`);
      written.resolve();
      await commit.promise;
    });
    await written.promise;
    const quick: string[] = [];
    for (let n = 0; n < 6; n++) quick.push((await makeUser(nodes[n % 2] ?? nodes[0])).id);
    for (const { oneRound } of workers) await oneRound();
    const subs = () => receiver.verified().map(({ type, data }) => [type, data['sub']]);
    const meanwhile = subs();
    commit.resolve();
    await late;
    // An event that committed behind an open transaction waits for it: it could not be read again in this order. A cluster has orders.
    const lines = await nodes[0].database.drizzle.select().from(transitions).where(eq(transitions.machine, 'user'));
    const order = lines.find(({ event }) => event === 'disableRequested')?.recordedOn;
    const waited = quick.filter((id) => lines.find(({ userId }) => userId === id)?.recordedOn === order);
    const unheld = [disabled.id, ...quick.filter((id) => !waited.includes(id))];
    expect(meanwhile.toSorted()).toEqual(unheld.map((id) => ['user.created', id]).toSorted());
    await bothLook();
    expect(subs().toSorted()).toEqual(
      [
        ['user.created', disabled.id],
        ['user.disabled', disabled.id],
        ...quick.map((id) => ['user.created', id]),
      ].toSorted(),
    );
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2 + quick.length);
  });

  it('leave a delivery that the other node has claimed, until its claim expires', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const waits: Answering = (response) => void held.then(() => response.writeHead(204).end());
    const [{ nodes, close, clock }, receiver] = [await openNodes(), await openReceiver(waits)];
    closes = [close, receiver.close];
    clock.set(new Date());
    const file = webhooksFile([{ url: receiver.url, events: ['user'] }], { timeoutSeconds: 60 });
    const [first, second] = [deliveryWorkerOf(nodes[0], file), deliveryWorkerOf(nodes[1], file)];
    await first.round();
    await makeUser(nodes[0]);
    const attempting = first.round();
    await until(() => receiver.received.length === 1);
    await second.round();
    expect(receiver.received).toHaveLength(1);
    // As if the first had died: its claim is 60 seconds for the attempt, and 30 to record the result.
    clock.advanceSeconds(91);
    const again = second.round();
    await until(() => receiver.received.length === 2);
    release();
    await Promise.all([attempting, again]);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    expect(await first.stored()).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  });
});

describe('a running server', () => {
  it('delivers events to an endpoint that webhooks.yaml names since the start, with its secret in a file', async () => {
    const config = mkdtempSync(join(tmpdir(), 'statehouse-webhooks-'));
    const scene = await openScene('postgres', {
      keys: rootKeys([SECRET]),
      clock: { ...testClock(), fixedNow: () => null },
    });
    const receiver = await openReceiver();
    const closes: (() => unknown)[] = [() => rmSync(config, { recursive: true }), scene.close, receiver.close];
    try {
      cpSync(new URL('../../policies', import.meta.url).pathname, config, { recursive: true });
      const env = { DATABASE_URL: scene.url ?? '', STATEHOUSE_SECRET: SECRET, STATEHOUSE_CONFIG: config };
      const server = await startServer({ port: await freePort(), cwd: tmpdir(), env });
      closes.push(server.kill);
      const secretFile = join(config, 'crm-secret');
      writeFileSync(secretFile, WEBHOOK_SECRET);
      writeFileSync(
        join(config, 'webhooks.yaml'),
        `receivers:\n  - name: crm\n    url: ${receiver.url}\n    events: [user]\n    secretFile: ${secretFile}\n    allowPrivateNetwork: true\n`,
      );
      await until(async () => (await scene.database.drizzle.select().from(webhookReceivers)).length === 1);
      const { id } = await makeUser(scene);
      await until(() => receiver.received.length === 1);
      expect(receiver.verified().map(({ data }) => data['sub'])).toEqual([id]);
    } finally {
      for (const close of closes.toReversed()) await close();
    }
  });
});

describe('a killed server', () => {
  const config = mkdtempSync(join(tmpdir(), 'statehouse-webhooks-'));
  let scene: Scene;
  let receiver: Receiver;
  let closes: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0).toReversed()) await close();
    rmSync(config, { recursive: true, force: true });
  });

  it('loses no event: neither those decided while it was away, nor those in flight', async () => {
    let isHeld = true;
    const waits: Answering = (response) => void (isHeld || response.writeHead(204).end());
    scene = await openScene('postgres', { keys: rootKeys([SECRET]), clock: { ...testClock(), fixedNow: () => null } });
    receiver = await openReceiver(waits);
    closes = [scene.close, receiver.close];
    const { drizzle } = scene.database;
    cpSync(new URL('../../policies', import.meta.url).pathname, config, { recursive: true });
    writeFileSync(
      join(config, 'webhooks.yaml'),
      `receivers:\n  - name: crm\n    url: ${receiver.url}\n    events: [user]\n    secretEnvironment: CRM_SECRET\n    allowPrivateNetwork: true\n`,
    );
    const env = {
      DATABASE_URL: scene.url ?? '',
      STATEHOUSE_SECRET: SECRET,
      STATEHOUSE_CONFIG: config,
      CRM_SECRET: WEBHOOK_SECRET,
    };
    const start = async () => {
      const server = await startServer({ port: await freePort(), cwd: tmpdir(), env });
      closes.push(server.kill);
      return server;
    };
    const first = await start();
    await until(async () => (await drizzle.select().from(webhookReceivers)).length === 1);
    const during = await makeUser(scene);
    await until(() => receiver.received.length === 1);
    await first.kill();
    const away = await makeUser(scene);
    expect(await drizzle.select().from(webhookDeliveries)).toMatchObject([{ state: 'pending', attempts: 1 }]);
    isHeld = false;
    // The claim of the dead would run out by itself.
    await drizzle.update(webhookDeliveries).set({ nextAttemptAt: sql`date_trunc('milliseconds', now())` });
    await start();
    const delivered = async () =>
      (await drizzle.select().from(webhookDeliveries)).filter(({ state }) => state === 'delivered');
    await until(async () => (await delivered()).length === 2);
    expect(receiver.verified().map(({ data }) => data['sub'])).toEqual(
      expect.arrayContaining([during.id, during.id, away.id]),
    );
    const ids = receiver.received.filter(({ text }) => text.includes(during.id)).map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });
});
