/** The client of the management API without a network: the same documents and problems as through a server, as the command line. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAdministration } from '../../../src/boot/administration.ts';
import type { Runtime } from '../../../src/boot/runtime.ts';
import { StoreUnavailable } from '../../../src/engine/errors.ts';
import { type ManagementClient, managementClient } from '../../../src/management/client/client.ts';
import type { Transport } from '../../../src/management/client/transport.ts';
import { transitions } from '../../../src/storage/schema.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { BOT, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { type CommandLine, openCommandLine } from '../cli/command-line.ts';

let line: CommandLine;
let test: TestApp;
let runtime: Runtime;
const clients: { here?: ManagementClient; server?: ManagementClient } = {};
const at = (way: 'here' | 'server'): ManagementClient => clients[way] as ManagementClient;

beforeAll(async () => {
  line = await openCommandLine();
  runtime = line.runtime;
  clients.here = managementClient(await openAdministration(runtime));
  test = await openTestApp(runtime.database, { configuration: withBot() });
  await makeBot(test);
  const call = callerWith(test, () =>
    tokenOf(
      test,
      test.deps.configuration().management.scopes.map(({ name }) => name),
    ),
  );
  const overApp: Transport = async ({ method, path, headers, body }) => {
    const answer = await call(method, path, { headers, ...(body !== undefined && { body }) });
    const header = (name: string) => (answer.headers[name] === undefined ? null : String(answer.headers[name]));
    return { status: answer.statusCode, header, text: answer.body };
  };
  clients.server = managementClient(overApp);
});
afterAll(() => line.close());

const shop = (id: string) => ({
  params: { client_id: id },
  body: { client_id: id, redirect_uris: ['https://shop.example/callback'] },
});

describe.each(['here', 'server'] as const)('a client of the API, %s', (way) => {
  const id = `shop ${way}/ü`.replace('ü', 'u');

  it('creates, reads, lists and deletes, with the documents of the resources', async () => {
    const made = await at(way).send('PUT', '/clients/{client_id}', shop(id));
    expect(made).toMatchObject({ ok: true, status: 201, value: { client_id: id, client_secret: expect.any(String) } });
    const read = await at(way).send('GET', '/clients/{client_id}', { params: { client_id: id } });
    if (!read.ok) throw new Error(read.problem.detail);
    expect(read.etag).toMatch(/^"/);
    expect(read.value.redirect_uris).toEqual(shop(id).body.redirect_uris);
    const listed = await at(way).send('GET', '/clients', { query: { q: id, limit: 1, declared: undefined } });
    expect(listed.ok && listed.value.items.map(({ client_id }) => client_id)).toEqual([id]);
    const gone = await at(way).send('DELETE', '/clients/{client_id}', { params: { client_id: id } });
    expect(gone).toEqual({ ok: true, status: 204, value: null, etag: null });
  });

  it('identifies a problem by its name, with the rejected fields', async () => {
    const body = { ...shop(id).body, policy: 'none' };
    const refused = await at(way).send('PUT', '/clients/{client_id}', { params: { client_id: id }, body });
    const errors = [{ field: 'policy', detail: expect.stringContaining('found "none"') }];
    expect(refused).toMatchObject({ ok: false, problem: { status: 422, reason: 'invalid_fields', errors } });
    const seen = await at(way).send('PUT', '/clients/{client_id}', { ...shop(id), ifMatch: '"none"' });
    expect(seen).toMatchObject({ ok: false, problem: { status: 412, reason: 'changed_meanwhile' } });
  });

  it.each(['.', '..'])('rejects the id %s, which URLs would resolve, without a request', async (dots) => {
    const answer = await at(way).send('DELETE', '/clients/{client_id}', { params: { client_id: dots } });
    expect(answer).toMatchObject({ ok: false, problem: { status: 404, reason: 'not_found' } });
  });
});

it('the ledger names the command line as the actor, without an address', async () => {
  await at('here').send('PUT', '/clients/{client_id}', shop('made-here'));
  await at('server').send('PUT', '/clients/{client_id}', shop('made-by-bot'));
  const lines = await runtime.database.drizzle.select().from(transitions);
  const ofClient = (id: string) => lines.filter(({ clientId }) => clientId === id).map(({ actor }) => actor);
  expect(ofClient('made-here')).toEqual(['command_line']);
  expect(ofClient('made-by-bot')).toEqual([`client ${BOT}`]);
  const addresses = lines.filter(({ clientId }) => clientId === 'made-here').map(({ addressHash }) => addressHash);
  expect(addresses).toEqual([null]);
});

it('the command reports a lost database in place of an answer', async () => {
  let isAway = false;
  const drizzle = new Proxy(runtime.database.drizzle, {
    get: (real, name) => {
      if (isAway) throw new StoreUnavailable(false);
      return Reflect.get(real, name);
    },
  });
  const here = managementClient(await openAdministration({ ...runtime, database: { ...runtime.database, drizzle } }));
  expect(await here.send('GET', '/clients', {})).toMatchObject({ ok: true });
  isAway = true;
  await expect(here.send('GET', '/clients', {})).rejects.toBeInstanceOf(StoreUnavailable);
});
