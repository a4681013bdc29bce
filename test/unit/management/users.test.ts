/** End-users over the management API: registered, changed, disabled and erased. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anyDatabase } from '../../support/database.ts';
import { type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const PASSWORD = 'a long enough password';

describe('end-users over the management API', () => {
  let scene: Scene;
  let call: Caller;
  let serial = 0;
  let username = '';
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration: withBot() });
    await makeBot(scene);
    call = callerWith(scene, () =>
      tokenOf(scene, ['users:read', 'users:write', 'grants:read', 'grants:revoke', 'sessions:read', 'sessions:end']),
    );
  });
  afterAll(() => scene.close());
  beforeEach(() => {
    username = `alice-${++serial}`;
  });

  const registered = async (claims: object = { email: 'alice@example.com', groups: ['staff'] }) => {
    const answer = await call('POST', '/users', { body: { username, password: PASSWORD, claims } });
    expect(answer.statusCode, answer.body).toBe(201);
    return { sub: answer.json().sub as string, tag: String(answer.headers.etag) };
  };
  const patch = (sub: string, tag: string, body: object) =>
    call('PATCH', `/users/${sub}`, { body, headers: { 'if-match': tag } });

  it('registers an end-user, and shows claims and no password', async () => {
    const { sub } = await registered();
    const shown = await call('GET', `/users/${sub}`);
    expect(shown.json()).toMatchObject({
      sub,
      username,
      disabled: false,
      claims: { email: 'alice@example.com', groups: ['staff'] },
    });
    expect(shown.body).not.toContain(PASSWORD);
    expect(shown.body.replace('"has_password":true', '')).not.toContain('password');
  });

  it('names the invalid claim', async () => {
    const body = { username, password: PASSWORD, claims: { email: 'unknown', emial: 'x' } };
    const { statusCode, json } = await call('POST', '/users', { body });
    expect([statusCode, json().errors.map(({ field }: { field: string }) => field)]).toEqual([422, ['claims.email']]);
  });

  it.each([
    ['the host of the issuer', 'login.blueharbour.example 2030!'],
    ['the organisation', 'Blue Harbour Ferries 1'],
  ])('rejects a password that is the name of the service: %s', async (_, password) => {
    const config = withBot();
    const branding = { ...config.branding, organization: 'Blue Harbour Ferries' };
    const issuer = 'https://login.blueharbour.example';
    const other = await openScene(anyDatabase, { issuer, configuration: { ...config, branding } });
    try {
      await makeBot(other);
      const ask = callerWith(other, () => tokenOf(other, ['users:write']));
      const refused = await ask('POST', '/users', { body: { username: 'ada', password } });
      expect([refused.statusCode, refused.json().errors[0].field]).toEqual([422, 'password']);
      expect(refused.body).not.toContain(password);
      expect(refused.json().errors[0].detail).toContain('the name of the service');
    } finally {
      await other.close();
    }
  });

  it('rejects a weak password, an unknown field and a username in use', async () => {
    const weak = await call('POST', '/users', { body: { username, password: 'x' } });
    expect([weak.statusCode, weak.json().errors[0].field]).toEqual([422, 'password']);
    const guessable = await call('POST', '/users', { body: { username, password: 'password123password' } });
    expect([guessable.statusCode, guessable.json().errors[0].field]).toEqual([422, 'password']);
    expect(guessable.body).toContain('a password that is soon guessed');
    const unknown = await call('POST', '/users', { body: { usrname: username, password: PASSWORD } });
    expect(unknown.json().errors.find(({ field }: { field: string }) => field === 'usrname').detail).toContain(
      'Did you mean "username"?',
    );
    await registered();
    const taken = await call('POST', '/users', { body: { username: username.toUpperCase(), password: PASSWORD } });
    expect([taken.statusCode, taken.json().type]).toEqual([409, expect.stringContaining('username_taken')]);
  });

  it('keeps a verified address for one end-user, and says so', async () => {
    const own = { email: `own-${serial}@example.com`, email_verified: true };
    const taken = [409, expect.stringContaining('address_taken')];
    const answerOf = ({ statusCode, json }: Awaited<ReturnType<Caller>>) => [statusCode, json().type];
    await registered(own);
    username = `bob-${serial}`;
    const claims = { ...own, email: own.email.toUpperCase() };
    expect(answerOf(await call('POST', '/users', { body: { username, password: PASSWORD, claims } }))).toEqual(taken);
    const { sub, tag } = await registered({ email: own.email });
    expect(answerOf(await patch(sub, tag, { claims: { email_verified: true } }))).toEqual(taken);
    expect(answerOf(await patch(sub, tag, { username: own.email }))).toEqual([
      409,
      expect.stringContaining('username_taken'),
    ]);
    const put = { body: { username, claims }, headers: { 'if-match': tag } };
    expect(answerOf(await call('PUT', `/users/${sub}`, put))).toEqual(taken);
    const { json } = await call('GET', `/users/${sub}`);
    expect(json()).toMatchObject({ username, claims: { email: own.email } });
    expect((await patch(sub, tag, { claims: { name: 'Bob' } })).statusCode).toBe(200);
  });

  it('changes claims by a merge patch, without touching the others', async () => {
    const { sub, tag } = await registered();
    const changed = await patch(sub, tag, { claims: { email: null, name: 'Alice' } });
    expect([changed.statusCode, changed.json().claims]).toEqual([200, { name: 'Alice', groups: ['staff'] }]);
    expect((await patch(sub, tag, { claims: { name: 'Late' } })).statusCode).toBe(412);
    expect((await call('PATCH', `/users/${sub}`, { body: { disabled: true } })).statusCode).toBe(428);
  });

  it('replaces an end-user as a whole, and accepts what it showed', async () => {
    const { sub, tag } = await registered();
    const shown = (await call('GET', `/users/${sub}`)).json();
    expect((await call('PUT', `/users/${sub}`, { body: shown })).statusCode).toBe(200);
    const replaced = await call('PUT', `/users/${sub}`, { body: { username }, headers: { 'if-match': tag } });
    expect([replaced.statusCode, replaced.json().claims]).toEqual([200, {}]);
  });

  it('disables and enables in one patch with the record', async () => {
    const { sub, tag } = await registered();
    const off = await patch(sub, tag, { disabled: true, claims: { name: 'Alice' } });
    expect([off.statusCode, off.json().disabled, off.json().claims.name]).toEqual([200, true, 'Alice']);
    const on = await patch(sub, String(off.headers.etag), { disabled: false });
    expect(on.json().disabled).toBe(false);
  });

  it('ends the grants and sessions of an end-user who gets a new password', async () => {
    await scene.chain();
    const { id } = scene.user;
    const alive = async () => [
      (await call('GET', `/users/${id}/grants?state=active`)).json().items.length,
      (await call('GET', `/users/${id}/sessions?state=active`)).json().items.length,
    ];
    expect(await alive()).toEqual([1, 1]);
    const before = (await call('GET', `/users/${id}/consequences`)).json();
    expect(before).toEqual({ living_grants: 1, clients: 1, active_sessions: 1, exact: true });
    const { headers } = await call('GET', `/users/${id}`);
    expect((await patch(id, String(headers.etag), { password: 'another long password' })).statusCode).toBe(200);
    expect(await alive()).toEqual([0, 0]);
  });

  it('erases an end-user, and never assigns the sub again', async () => {
    const { sub } = await registered();
    expect((await call('DELETE', `/users/${sub}`)).statusCode).toBe(204);
    expect((await call('GET', `/users/${sub}`)).statusCode).toBe(404);
    expect((await call('PUT', `/users/${sub}`, { body: { username, password: PASSWORD } })).statusCode).toBe(404);
    await registered();
  });

  it.each(['{"__proto__":{"name":"x"}}', '{"address":{"__proto__":"x"}}'])('rejects the claims %s', async (claims) => {
    const body = `{"username":"${username}","password":"${PASSWORD}","claims":${claims}}`;
    const answer = await call('POST', '/users', { body });
    expect([answer.statusCode, answer.json().errors]).toMatchObject([422, [{ field: '__proto__' }]]);
  });

  it('registers one end-user for the same Idempotency-Key', async () => {
    const send = () =>
      call('POST', '/users', { body: { username, password: PASSWORD }, headers: { 'idempotency-key': username } });
    const [first, second] = await Promise.all([send(), send()]);
    expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
    expect(first.json()).toEqual(second.json());
  });
});
