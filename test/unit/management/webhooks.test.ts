/** Receivers and deliveries at the management API. */
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transitions, webhookDeliveries } from '../../../src/storage/schema.ts';
import { makeUser } from '../../support/actors.ts';
import { anyDatabase } from '../../support/database.ts';
import { API, type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { unheld } from '../../support/unheld.ts';
import { deliveryWorkerOf, type TestDeliveryWorker, webhooksFile } from '../../support/webhooks.ts';

describe('webhooks at the management API', () => {
  let scene: Scene;
  let receiver: Receiver;
  let worker: TestDeliveryWorker;
  let call: Caller;
  let status = 204;
  beforeAll(async () => {
    receiver = await openReceiver((response) => void response.writeHead(status).end());
    const file = webhooksFile(
      [
        { name: 'crm', url: `${receiver.url}?token=hidden`, events: ['user'] },
        {
          name: 'siem',
          url: 'https://siem.example.com/',
          format: 'set',
          events: ['session'],
          allowPrivateNetwork: false,
        },
      ],
      { maxAttempts: 1 },
    );
    scene = await openScene(anyDatabase, { configuration: { ...withBot(), webhooks: file } });
    await makeBot(scene);
    call = callerWith(scene, () => tokenOf(scene, ['webhooks:read', 'webhooks:send']));
    worker = deliveryWorkerOf(scene, () =>
      webhooksFile([{ name: 'crm', url: receiver.url, events: ['user'] }], { maxAttempts: 1 }),
    );
    await worker.round();
  });
  beforeEach(() => scene.clock.set(new Date()));
  afterAll(async () => {
    await receiver.close();
    await scene.close();
  });

  const listed = async (query = '') => (await call('GET', `/webhook-deliveries${query}`)).json().items;

  it('lists the endpoints, with the pending deliveries of each and without a secret', async () => {
    const answer = await call('GET', '/webhook-receivers');
    expect(answer.json().items).toMatchObject([
      { name: 'crm', url: receiver.url, format: 'standard', events: ['user'], pending: 0, oldest_pending_at: null },
      { name: 'siem', url: 'https://siem.example.com/', format: 'set', events: ['session'], pending: 0 },
    ]);
    expect(answer.body).not.toMatch(/secret|hidden/i);
    expect((await call('GET', '/webhook-receivers/unknown')).statusCode).toBe(404);
  });

  it('sends a test event, and shows its delivery', async () => {
    const answer = await call('POST', '/webhook-receivers/crm/tests');
    expect(answer.statusCode).toBe(201);
    const { delivery_id: id, event_id: eventId } = answer.json();
    expect(answer.headers.location).toBe(`${API}/webhook-deliveries/${id}`);
    expect(answer.json()).toMatchObject({ receiver: 'crm', event_type: 'webhook.test', state: 'pending', attempts: 0 });
    expect((await call('GET', '/webhook-receivers/crm')).json()).toMatchObject({ pending: 1 });
    await worker.round();
    expect((await call('GET', `/webhook-deliveries/${id}`)).json()).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(receiver.received.at(-1)?.id).toBe(eventId);
    expect((await call('POST', '/webhook-receivers/unknown/tests')).statusCode).toBe(404);
  });

  it('lists deliveries by endpoint and state in pages, and redelivers a dead-lettered one', async () => {
    status = 500;
    const users = [await makeUser(scene), await makeUser(scene)];
    await worker.round();
    const given = await listed('?receiver=crm&state=abandoned');
    expect(given).toMatchObject([
      { event_type: 'user.created', reason: 'attempts_used_up', last_outcome: 'failed', next_attempt_at: null },
      { event_type: 'user.created', reason: 'attempts_used_up', last_outcome: 'failed', next_attempt_at: null },
    ]);
    expect(given.map(({ data }: { data: { sub: string } }) => data.sub).toSorted()).toEqual(
      users.map(({ id }) => id).toSorted(),
    );
    expect(await listed('?receiver=siem')).toEqual([]);
    const first = (await call('GET', '/webhook-deliveries?limit=1')).json();
    const next = (await call('GET', first._links.next.href.slice('https://as.test'.length))).json();
    expect(next.items[0].delivery_id).not.toBe(first.items[0].delivery_id);
    const [{ delivery_id: id }] = given;
    const before = receiver.received.length;
    const repeated = await call('POST', `/webhook-deliveries/${id}/repetitions`);
    expect([repeated.statusCode, repeated.json()]).toMatchObject([
      201,
      { state: 'pending', attempts: 0, reason: null },
    ]);
    status = 204;
    await worker.round();
    expect((await call('GET', `/webhook-deliveries/${id}`)).json()).toMatchObject({ state: 'delivered' });
    expect(receiver.received.length).toBe(before + 1);
  });

  it('redelivers once for a repeated request with the same Idempotency-Key', async () => {
    const [{ delivery_id: id }] = await listed('?state=delivered');
    const before = receiver.received.length;
    const headers = { 'idempotency-key': '"again"' };
    expect((await call('POST', `/webhook-deliveries/${id}/repetitions`, { headers })).statusCode).toBe(201);
    await worker.round();
    expect((await call('POST', `/webhook-deliveries/${id}/repetitions`, { headers })).statusCode).toBe(201);
    await worker.round();
    expect(receiver.received.length).toBe(before + 1);
    const tests = [0, 1].map(() =>
      call('POST', '/webhook-receivers/crm/tests', { headers: { 'idempotency-key': '"test"' } }),
    );
    const [one, other] = await Promise.all(tests);
    expect(one?.json().delivery_id).toBe(other?.json().delivery_id);
  });

  it('shows each attempt with the status of the answer and its time, the newest first', async () => {
    status = 418;
    const { delivery_id: id } = (await call('POST', '/webhook-receivers/crm/tests')).json();
    await worker.round();
    scene.clock.advanceSeconds(60);
    status = 204;
    await call('POST', `/webhook-deliveries/${id}/repetitions`);
    await worker.round();
    const { items } = (await call('GET', `/webhook-deliveries/${id}/attempts`)).json();
    expect(items).toEqual([
      { at: expect.any(String), outcome: 'delivered', status: 204, milliseconds: expect.any(Number) },
      { at: expect.any(String), outcome: 'refused', status: 418, milliseconds: expect.any(Number) },
    ]);
    expect(items[0].at > items[1].at).toBe(true);
    expect((await call('GET', '/webhook-deliveries/00000000-0000-4000-8000-000000000000/attempts')).statusCode).toBe(
      404,
    );
    await worker.store.removeOldAttempts(3600);
    expect((await call('GET', `/webhook-deliveries/${id}/attempts`)).json().items).toHaveLength(2);
    scene.clock.advanceSeconds(3601);
    await worker.store.removeOldAttempts(3600);
    expect((await call('GET', `/webhook-deliveries/${id}/attempts`)).json().items).toEqual([]);
  });

  it('sends a switched-off endpoint tests alone, until it is switched on again, and the ledger says who did both', async () => {
    const off = () => call('PUT', '/webhook-receivers/crm/pause');
    expect([(await off()).json(), (await off()).statusCode]).toMatchObject([{ paused_at: expect.any(String) }, 200]);
    const before = receiver.received.length;
    await makeUser(scene);
    await worker.round();
    expect(receiver.received.length).toBe(before);
    expect((await call('GET', '/webhook-receivers/crm')).json()).toMatchObject({ pending: 1 });
    await call('POST', '/webhook-receivers/crm/tests');
    await worker.round();
    expect(receiver.received.slice(before).map(({ text }) => JSON.parse(text).type)).toEqual(['webhook.test']);
    // The endpoint's row is written at each poll of a node, and stays switched off.
    await worker.store.keep(['crm']);
    expect((await call('GET', '/webhook-receivers/crm')).json().paused_at).not.toBeNull();

    expect((await call('DELETE', '/webhook-receivers/crm/pause')).statusCode).toBe(204);
    expect((await call('DELETE', '/webhook-receivers/crm/pause')).statusCode).toBe(204);
    await worker.round();
    expect(receiver.received.slice(before).map(({ text }) => JSON.parse(text).type)).toEqual([
      'webhook.test',
      'user.created',
    ]);
    expect((await call('GET', '/webhook-receivers/crm')).json()).toMatchObject({ pending: 0, paused_at: null });
    const lines = await scene.database.drizzle.select().from(transitions);
    const actor = expect.stringMatching(/^client /);
    // One entry for each change, however often it was asked.
    expect(lines.filter(({ machine }) => machine === 'webhookReceiver')).toMatchObject([
      { event: 'pauseRequested', fromState: 'sending', toState: 'paused', fields: ['receivers.crm'], actor },
      { event: 'resumeRequested', fromState: 'paused', toState: 'sending', fields: ['receivers.crm'], actor },
    ]);
    expect((await call('PUT', '/webhook-receivers/unknown/pause')).statusCode).toBe(404);
    expect((await call('DELETE', '/webhook-receivers/unknown/pause')).statusCode).toBe(404);
  });

  it('redelivers all dead-lettered events of an endpoint, as many as asked for, and no tests', async () => {
    const redeliver = async (body: object = {}, key?: string) =>
      (
        await call('POST', '/webhook-receivers/crm/redeliveries', {
          body,
          ...(key && { headers: { 'idempotency-key': key } }),
        })
      ).json();
    await redeliver();
    await worker.round();
    status = 500;
    for (let made = 0; made < 3; made += 1) await makeUser(scene);
    await call('POST', '/webhook-receivers/crm/tests');
    await worker.round();
    status = 204;
    expect((await call('GET', '/webhook-receivers/crm')).json()).toMatchObject({ abandoned: 3 });
    const before = receiver.received.length;
    expect(await redeliver({ limit: 2 }, '"two"')).toMatchObject({ redelivered: 2, left: 1 });
    expect(await redeliver({ limit: 2 }, '"two"')).toMatchObject({ redelivered: 0, left: 1 });
    await worker.round();
    expect(receiver.received.length).toBe(before + 2);
    expect(await redeliver()).toMatchObject({ redelivered: 1, left: 0 });
    await worker.round();
    expect(receiver.received.slice(before).every(({ text }) => JSON.parse(text).type === 'user.created')).toBe(true);
    expect((await call('POST', '/webhook-receivers/unknown/redeliveries')).statusCode).toBe(404);
    expect((await call('POST', '/webhook-receivers/crm/redeliveries', { body: { limit: 501 } })).statusCode).toBe(422);
  });

  it('lists the valid rows beside one of another writer, with instants that no document can have', async () => {
    const [all, crm] = [await listed(), (await call('GET', '/webhook-receivers/crm')).json()];
    const made = '0bad0bad-0000-4000-8000-000000000000';
    for (const [column, at] of [
      ['next_attempt_at', '-infinity'],
      ['created_at', 'infinity'],
      ['gives_up_at', '294000-01-01'],
    ] as const) {
      await scene.database.drizzle.execute(sql`insert into ${webhookDeliveries}
        (id, receiver, event_id, event_type, data, occurred_at, state, attempts, next_attempt_at, gives_up_at, created_at)
        select ${made}::uuid, 'crm', ${made}::uuid, 'user.created', '{}', now(), 'pending', 0,
          ${column === 'next_attempt_at' ? at : '2030-01-01'}::timestamptz,
          ${column === 'gives_up_at' ? at : '2030-01-01'}::timestamptz,
          ${column === 'created_at' ? at : '2030-01-01'}::timestamptz`);
      expect(await listed(), column).toEqual(all);
      expect((await call('GET', '/webhook-receivers/crm')).json(), column).toEqual(crm);
      expect((await call('GET', `/webhook-deliveries/${made}`)).statusCode, column).toBe(404);
      await unheld(scene.database.drizzle, (db) => db.delete(webhookDeliveries).where(eq(webhookDeliveries.id, made)));
    }
  });

  it('requires a scope to show and to send', async () => {
    const with_ = (scope: string[]) => callerWith(scene, () => tokenOf(scene, scope));
    const [{ delivery_id: id }] = await listed();
    const reader = with_(['webhooks:read']);
    expect((await reader('GET', '/webhook-deliveries')).statusCode).toBe(200);
    expect((await reader('POST', `/webhook-deliveries/${id}/repetitions`)).statusCode).toBe(403);
    expect((await reader('POST', '/webhook-receivers/crm/tests')).statusCode).toBe(403);
    expect((await with_(['users:read'])('GET', '/webhook-deliveries')).statusCode).toBe(403);
  });
});
