/** The receiver of the guide accepts each event of the server once, and rejects everything else. */
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Event, isAuthentic, webhookReceiver } from '../../docs/examples/webhook-receiver.ts';
import { headersOf } from '../../src/webhooks/attempt.ts';
import { makeUser } from '../support/actors.ts';
import { anyDatabase } from '../support/database.ts';
import { OTHER_SECRET, WEBHOOK_SECRET } from '../support/receiver.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { deliveryWorkerOf, webhooksFile } from '../support/webhooks.ts';

const TEXT = '{"type":"user.created"}';
const AT = new Date(1_900_000_000_000);
const signed = (secrets: readonly string[]) =>
  headersOf({ id: 'evt_1', body: { contentType: 'application/json', text: TEXT }, secrets, at: AT });

describe('the receiver of the guide', () => {
  let scene: Scene;
  const taken: [string, Event][] = [];
  const fails: string[] = [];
  const server = webhookReceiver(WEBHOOK_SECRET, async (event, id) => {
    if (fails.pop()) throw new Error('the first attempt fails');
    taken.push([id, event]);
  });
  let url = '';
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
    scene.clock.set(new Date());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await scene.close();
  });

  it('accepts an event once, also when its first attempt failed', async () => {
    const worker = deliveryWorkerOf(scene, webhooksFile([{ url, events: ['user'] }]));
    await worker.round();
    fails.push('once');
    const user = await makeUser(scene);
    await worker.round();
    expect(taken).toEqual([]);
    scene.clock.advanceSeconds(10);
    await worker.round();
    expect(taken).toMatchObject([[expect.stringMatching(/^evt_/), { type: 'user.created', data: { sub: user.id } }]]);
  });

  it('rejects another signer, a changed event, and an old timestamp', async () => {
    const now = AT.getTime();
    expect(isAuthentic(signed([WEBHOOK_SECRET]), TEXT, WEBHOOK_SECRET, now)).toBe(true);
    expect(isAuthentic(signed([OTHER_SECRET, WEBHOOK_SECRET]), TEXT, WEBHOOK_SECRET, now)).toBe(true);
    expect(isAuthentic(signed([OTHER_SECRET]), TEXT, WEBHOOK_SECRET, now)).toBe(false);
    expect(isAuthentic(signed([WEBHOOK_SECRET]), `${TEXT} `, WEBHOOK_SECRET, now)).toBe(false);
    expect(isAuthentic({ ...signed([WEBHOOK_SECRET]), 'webhook-id': 'evt_2' }, TEXT, WEBHOOK_SECRET, now)).toBe(false);
    for (const late of [-301_000, 301_000])
      expect(isAuthentic(signed([WEBHOOK_SECRET]), TEXT, WEBHOOK_SECRET, now + late)).toBe(false);
    expect(isAuthentic({}, TEXT, WEBHOOK_SECRET, now)).toBe(false);
    expect((await fetch(url, { method: 'POST', body: TEXT, headers: signed([WEBHOOK_SECRET]) })).status).toBe(401);
  });
});
