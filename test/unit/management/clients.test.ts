/** Clients over the management API: registered, changed, deleted, and their secrets rotated. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { theServer } from '../../../src/model/actor.ts';
import { administerClient } from '../../../src/registration/administration.ts';
import { DEFAULT_METADATA } from '../../../src/registration/client-metadata.ts';
import { transitions } from '../../../src/storage/schema.ts';
import { token } from '../../support/actors.ts';
import { saveClient } from '../../support/administration.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import { BOT, type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';

const SHOP = {
  client_id: 'shop',
  client_name: 'Shop',
  redirect_uris: ['https://shop.example/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
};

const ownRegistration = (clientId: string) => ({
  ...DEFAULT_METADATA,
  clientId,
  clientName: clientId,
  tokenEndpointAuthMethod: 'none' as const,
  secretMacs: [],
  redirectUris: ['https://as.test/console/callback'],
  declared: false,
  registeredBy: 'operator' as const,
});

describe('clients over the management API', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let call: Caller;
  let serial = 0;
  let id = '';
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
    test = await openTestApp(opened.database, { configuration: withBot() });
    await makeBot(test);
    call = callerWith(test, () => tokenOf(test, ['clients:read', 'clients:write']));
  });
  afterAll(() => opened.close());
  beforeEach(() => {
    id = `shop-${++serial}`;
  });

  const registered = async () => {
    const answer = await call('POST', '/clients', { body: { ...SHOP, client_id: id } });
    expect(answer.statusCode, answer.body).toBe(201);
    return { tag: String(answer.headers.etag), secret: answer.json().client_secret as string };
  };

  it('registers a client, returns its secret once, and its location', async () => {
    const answer = await call('POST', '/clients', { body: { ...SHOP, client_id: id } });
    expect(answer.statusCode).toBe(201);
    expect(answer.headers.location).toBe(`https://as.test/management/v1/clients/${id}`);
    expect(answer.headers['cache-control']).toBe('no-store');
    const shown = await call('GET', `/clients/${id}`);
    expect(shown.json()).toMatchObject({ ...SHOP, client_id: id, declared: false, registered_by: 'operator' });
    expect(shown.body).not.toContain('secret_macs');
    expect(shown.headers.etag).toBe(answer.headers.etag);
    expect(test.logs()).not.toContain(answer.json().client_secret);
  });

  it('generates a secret with which the client authenticates', async () => {
    const grantTypes = { grant_types: ['client_credentials'], redirect_uris: [] };
    const answer = await call('POST', '/clients', { body: { ...SHOP, ...grantTypes, client_id: id } });
    const { client_secret: secret } = answer.json();
    const client = { clientId: id, secret, tokenEndpointAuthMethod: 'client_secret_basic' };
    const issued = await token(test, client as never, { grant_type: 'client_credentials' });
    expect(issued.status).toBe(200);
  });

  it('rejects a second registration of the same id, whatever the record', async () => {
    await registered();
    const again = await call('POST', '/clients', { body: { ...SHOP, client_id: id } });
    expect([again.statusCode, again.json().type]).toEqual([
      409,
      'https://as.test/management/v1/problems/already_exists',
    ]);
  });

  it('rejects every change of a client of the server itself, and its registration', async () => {
    for (const own of ['statehouse-console', 'statehouse-command-line']) {
      const stored = { ...SHOP, client_id: own };
      const refusals = [
        await call('POST', '/clients', { body: stored }),
        await call('PUT', `/clients/${own}`, { body: stored }),
      ];
      await administerClient({ db: opened.database.drizzle, macs: testMacs, actor: theServer }, own, {
        change: { type: 'registrationRequested', registration: ownRegistration(own) },
      });
      const before = (await call('GET', `/clients/${own}`)).headers.etag;
      const headers = { 'if-match': String(before) };
      refusals.push(
        await call('DELETE', `/clients/${own}`),
        await call('PATCH', `/clients/${own}`, { body: { redirect_uris: ['https://elsewhere.example/'] }, headers }),
        await call('POST', `/clients/${own}/secrets`),
        await call('DELETE', `/clients/${own}/secrets/first`),
      );
      for (const refusal of refusals) {
        expect([refusal.statusCode, refusal.json().type], refusal.body).toEqual([
          409,
          'https://as.test/management/v1/problems/client_is_own',
        ]);
      }
      expect((await call('GET', `/clients/${own}`)).headers.etag).toBe(before);
    }
  });

  it('warns of probable mistakes in a registration', async () => {
    const { warnings: none } = (await call('POST', '/clients', { body: { ...SHOP, client_id: id } })).json();
    expect(none).toBeUndefined();
    expect((await call('GET', `/clients/${id}/consequences`)).json().warnings).toEqual([]);
    const says = [expect.stringMatching(/^scope: no resource describes "orders"/)];
    const orders = { ...SHOP, client_id: `${id}-orders`, scope: 'read orders' };
    expect((await call('POST', '/clients', { body: orders })).json().warnings).toEqual(says);
    expect((await call('GET', `/clients/${id}-orders/consequences`)).json().warnings).toEqual(says);
  });

  it('names the unknown field and the nearest known one', async () => {
    const answer = await call('POST', '/clients', {
      body: { ...SHOP, client_id: id, redirect_url: 'https://x.test/' },
    });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors).toEqual([
      { field: 'redirect_url', detail: expect.stringContaining('Did you mean "redirect_uris"?') },
    ]);
    expect((await call('GET', `/clients/${id}`)).statusCode).toBe(404);
  });

  it('replaces a client with a matching ETag, and no other', async () => {
    const { tag } = await registered();
    const renamed = { ...SHOP, client_id: id, client_name: 'Store' };
    expect((await call('PUT', `/clients/${id}`, { body: renamed })).statusCode).toBe(428);
    const changed = await call('PUT', `/clients/${id}`, { body: renamed, headers: { 'if-match': tag } });
    expect([changed.statusCode, changed.json().client_name]).toEqual([200, 'Store']);
    expect(changed.json().client_secret).toBeUndefined();
    const late = await call('PUT', `/clients/${id}`, {
      body: { ...renamed, client_name: 'Late' },
      headers: { 'if-match': tag },
    });
    expect([late.statusCode, late.json().title]).toEqual([412, 'The resource does not meet the precondition']);
    expect((await call('GET', `/clients/${id}`)).json().client_name).toBe('Store');
  });

  it('reports the errors of a record before it checks a precondition that fails', async () => {
    const headers = { 'if-match': '"none"' };
    const put = (more: object) =>
      call('PUT', `/clients/${id}`, { body: { ...SHOP, client_id: id, ...more }, headers }).then((answer) => [
        answer.statusCode,
        answer.json().errors,
      ]);
    const wrong = { field: 'policy', detail: expect.stringContaining('found "none"') };
    expect(await put({ policy: 'none' })).toEqual([422, [wrong]]);
    expect(await put({})).toEqual([412, undefined]);
    expect((await call('GET', `/clients/${id}`)).statusCode).toBe(404);
    await registered();
    expect(await put({ policy: 'none' })).toEqual([422, [wrong]]);
    expect(await put({ client_name: 'Other' })).toEqual([412, undefined]);
    expect((await call('GET', `/clients/${id}`)).json().client_name).toBe('Shop');
  });

  it('accepts the same PUT again, and returns what it showed', async () => {
    const first = await call('PUT', `/clients/${id}`, { body: { ...SHOP, client_id: id } });
    const second = await call('PUT', `/clients/${id}`, { body: { ...SHOP, client_id: id } });
    expect([first.statusCode, second.statusCode]).toEqual([201, 200]);
    const shown = await call('GET', `/clients/${id}`);
    const back = await call('PUT', `/clients/${id}`, { body: shown.json() });
    expect([back.statusCode, back.headers.etag]).toEqual([200, shown.headers.etag]);
  });

  it('never creates over a client with If-None-Match: *', async () => {
    await registered();
    const answer = await call('PUT', `/clients/${id}`, {
      body: { ...SHOP, client_id: id },
      headers: { 'if-none-match': '*' },
    });
    expect(answer.statusCode).toBe(412);
  });

  it('changes some fields by a merge patch, in which null removes a field', async () => {
    const { tag } = await registered();
    const scoped = await call('PATCH', `/clients/${id}`, {
      body: { scope: 'read', client_name: 'Store' },
      headers: { 'if-match': tag },
    });
    expect([scoped.statusCode, scoped.json().scope]).toEqual([200, 'read']);
    const open = await call('PATCH', `/clients/${id}`, {
      body: { scope: null },
      headers: { 'if-match': String(scoped.headers.etag) },
    });
    expect(open.json().scope).toBeUndefined();
    expect(open.json().client_name).toBe('Store');
  });

  it('loses no update: of two patches with the same ETag, one is rejected', async () => {
    const { tag } = await registered();
    const patch = (name: string) =>
      call('PATCH', `/clients/${id}`, { body: { client_name: name }, headers: { 'if-match': tag } });
    const both = await Promise.all([patch('One'), patch('Two')]);
    expect(both.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 412]);
  });

  it('keeps read-only fields', async () => {
    const { tag } = await registered();
    const answer = await call('PATCH', `/clients/${id}`, { body: { declared: true }, headers: { 'if-match': tag } });
    expect([answer.statusCode, answer.json().errors[0].field]).toEqual([422, 'declared']);
  });

  it('deletes a client once', async () => {
    await registered();
    const statuses = [];
    for (const method of ['DELETE', 'DELETE', 'GET'] as const)
      statuses.push((await call(method, `/clients/${id}`)).statusCode);
    expect(statuses).toEqual([204, 404, 404]);
  });

  it('rotates a secret with two active ones in between', async () => {
    await registered();
    const added = await call('POST', `/clients/${id}/secrets`);
    expect([added.statusCode, added.headers['cache-control']]).toEqual([201, 'no-store']);
    expect(added.json().client_secret).toMatch(/^[\w-]{43}$/);
    expect((await call('POST', `/clients/${id}/secrets`)).statusCode).toBe(409);
    const { items } = (await call('GET', `/clients/${id}/secrets`)).json();
    expect(items.map(({ secret_id }: { secret_id: string }) => secret_id)).toEqual(['first', added.json().secret_id]);
    expect((await call('DELETE', `/clients/${id}/secrets/first`)).statusCode).toBe(204);
    expect((await call('DELETE', `/clients/${id}/secrets/${added.json().secret_id}`)).statusCode).toBe(409);
  });

  it('lists the clients by how the server learned of them', async () => {
    const https = 'https://agent.example/client.json';
    await saveClient(opened.database.drizzle, ownRegistration('in-the-files'), true);
    await saveClient(opened.database.drizzle, ownRegistration('by-an-operator'));
    // The id of a client of an operator may look like that of a document.
    await saveClient(opened.database.drizzle, ownRegistration('https://shop.example/'));
    await saveClient(opened.database.drizzle, ownRegistration(https), false, 'self');
    await saveClient(opened.database.drizzle, ownRegistration('by-itself'), false, 'self');
    const all = [https, 'https://shop.example/', 'in-the-files', 'by-an-operator', 'by-itself'];
    for (const [through, ids] of [
      ['configuration', ['in-the-files']],
      ['operator', ['https://shop.example/', 'by-an-operator']],
      ['document', [https]],
      ['registration', ['by-itself']],
    ] as const) {
      const { items } = (await call('GET', `/clients?limit=100&registered_through=${through}`)).json();
      const listed = items.map(({ client_id }: { client_id: string }) => client_id);
      expect(all.filter((one) => listed.includes(one)).toSorted(), through).toEqual(ids.toSorted());
    }
    expect((await call('GET', '/clients?registered_through=self')).statusCode).toBe(400);
  });

  it('finds a client with an encoded id', async () => {
    const odd = `urn:a/b?c ${id}`;
    await call('POST', '/clients', { body: { ...SHOP, client_id: odd } });
    const shown = await call('GET', `/clients/${encodeURIComponent(odd)}`);
    expect([shown.statusCode, shown.json().client_id]).toEqual([200, odd]);
    expect((await call('GET', new URL(shown.json()._links.self.href).pathname)).statusCode).toBe(200);
  });

  it('writes the actor and the changed fields into the ledger', async () => {
    const { tag } = await registered();
    await call('PATCH', `/clients/${id}`, { body: { client_name: 'Store' }, headers: { 'if-match': tag } });
    const lines = await test.database.drizzle.select().from(transitions).where(eq(transitions.clientId, id));
    const line = lines.find(({ fields }) => fields?.includes('client_name') && fields.length === 1);
    expect(line).toMatchObject({ machine: 'client', clientId: id, actor: `client ${BOT}`, fields: ['client_name'] });
    expect(line?.addressHash).toMatch(/^[\w-]{22}$/);
  });

  describe('with an Idempotency-Key', () => {
    const post = (key: string, body: object) => call('POST', '/clients', { body, headers: { 'idempotency-key': key } });
    const nameless = { ...SHOP, client_id: undefined };

    it('creates one client for the same request, and returns the same answer', async () => {
      const [first, second] = [await post(`k-${id}`, nameless), await post(`k-${id}`, nameless)];
      expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
      expect(second.json()).toEqual(first.json());
      const [one, two] = await Promise.all([post(`p-${id}`, nameless), post(`p-${id}`, nameless)]);
      expect([one.statusCode, two.statusCode]).toEqual([201, 201]);
      expect(one.json()).toEqual(two.json());
    });

    it('rejects the key for another request', async () => {
      await post(`k-${id}`, nameless);
      const other = await post(`k-${id}`, { ...nameless, client_name: 'Other' });
      expect([other.statusCode, other.json().type]).toEqual([
        422,
        'https://as.test/management/v1/problems/idempotency_key_reused',
      ]);
    });

    it('never returns the client of another caller', async () => {
      await registered();
      const other = { ...SHOP, client_id: id, client_name: 'Other' };
      const statuses = [await post(`k-${id}`, other), await post(`k-${id}`, other)].map(({ statusCode }) => statusCode);
      expect(statuses).toEqual([409, 409]);
    });

    it('adds one secret for the same request', async () => {
      await registered();
      const add = () => call('POST', `/clients/${id}/secrets`, { headers: { 'idempotency-key': '"a key"' } });
      const [first, second] = [await add(), await add()];
      expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
      expect(second.json()).toEqual(first.json());
    });
  });
});
