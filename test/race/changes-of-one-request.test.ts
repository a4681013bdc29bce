/** A PATCH of several members (RFC 5789 §2): all of them change, or none, whatever another administrator or the database does meanwhile. */
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { lockWaits } from '../support/lock-waits.ts';
import { type Caller, callerWith, makeBot, tokenOf, withBot } from '../support/management.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { until } from '../support/until.ts';

describe('a PATCH of username and disabled', () => {
  let scene: Scene;
  let call: Caller;
  let other: postgres.Sql;
  let serial = 0;
  let username = '';
  let sub = '';
  let tag = '';
  beforeAll(async () => {
    scene = await openScene('postgres', { configuration: withBot() });
    await makeBot(scene);
    call = callerWith(scene, () => tokenOf(scene, ['users:read', 'users:write']));
    other = postgres(String(scene.url), { max: 1, onnotice: () => {} });
  });
  afterAll(async () => {
    await other.end();
    await scene.close();
  });
  beforeEach(async () => {
    username = `ada-${++serial}`;
    const body = { username, password: 'a long enough password', claims: { name: 'Ada' } };
    const made = await call('POST', '/users', { body });
    sub = made.json().sub;
    tag = String(made.headers.etag);
  });

  const patch = (body: object = { username: `${username}-renamed`, disabled: true }) =>
    call('PATCH', `/users/${sub}`, { body, headers: { 'if-match': tag } });
  const shown = async () => {
    const { username: name, disabled, claims } = (await call('GET', `/users/${sub}`)).json();
    return { renamed: name !== username, disabled, claims };
  };
  const entries = async () =>
    (await other`select event, fields from transitions where user_id = ${sub} order by position`).map(
      ({ event, fields }) => [event, fields],
    );

  const REGISTERED = ['registrationRequested', null];
  const BEFORE = { renamed: false, disabled: false, claims: { name: 'Ada' } };

  it('makes both changes, with an entry in the ledger for each', async () => {
    expect((await patch()).statusCode).toBe(200);
    expect(await shown()).toEqual({ ...BEFORE, renamed: true, disabled: true });
    expect(await entries()).toEqual([REGISTERED, ['registrationRequested', ['username']], ['disableRequested', null]]);
  });

  it('answers 412 and changes nothing when another administrator has written meanwhile', async () => {
    const taken = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const writing = other.begin(async (tx) => {
      await tx`update users set claims = '{"name":"Countess"}' where id = ${sub}`;
      taken.resolve();
      await release.promise;
    });
    await taken.promise;
    const patched = patch();
    const watching = postgres(String(scene.url), { max: 1 });
    onTestFinished(() => watching.end());
    const waits = () => watching.unsafe(lockWaits());
    await until(async () => (await waits()).length > 0);
    release.resolve();
    await writing;
    expect((await patched).statusCode).toBe(412);
    expect(await shown()).toEqual({ ...BEFORE, claims: { name: 'Countess' } });
    expect(await entries()).toEqual([REGISTERED]);
  });

  it('changes nothing when the new username is taken', async () => {
    const { client: _, user } = scene;
    const answer = await patch({ username: user.username, disabled: true });
    expect([answer.statusCode, answer.json().code ?? answer.json().type]).toEqual([
      409,
      expect.stringContaining('username'),
    ]);
    expect(await shown()).toEqual(BEFORE);
  });

  describe('when the database fails', () => {
    /** Every write of a row of both tables counts; from this number on they fail. */
    const failAt = async (place: number) => {
      await other`create sequence if not exists writes`;
      await other`alter sequence writes restart`;
      await other.unsafe(`create or replace function fails_once() returns trigger language plpgsql as $$
        begin if nextval('writes') >= ${place} then raise exception 'lost' using errcode = 'admin_shutdown'; end if; return null; end $$`);
      for (const table of ['users', 'transitions'])
        await other.unsafe(
          `create or replace trigger z_fails_once after insert or update on ${table} for each row execute function fails_once()`,
        );
    };
    afterEach(async () => {
      for (const table of ['users', 'transitions'])
        await other.unsafe(`drop trigger if exists z_fails_once on ${table}`);
    });

    const WRITES = 3;
    it.each(Array.from({ length: WRITES }, (_, place) => place + 1))(
      'makes no change from write %i on',
      async (place) => {
        await failAt(place);
        expect((await patch()).statusCode).toBe(503);
        expect(await shown()).toEqual(BEFORE);
        expect(await entries()).toEqual([REGISTERED]);
      },
    );

    it('writes no more rows', async () => {
      await failAt(WRITES + 1);
      expect((await patch()).statusCode).toBe(200);
    });
  });
});
