/** Revocation by administrators, and its records: grants, sessions, signing keys, the ledger. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { makeClient, refresh } from '../../support/actors.ts';
import { anyDatabase } from '../../support/database.ts';
import { BOT, type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { until } from '../../support/until.ts';

type Line = {
  readonly machine: string;
  readonly event: string;
  readonly to: string;
  readonly reason: string | null;
  readonly actor: string | null;
  readonly grant_id: string | null;
};

describe('endings over the management API', () => {
  let scene: Scene;
  let call: Caller;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration: withBot() });
    await makeBot(scene);
    call = callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES));
  });
  afterAll(() => scene.close());
  // The newest grant is the newest.
  beforeEach(() => scene.clock.advanceSeconds(1));

  const newestGrant = async () => (await call('GET', '/grants?limit=1')).json().items[0];
  const lines = async (query: string): Promise<readonly Line[]> =>
    (await call('GET', `/transitions?${query}`)).json().items;

  it('ends a stolen chain, once, and records the actor', async () => {
    const token = await scene.chain();
    const { grant_id: id, state } = await newestGrant();
    expect(state).toBe('active');
    for (const status of [204, 204]) expect((await call('DELETE', `/grants/${id}`)).statusCode).toBe(status);
    expect((await refresh(scene, scene.client, token)).json.error).toBe('invalid_grant');
    expect((await call('GET', `/grants/${id}`)).json().state).toBe('ended');
    const ended = (await lines(`grant_id=${id}`)).filter(({ machine, to }) => machine === 'grant' && to === 'revoked');
    expect(ended).toEqual([expect.objectContaining({ actor: `client ${BOT}` })]);
  });

  it('explains the history of a grant: why it ended, and how to avoid it', async () => {
    const first = await scene.chain();
    const second = (await refresh(scene, scene.client, first)).json.refresh_token ?? '';
    await refresh(scene, scene.client, second);
    await refresh(scene, scene.client, first);
    const { grant_id: id } = await newestGrant();
    const life = (await call('GET', `/grants/${id}/transitions`)).json();
    expect(life).toMatchObject({ grant_id: id, active: false, reason: 'refresh_token_reused' });
    expect(life.what_would_have_kept_it).toEqual(expect.any(String));
    expect(life.events.length).toBeGreaterThan(3);
    const { state, checks } = (await call('GET', '/status')).json();
    expect(state).not.toBe('good');
    expect(checks.find(({ name }: { name: string }) => name === 'reuse').detail).toContain('refresh_token_reused: 1');
  });

  it('lists, with the state of the server, clients with scopes that have no description', async () => {
    await makeClient(scene, { clientId: 'odd', scope: ['read', 'orders'] });
    let { configuration, checks } = (await call('GET', '/status')).json();
    // An answer of before serves for two seconds more.
    await until(async () => {
      ({ configuration, checks } = (await call('GET', '/status')).json());
      return configuration.warnings.some((one: string) =>
        one.startsWith('client odd: scope: no resource describes "orders"'),
      );
    });
    expect(checks.find(({ name }: { name: string }) => name === 'configuration').state).toBe('look');
  });

  it('signs an end-user out, and records the actor', async () => {
    await scene.chain();
    const { sid } = (await call('GET', `/users/${scene.user.id}/sessions?state=active`)).json().items[0];
    for (const status of [204, 204]) expect((await call('DELETE', `/sessions/${sid}`)).statusCode).toBe(status);
    expect((await call('GET', `/sessions/${sid}`)).json().state).toBe('ended');
    const ended = (await lines(`session_id=${sid}`)).filter(
      ({ machine, to }) => machine === 'session' && to === 'ended',
    );
    expect(ended).toEqual([expect.objectContaining({ actor: `client ${BOT}` })]);
  });

  it('rotates and revokes signing keys', async () => {
    const rotate = (body?: object) => call('POST', '/signing-keys/ES256/rotations', body ? { body } : {});
    const [first, again] = [await rotate(), await rotate()];
    expect([first.statusCode, first.json().changes.map(({ to }: { to: string }) => to)]).toEqual([
      201,
      expect.arrayContaining(['published']),
    ]);
    expect(again.json().changes).toEqual([]);
    const { kid } = first.json().changes.find(({ to }: { to: string }) => to === 'published');
    expect((await call('GET', `/signing-keys/${kid}`)).json()).toMatchObject({ alg: 'ES256', state: 'published' });
    expect((await call('DELETE', `/signing-keys/${kid}`)).statusCode).toBe(204);
    expect((await call('GET', `/signing-keys/${kid}`)).json().state).toBe('retired');
    expect((await call('POST', '/signing-keys/EdDSA/rotations')).statusCode).toBe(422);
    const retired = await lines(`machine=signingKey&to_state=retired`);
    expect(retired[0]?.actor).toBe(`client ${BOT}`);
  });

  it('reads the ledger page by page without a gap', async () => {
    const grants: string[] = [];
    let href = '/management/v1/transitions?order=asc&machine=interaction&limit=2';
    const follow = async () => {
      for (;;) {
        const { items, _links } = (await call('GET', href)).json();
        href = _links.next.href.slice('https://as.test'.length);
        grants.push(...items.flatMap(({ grant_id: id }: Line) => id ?? []));
        if (items.length === 0) return;
      }
    };
    await follow();
    await scene.chain();
    await scene.chain();
    const both = (await call('GET', '/grants?limit=2')).json().items.map(({ grant_id: id }: Line) => id);
    // A line is shown when no older transaction of the whole server is under way, and other tests have theirs.
    await until(async () => {
      await follow();
      return both.every((id: string) => grants.includes(id));
    });
    expect(both).toHaveLength(2);
    expect(new Set(grants).size).toBe(grants.length);
  });

  it.each([
    ['from=1970-01-01T00:00:00Z&to=9999-12-31T23:59:59.999Z', 200],
    ['address=127.0.0.1', 200],
    ['address=%00', 400],
  ])('reads the ledger with %s: %d', async (query, status) => {
    expect((await call('GET', `/transitions?${query}`)).statusCode).toBe(status);
  });

  it('counts the rows of each machine, and the recent arms', async () => {
    await scene.chain();
    const { items } = (await call('GET', '/machines')).json();
    expect(items.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['refreshToken', 'grant', 'session', 'client', 'user', 'signingKey', 'interaction']),
    );
    const grant = items.find(({ name }: { name: string }) => name === 'grant');
    expect(grant.states.find(({ name }: { name: string }) => name === 'active').rows).toBeGreaterThan(0);
  });
});
