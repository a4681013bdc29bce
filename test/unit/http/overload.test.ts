/** The answers of an overloaded node (policies/limits-schema.ts). */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Limits, SHIPPED_LIMITS } from '../../../policies/limits-schema.ts';
import { makeClient, token } from '../../support/actors.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { until } from '../../support/until.ts';

describe('an overloaded node', () => {
  let scene: Scene;
  let limits: Limits = SHIPPED_LIMITS;
  /** While it is set, requests wait for the database. */
  let held: Promise<void> | null = null;
  let waiting = 0;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, {
      reloaded: () => ({ limits }),
      change: (deps) => ({
        ...deps,
        store: {
          ...deps.store,
          loadClient: async (clientId) => {
            if (held) waiting += 1;
            await held;
            return deps.store.loadClient(clientId);
          },
        },
      }),
    });
  });
  afterAll(() => scene.close());

  const ask = (client = scene.client) => token(scene, client, { grant_type: 'client_credentials' });
  const ready = async () => (await scene.app.inject('/health/ready')).json();

  it('rejects requests beyond its limit immediately, answers the running ones, and accepts more afterwards', async () => {
    limits = { ...SHIPPED_LIMITS, requestsInProgress: 3 };
    expect(await ready()).toEqual({ status: 'ready', database: 'available' });
    let letGo = () => {};
    held = new Promise((resolve) => {
      letGo = resolve;
    });
    const began = [ask(), ask(), ask()];
    await until(() => waiting === 3);
    const json = await scene.app.inject({
      method: 'POST',
      url: '/oauth/token',
      payload: 'grant_type=x',
      headers: FORM,
    });
    expect(json.statusCode).toBe(503);
    expect(json.headers['retry-after']).toBe('1');
    expect(json.headers['cache-control']).toBe('no-store');
    expect(json.json().error).toBe('temporarily_unavailable');
    const page = await scene.app.inject({ url: '/account', headers: { accept: 'text/html', 'accept-language': 'de' } });
    expect(page.statusCode).toBe(503);
    expect(page.body).toContain('Zurzeit überlastet');
    expect((await scene.app.inject('/health/live')).statusCode).toBe(200);
    expect(await ready()).toEqual({ status: 'overloaded', database: 'available' });
    letGo();
    held = null;
    expect((await Promise.all(began)).map(({ status }) => status)).toEqual([200, 200, 200]);
    for (let request = 0; request < 10; request++) expect((await ask()).status).toBe(200);
    limits = SHIPPED_LIMITS;
  });

  it('counts pages of another app, and releases them', async () => {
    limits = { ...SHIPPED_LIMITS, requestsInProgress: 10 };
    for (let request = 0; request < 15; request++) {
      expect((await scene.app.inject('/account')).statusCode).not.toBe(503);
    }
    limits = SHIPPED_LIMITS;
  });

  it('releases requests of clients that went away, before and after their bodies', async () => {
    limits = { ...SHIPPED_LIMITS, requestsInProgress: 10 };
    const address = new URL(await scene.app.listen({ host: '127.0.0.1', port: 0 }));
    const head = 'POST /oauth/token HTTP/1.1\r\nhost: as.test\r\ncontent-type: application/x-www-form-urlencoded\r\n';
    for (let round = 0; round < 4; round++) {
      for (const rest of ['content-length: 40\r\n\r\ngrant', 'content-length: 5\r\n\r\ngrant']) {
        const sockets = await Promise.all(
          Array.from({ length: 5 }, async () => {
            const socket = connect(Number(address.port), address.hostname);
            await once(socket, 'connect');
            socket.write(`${head}${rest}`);
            return socket;
          }),
        );
        for (const socket of sockets) socket.destroy();
      }
    }
    // Their rest ends as soon as the server has seen that they are gone.
    let answered = 0;
    while (answered !== 401) answered = (await ask({ ...scene.other, secret: 'wrong' as never })).status;
    await Promise.all(Array.from({ length: 9 }, () => ask())).then((answers) =>
      expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(200)),
    );
    limits = SHIPPED_LIMITS;
  });

  it('answers 429 to a client that requests more tokens than it may, and still serves others', async () => {
    const busy = await makeClient(scene);
    limits = { ...SHIPPED_LIMITS, tokenRequestsPerSecondByClient: 1 };
    const answers = [];
    for (let request = 0; request < 12; request++) answers.push((await ask(busy)).status);
    expect(answers.filter((status) => status === 429)).toHaveLength(2);
    const refused = await ask(busy);
    expect(refused.json.error).toBe('temporarily_unavailable');
    expect((await ask(scene.other)).status).toBe(200);
    // No other client uses it up: a wrong secret is rejected before it counts.
    expect((await ask({ ...scene.other, secret: 'wrong' as never })).status).toBe(401);
    limits = SHIPPED_LIMITS;
    expect((await ask(busy)).status).toBe(200);
  });

  it('answers 429 to an address that sends more than it may, before any load', async () => {
    limits = { ...SHIPPED_LIMITS, tokenRequestsPerSecondByAddress: 1 };
    let refused = await ask();
    for (let request = 0; request < 10 && refused.status === 200; request++) refused = await ask();
    expect(refused.status).toBe(429);
    held = new Promise(() => {});
    expect((await ask()).status).toBe(429);
    held = null;
    limits = SHIPPED_LIMITS;
  });
});

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
