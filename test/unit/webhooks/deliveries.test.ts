/** Events on their way to real endpoints: the deliveries, and their fate after a failure. */

import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cleanUpWebhooks } from '../../../src/boot/webhooks.ts';
import { askDelivery, repeatRequest, retryPolicyOf } from '../../../src/lifecycles/webhook-delivery/lifecycle.ts';
import { commandLine } from '../../../src/model/actor.ts';
import { sessions, transitions, webhookDeliveries, webhookReceivers } from '../../../src/storage/schema.ts';
import { makeUser, PASSWORD } from '../../support/actors.ts';
import { disableUser, enableUser } from '../../support/administration.ts';
import { Browser } from '../../support/browser.ts';
import { CERTIFICATE } from '../../support/certificate.ts';
import { anyDatabase } from '../../support/database.ts';
import { type Answering, lookupHere, OTHER_SECRET, openReceiver, type Receiver } from '../../support/receiver.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { unheld } from '../../support/unheld.ts';
import { signInPage } from '../../support/upstream.ts';
import { deliveryWorkerOf, type TestDeliveryWorker, webhooksFile } from '../../support/webhooks.ts';

const DAY_SECONDS = 86_400;

describe('webhooks', () => {
  let scene: Scene;
  const receivers: Receiver[] = [];
  let serial = 0;
  const open = async (...given: Parameters<typeof openReceiver>) => {
    const receiver = await openReceiver(...given);
    receivers.push(receiver);
    return receiver;
  };
  /** Each under a name of its own, so that tests share the database. */
  const named = async (
    receiver: Pick<Receiver, 'url'>,
    change: object = {},
    { rest = {}, ...options }: { rest?: object } & Parameters<typeof deliveryWorkerOf>[2] = {},
  ): Promise<TestDeliveryWorker> => {
    const name = `receiver-${++serial}`;
    const file = webhooksFile([{ name, url: receiver.url, events: ['user'], ...change }], rest);
    const worker = deliveryWorkerOf(scene, file, options);
    await worker.round();
    return { ...worker, stored: async () => (await worker.stored()).filter((one) => one.receiver === name) };
  };
  const answering =
    (status: number, headers: Record<string, string> = {}): Answering =>
    (response) =>
      void response.writeHead(status, headers).end('an unread answer');

  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  beforeEach(() => {
    // A delivery is current: the endpoint compares the timestamp with the clock of this machine.
    scene.clock.set(new Date());
  });
  afterEach(() => Promise.all(receivers.splice(0).map(({ close }) => close())));
  afterAll(() => scene.close());

  it('deliver each decision since the endpoint was named, once, and without personal data', async () => {
    const receiver = await open();
    await makeUser(scene);
    const worker = await named(receiver);
    expect(receiver.received).toEqual([]);
    const user = await makeUser(scene);
    await disableUser(scene.database.drizzle, user.username);
    await enableUser(scene.database.drizzle, user.username);
    await worker.round();
    await worker.round();
    expect(
      receiver
        .verified()
        .map(({ type, data }) => [type, data['sub']])
        .sort(),
    ).toEqual([
      ['user.created', user.id],
      ['user.disabled', user.id],
      ['user.enabled', user.id],
    ]);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(3);
    expect(receiver.received.map(({ text }) => text).join()).not.toContain(user.username);
    expect(await worker.stored()).toMatchObject(
      Array.from({ length: 3 }, () => ({ state: 'delivered', attempts: 1, lastOutcome: 'delivered' })),
    );
  });

  it('deliver the start and the end of a session, by its sid', async () => {
    const receiver = await open();
    const worker = await named(receiver, { events: ['session'] });
    const user = await makeUser(scene);
    const browser = new Browser(scene.app);
    await browser.submit(await signInPage(browser, scene.client), { username: user.username, password: PASSWORD });
    const [session] = await scene.database.drizzle.select().from(sessions).where(eq(sessions.userId, user.id));
    await browser.submit(await browser.get('/oauth/logout'), { decision: 'approve' });
    await worker.round();
    expect(session).toBeDefined();
    const received = receiver.verified().map(({ type, data }) => [type, data['sub'], data['sid']]);
    expect(received.sort()).toEqual([
      ['session.ended', user.id, session?.sid],
      ['session.started', user.id, session?.sid],
    ]);
  });

  it('match the specification, signed with both secrets during a rotation', async () => {
    const receiver = await open();
    const secrets = [OTHER_SECRET, `whsec_${Buffer.alloc(24, 5).toString('base64')}`];
    const worker = await named(receiver, {}, { secrets });
    await makeUser(scene);
    await worker.round();
    const [{ headers, text } = { headers: {}, text: '' }] = receiver.received;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^evt_[0-9a-f-]{36}$/),
      'webhook-timestamp': String(Math.floor(scene.clock.now().getTime() / 1000)),
      'webhook-signature': expect.stringMatching(/^v1,[\w+/=]{44} v1,[\w+/=]{44}$/),
    });
    for (const secret of secrets) expect(receiver.verified(secret)).toHaveLength(1);
    expect(() => receiver.verified()).toThrow('No matching signature found');
    expect(JSON.parse(text)).toEqual({
      type: 'user.created',
      timestamp: expect.stringMatching(/^[-\dT:.]+Z$/),
      data: { sub: expect.any(String), initiated_by: 'system' },
    });
    expect(worker.logs()).not.toContain('whsec_');
  });

  it('are retried after growing waits, with the same id, until the endpoint is back', async () => {
    let status = 503;
    const receiver = await open((response) => void response.writeHead(status).end());
    const worker = await named(receiver);
    await makeUser(scene);
    await worker.round();
    await worker.round();
    expect(receiver.received).toHaveLength(1);
    const [{ nextAttemptAt } = {}] = await worker.stored();
    const firstWait = (nextAttemptAt?.getTime() ?? 0) - scene.clock.now().getTime();
    scene.clock.advanceSeconds(6);
    await worker.round();
    expect(receiver.received).toHaveLength(2);
    const [second] = await worker.stored();
    expect(second).toMatchObject({ state: 'pending', attempts: 2, lastOutcome: 'failed' });
    expect((second?.nextAttemptAt?.getTime() ?? 0) - scene.clock.now().getTime()).toBeGreaterThan(2 * firstWait);
    // Two failures in a row are a restart, and no reason to wait for minutes.
    expect((second?.nextAttemptAt?.getTime() ?? 0) - scene.clock.now().getTime()).toBeLessThan(60_000);
    status = 200;
    scene.clock.advanceSeconds(400);
    await worker.round();
    expect(await worker.stored()).toMatchObject([{ state: 'delivered', attempts: 3 }]);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  });

  it('are dead-lettered after the maximum of attempts, and redelivered by an operator', async () => {
    let status = 500;
    const receiver = await open((response) => void response.writeHead(status).end());
    const worker = await named(receiver, {}, { rest: { maxAttempts: 2 } });
    await makeUser(scene);
    await worker.round();
    scene.clock.advanceSeconds(10);
    await worker.round();
    const [given] = await worker.stored();
    expect(given).toMatchObject({ state: 'abandoned', attempts: 2, abandonedReason: 'attempts_used_up' });
    scene.clock.advanceSeconds(DAY_SECONDS);
    await worker.round();
    expect(receiver.received).toHaveLength(2);
    expect(worker.logs()).toContain('an event is dead-lettered');
    status = 204;
    const ports = { deliveries: worker.store.deliveries, sleep: async () => {} };
    await askDelivery(ports, given?.id ?? '', repeatRequest(retryPolicyOf(webhooksFile([])), commandLine));
    await worker.round();
    expect(await worker.stored()).toMatchObject([{ state: 'delivered', attempts: 1, abandonedReason: null }]);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    const lines = await scene.database.drizzle.select().from(transitions);
    expect(
      lines.filter(({ machine, event }) => machine === 'webhookDelivery' && event === 'repeatRequested'),
    ).toMatchObject([{ fromState: 'abandoned', toState: 'pending', actor: 'command_line' }]);
  });

  it('are dead-lettered when the event is too old for another attempt', async () => {
    const receiver = await open(answering(500));
    const worker = await named(receiver, {}, { rest: { giveUpAfterSeconds: 60 } });
    await makeUser(scene);
    await worker.round();
    scene.clock.advanceSeconds(10);
    await worker.round();
    scene.clock.advanceSeconds(25);
    await worker.round();
    expect(await worker.stored()).toMatchObject([{ state: 'abandoned', abandonedReason: 'too_old', attempts: 3 }]);
  });

  it('are not sent again to an endpoint that is gone (410)', async () => {
    const receiver = await open(answering(410));
    const worker = await named(receiver);
    await makeUser(scene);
    await worker.round();
    scene.clock.advanceSeconds(DAY_SECONDS);
    await worker.round();
    expect(receiver.received).toHaveLength(1);
    expect(await worker.stored()).toMatchObject([{ state: 'abandoned', abandonedReason: 'receiver_gone' }]);
  });

  it('follow no redirect', async () => {
    const elsewhere = await open();
    const receiver = await open(answering(307, { location: elsewhere.url }));
    const worker = await named(receiver);
    await makeUser(scene);
    await worker.round();
    expect(elsewhere.received).toEqual([]);
    expect(await worker.stored()).toMatchObject([{ state: 'pending', lastOutcome: 'redirected' }]);
  });

  it.each([
    [204, 'delivered'],
    [299, 'delivered'],
    [400, 'refused'],
    [404, 'refused'],
    [429, 'refused'],
    [500, 'failed'],
  ] as const)('an answer with %d is %s, and only 2xx is success', async (status, outcome) => {
    const receiver = await open(answering(status));
    const worker = await named(receiver);
    await makeUser(scene);
    await worker.round();
    expect(await worker.stored()).toMatchObject([
      { state: outcome === 'delivered' ? 'delivered' : 'pending', lastOutcome: outcome },
    ]);
  });

  it('wait for no answer past the deadline, and read no long answer to its end', async () => {
    const silent = await open(() => {});
    const endless = await open((response) => {
      response.writeHead(200);
      const more = () => void (response.destroyed || response.write(Buffer.alloc(65_536), more));
      more();
    });
    const [first, second] = [
      await named(silent, {}, { rest: { timeoutSeconds: 1 } }),
      await named(endless, {}, { rest: { timeoutSeconds: 60 } }),
    ];
    await makeUser(scene);
    await Promise.all([first.round(), second.round()]);
    expect(await first.stored()).toMatchObject([{ state: 'pending', lastOutcome: 'timed_out' }]);
    expect(await second.stored()).toMatchObject([{ state: 'delivered' }]);
  });

  it('reach one endpoint while another is away', async () => {
    const away = await open();
    await away.close();
    const receiver = await open();
    const names = [`receiver-${++serial}`, `receiver-${++serial}`] as const;
    const file = webhooksFile([
      { name: names[0], url: away.url, events: ['user'] },
      { name: names[1], url: receiver.url, events: ['user'] },
    ]);
    const worker = deliveryWorkerOf(scene, file);
    await worker.round();
    await makeUser(scene);
    await worker.round();
    const stored = (await worker.stored()).filter(({ receiver: name }) => (names as readonly string[]).includes(name));
    expect(new Map(stored.map((one) => [one.receiver, one.lastOutcome]))).toEqual(
      new Map([
        [names[0], 'unreachable'],
        [names[1], 'delivered'],
      ]),
    );
    // The same event has the same id everywhere.
    expect(new Set(stored.map(({ eventId }) => eventId)).size).toBe(1);
  });

  /** As a writer with rights on the database could make it: an instant that is no Date, long due. */
  const defective = (name: string, count: number) =>
    scene.database.drizzle.execute(sql`insert into ${webhookDeliveries}
      (id, receiver, event_id, event_type, data, occurred_at, state, attempts, next_attempt_at, gives_up_at, created_at)
      select gen_random_uuid(), ${name}, gen_random_uuid(), 'user.created', '{"sub": "a-made-up-sub"}', now(), 'pending', 0,
        '-infinity', 'infinity', now() from generate_series(1, ${count}::int)`);
  const removed = (name: string) =>
    unheld(scene.database.drizzle, (db) => db.delete(webhookDeliveries).where(eq(webhookDeliveries.receiver, name)));

  it('reach their endpoint past unreadable rows, however many, and log this once', async () => {
    const receiver = await open();
    const worker = await named(receiver);
    const name = `receiver-${serial}`;
    await defective(name, 20);
    const user = await makeUser(scene);
    await worker.round();
    await worker.round();
    expect(receiver.verified()).toMatchObject([{ type: 'user.created', data: { sub: user.id } }]);
    const warnings = worker
      .logs()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(warnings).toMatchObject([
      { level: 40, receiver: name, deliveryId: expect.any(String), msg: 'a delivery is skipped' },
    ]);
    expect(worker.logs()).not.toContain('a-made-up-sub');
    await removed(name);
  });

  it('reach their endpoint past a ledger entry with an instant that no decision has', async () => {
    const receiver = await open();
    const worker = await named(receiver);
    for (const at of ['infinity', '12026-01-01'])
      await scene.database.drizzle.execute(sql`insert into ${transitions} (shard_key, at, machine, event, from_state, to_state)
        values (gen_random_uuid(), ${at}::timestamptz, 'user', 'disableRequested', 'enabled', 'disabled')`);
    const user = await makeUser(scene);
    await worker.round();
    expect(receiver.verified()).toMatchObject([{ type: 'user.created', data: { sub: user.id } }]);
  });

  it('go over TLS to a host with a matching certificate, and to no other', async () => {
    const receiver = await open(undefined, { tls: true });
    const trusting = await named(receiver, {}, { lookup: lookupHere, ca: CERTIFICATE });
    const doubting = await named(receiver, {}, { lookup: lookupHere });
    const other = { url: receiver.url.replace('logos.test', 'other.test') };
    const misled = await named(other, {}, { lookup: lookupHere, ca: CERTIFICATE });
    await makeUser(scene);
    for (const { round } of [trusting, doubting, misled]) await round();
    expect(receiver.verified()).toHaveLength(1);
    expect(await trusting.stored()).toMatchObject([{ state: 'delivered' }]);
    for (const { stored } of [doubting, misled])
      expect(await stored()).toMatchObject([{ state: 'pending', lastOutcome: 'certificate_not_trusted' }]);
  });

  it('connect to no private address unless that is allowed, whatever the name resolves to at the connection', async () => {
    const receiver = await open(undefined, { tls: true });
    const atAddress = { url: receiver.url.replace('logos.test', '127.0.0.1') };
    const workers = [
      await named(atAddress, { allowPrivateNetwork: false }, { ca: CERTIFICATE }),
      // The real lookup: localhost is this machine.
      await named(
        { url: receiver.url.replace('logos.test', 'localhost') },
        { allowPrivateNetwork: false },
        { ca: CERTIFICATE },
      ),
    ];
    await makeUser(scene);
    for (const { round } of workers) await round();
    expect(receiver.received).toEqual([]);
    for (const { stored } of workers)
      expect(await stored()).toMatchObject([{ state: 'pending', lastOutcome: 'address_not_public' }]);
  });

  it('wait while the secret cannot be read', async () => {
    const receiver = await open();
    const name = `receiver-${++serial}`;
    const file = webhooksFile([{ name, url: receiver.url, events: ['user'] }]);
    const without = deliveryWorkerOf(scene, file, { secrets: null });
    await without.round();
    await makeUser(scene);
    await without.round();
    expect(receiver.received).toEqual([]);
    await deliveryWorkerOf(scene, file).round();
    expect(receiver.verified()).toHaveLength(1);
  });

  it('are dead-lettered for an endpoint that is no longer configured, and cleaned up with age', async () => {
    const receiver = await open(answering(500));
    const worker = await named(receiver);
    await makeUser(scene);
    await worker.round();
    const cleanUp = () =>
      cleanUpWebhooks(scene.database.drizzle, scene.clock, {
        webhooks: webhooksFile([], { keptSeconds: DAY_SECONDS }),
      });
    await cleanUp();
    // Another node may not have reloaded yet.
    expect(await worker.stored()).toMatchObject([{ state: 'pending' }]);
    scene.clock.advanceSeconds(3601);
    await cleanUp();
    expect(await worker.stored()).toMatchObject([{ state: 'abandoned', abandonedReason: 'receiver_removed' }]);
    scene.clock.advanceSeconds(DAY_SECONDS + 1);
    await cleanUp();
    expect(await worker.stored()).toEqual([]);
    expect(await scene.database.drizzle.select().from(webhookReceivers)).toEqual([]);
  });

  it('are cleaned up with age, beside rows that cannot be read', async () => {
    const receiver = await open();
    const worker = await named(receiver);
    await makeUser(scene);
    await worker.round();
    await defective('made-up', 1);
    scene.clock.advanceSeconds(DAY_SECONDS + 1);
    const file = { webhooks: webhooksFile([], { keptSeconds: DAY_SECONDS }) };
    await expect(cleanUpWebhooks(scene.database.drizzle, scene.clock, file)).rejects.toThrow();
    expect(await worker.stored()).toEqual([]);
    await removed('made-up');
  });
});
