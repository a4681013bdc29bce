/** Requests that are repeated with their Idempotency-Key: the repetition does not restore a resource that was removed before it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anyDatabase } from '../../support/database.ts';
import { API, type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const SCOPE = ['clients:read', 'clients:write', 'users:write', 'keys:read', 'keys:rotate'];

describe('a repeated request', () => {
  let scene: Scene;
  let call: Caller;
  let serial = 0;
  let id: string;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration: withBot() });
    await makeBot(scene);
    call = callerWith(scene, () => tokenOf(scene, SCOPE));
  });
  afterAll(() => scene.close());
  beforeEach(() => {
    id = `sent-again-${++serial}`;
  });

  const send = (path: string, body: object, key = id) =>
    call('POST', path, { body, headers: { 'idempotency-key': key } });
  const register = (key = id) => send('/clients', { client_id: id, redirect_uris: ['https://x.test/'] }, key);
  const secretsOf = async () => (await call('GET', `/clients/${id}/secrets`)).json().items.length;
  const goneSince = (answer: Awaited<ReturnType<Caller>>) =>
    expect([answer.statusCode, answer.json().type, answer.body.includes('client_secret')], answer.body).toEqual([
      412,
      `${API}/problems/changed_meanwhile`,
      false,
    ]);

  it('restores no removed secret, perhaps removed because it leaked', async () => {
    await register('registration');
    const made = await send(`/clients/${id}/secrets`, {});
    expect(made.statusCode).toBe(201);
    await call('DELETE', `/clients/${id}/secrets/${made.json().secret_id}`);
    goneSince(await send(`/clients/${id}/secrets`, {}));
    expect(await secretsOf()).toBe(1);
  });

  it('restores no replaced secret', async () => {
    await register();
    await send(`/clients/${id}/secrets`, { replaces: true }, `${id}-first`);
    await send(`/clients/${id}/secrets`, { replaces: true }, `${id}-second`);
    goneSince(await send(`/clients/${id}/secrets`, { replaces: true }, `${id}-first`));
    expect(await secretsOf()).toBe(1);
  });

  it('does not register a deleted client again, with its earlier secret', async () => {
    expect((await register()).statusCode).toBe(201);
    expect((await call('DELETE', `/clients/${id}`)).statusCode).toBe(204);
    goneSince(await register());
    expect((await call('GET', `/clients/${id}`)).statusCode).toBe(404);
    expect((await register(`${id}-again`)).statusCode).toBe(201);
  });

  it('does not register a deleted end-user again', async () => {
    const user = () => send('/users', { username: id, password: 'correct horse battery staple' });
    const { sub } = (await user()).json();
    expect((await call('DELETE', `/users/${sub}`)).statusCode).toBe(204);
    goneSince(await user());
  });

  it('creates one secret, also concurrently', async () => {
    await register();
    const both = await Promise.all([1, 2].map(() => send(`/clients/${id}/secrets`, {}, `${id}-both`)));
    expect(both.map(({ statusCode }) => statusCode)).toEqual([201, 201]);
    expect(both[0]?.json()).toEqual(both[1]?.json());
    expect(await secretsOf()).toBe(2);
  });

  it('replaces a signing key once', async () => {
    const rotate = () => send('/signing-keys/ES256/rotations', { at_once: true });
    const first = await rotate();
    // The guard fetches keys that it does not have.
    scene.clock.advanceSeconds(2);
    const second = await rotate();
    expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
    expect(first.json().changes).toHaveLength(3);
    expect(second.json().changes).toEqual([]);
  });
});
