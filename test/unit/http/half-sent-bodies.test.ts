/** Requests with unfinished bodies: they block no resource that others need. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SHIPPED_LIMITS } from '../../../policies/limits-schema.ts';
import { anyDatabase } from '../../support/database.ts';
import { withDeadlines } from '../../support/patience.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { until } from '../../support/until.ts';

type HalfSent = { readonly socket: Socket; text: string; ended: boolean };
/** Of one network. */
const SHARE = 500;
const HALF_SENT = SHIPPED_LIMITS.requestsInProgress + 50;

describe('requests with unfinished bodies', () => {
  let scene: Scene;
  let port: number;
  const sockets = new Set<Socket>();
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
    port = Number(new URL(await scene.app.listen({ host: '127.0.0.1', port: 0 })).port);
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  });
  afterAll(() => scene.close());

  /** @returns the answer of the server, and whether it has ended the connection. */
  async function halfSent(from: string, path = '/oauth/token'): Promise<HalfSent> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    const seen = { socket, text: '', ended: false };
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      seen.text += chunk;
    });
    socket.once('close', () => {
      seen.ended = true;
    });
    await once(socket, 'connect');
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: as.test\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 40\r\n\r\ngrant`,
    );
    return seen;
  }

  const good = async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/oauth/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${scene.client.clientId}:${scene.client.secret}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    return status;
  };

  it.each([
    ['one address', () => '127.0.0.1'],
    ['another address', () => '127.0.0.9'],
    ['many addresses', (index: number) => `127.0.1.${1 + (index % 200)}`],
  ])(
    'leave room for a request with its body while more than a node handles are half sent by %s',
    async (_, addressOf) => {
      for (let sent = 0; sent < HALF_SENT; sent++) await halfSent(addressOf(sent));
      for (let request = 0; request < 5; request++) expect(await good()).toBe(200);
      expect(await (await fetch(`http://127.0.0.1:${port}/health/ready`)).json()).toMatchObject({ status: 'ready' });
    },
  );

  it('are dropped oldest first, from the network that has most of them', async () => {
    const patient = await halfSent('127.0.0.2');
    const many: HalfSent[] = [];
    for (let sent = 0; sent < SHARE; sent++) many.push(await halfSent('127.0.0.3'));
    expect(many.some(({ ended }) => ended)).toBe(false);
    const crowd: HalfSent[] = [];
    for (let sent = 0; sent < 20; sent++) crowd.push(await halfSent('127.0.0.3'));
    await until(() => many.filter(({ ended }) => ended).length === 20);
    expect(many.slice(0, 20).every(({ ended }) => ended)).toBe(true);
    expect(many[0]?.text).toMatch(/^HTTP\/1\.1 408 /);
    expect(crowd.some(({ ended }) => ended)).toBe(false);
    expect(patient.ended).toBe(false);
    patient.socket.write('_type=client_credentials'.padEnd(35, '&'));
    await until(() => patient.text.includes('\r\n\r\n'));
    // Its body has come, and was read.
    expect(patient.text).toMatch(/^HTTP\/1\.1 401 /);
  });

  it.each([
    ['/oauth/token', /"error":"invalid_request","error_description":"The body did not arrive in time/],
    ['/sign-in', /\{"error":"invalid_request"\}$/],
    // Another app behind the same server reads the body.
    ['/account/password', /\{"error":"invalid_request"\}$/],
  ])('have a deadline at %s, after which the answer is 408 and the connection ends', async (path, words) => {
    // The first request to an app takes longer.
    await scene.app.inject(path);
    await withDeadlines({ bodyMilliseconds: 1 }, async () => {
      const late = await halfSent('127.0.0.1', path);
      await until(() => late.ended);
      expect(late.text).toMatch(/^HTTP\/1\.1 408 /);
      expect(late.text).toMatch(/\r\nconnection: close\r\n/i);
      expect(late.text).toMatch(words);
    });
    expect(await good()).toBe(200);
  });

  it('leave one line each in the log, with the reason', async () => {
    const before = scene.logs().length;
    await withDeadlines({ bodyMilliseconds: 1 }, async () => {
      const late = await halfSent('127.0.0.1');
      await until(() => late.ended);
    });
    const lines = scene.logs().slice(before).trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'refused', reason: 'body_too_late', status: 408 });
  });
});
