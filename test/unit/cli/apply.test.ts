/** `statehouse apply`: clients and end-users as a folder describes them, on the database and through a server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findClient } from '../../../src/storage/clients.ts';
import { saveClient } from '../../support/administration.ts';
import { dumpOf } from '../../support/dump.ts';
import { testMacs } from '../../support/macs.ts';
import { type CommandLine, openCommandLine, ways } from './command-line.ts';

const CLIENTS = `clients:
  - client_id: shop
    client_name: Shop
    redirect_uris: [https://shop.example/callback]
  - client_id: page
    token_endpoint_auth_method: none
    redirect_uris: [https://page.example/callback]
`;

describe.each(ways)('apply, by the %s', (way) => {
  let line: CommandLine;
  let folder = '';
  beforeAll(async () => {
    line = await openCommandLine(undefined, way);
  });
  afterAll(() => line.close());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'apply-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  const apply = (...options: readonly string[]) => line.run(['apply', folder, ...options]);
  const stored = () => dumpOf(line.runtime.database.drizzle);

  it('plans the creation of a client, makes it with a secret, and changes nothing the second time', async () => {
    write('clients.yaml', CLIENTS);
    // The first command on a database settles what its policy says of identifiers.
    await line.run(['clients', 'list']);
    const before = await stored();
    const plan = await apply('--plan');
    expect(plan.status).toBe(4);
    expect(plan.out).toMatch(/^\+ create {3}client shop\n/);
    expect(plan.out).toContain('2 to create, 0 to change, 0 to delete');
    expect(plan.out).not.toContain('client_secret');
    // A command may register the credential with which it reaches the server.
    if (way === 'database') expect(await stored()).toBe(before);
    const done = await apply();
    expect([done.status, done.err]).toEqual([0, '']);
    expect(done.out).toMatch(/created {2}client shop\n {2}client_secret {2}\S{20,}/);
    expect(await apply()).toMatchObject({ status: 0, out: expect.stringContaining('Nothing to change') });
    expect((await apply('--plan')).status).toBe(0);
  });

  it('names each field that differs, with both values, and who changed it on the server', async () => {
    write('clients.yaml', CLIENTS);
    await apply();
    write('clients.yaml', CLIENTS.replace('client_name: Shop', 'client_name: The shop'));
    const plan = await apply('--plan');
    expect(plan.out).toContain('~ change   client shop\n      client_name: "Shop" → "The shop"\n');
    expect(plan.out).toContain('0 active grants of 0 end-users continue under it');
    expect(plan.out).not.toContain('drift');
    await apply();
    expect((await line.run(['clients', 'show', 'shop', '--json'])).out).toContain('The shop');
  });

  it('names the actor who changed a record on the server, and changes it back', async () => {
    write('clients.yaml', CLIENTS);
    await apply();
    const db = line.runtime.database.drizzle;
    const shop = await findClient(db, testMacs, 'shop');
    if (shop === null) throw new Error('The client is not found.');
    await saveClient(db, { ...shop, clientName: 'Changed in the files' });
    const plan = await apply('--plan');
    expect(plan.out).toMatch(/drift: changed on the server by configuration at \d{4}-/);
    expect(plan.out).toContain('client_name: "Changed in the files" → "');
    expect((await apply()).status).toBe(0);
    expect((await apply('--plan')).status).toBe(0);
  });

  it('makes, changes, disables and deletes end-users', async () => {
    const person = (more: string) => write('people.json', `{"users": [{"username": "grace", ${more}}]}`);
    person('"claims": {"name": "Grace"}, "disabled": true');
    const made = await apply();
    expect([made.status, made.err]).toEqual([0, '']);
    const shown = async () => JSON.parse((await line.run(['users', 'show', 'grace', '--json'])).out);
    expect(await shown()).toMatchObject({ disabled: true });
    person('"claims": {"name": "Grace Hopper"}, "disabled": false');
    const plan = await apply('--plan');
    expect(plan.out).toContain('disabled: true → false');
    expect(plan.out).toContain('claims: {"name":"Grace"} → {"name":"Grace Hopper"}');
    expect((await apply()).status).toBe(0);
    expect(await shown()).toMatchObject({ disabled: false });
    person('"absent": true');
    expect(await apply()).toMatchObject({ status: 1, err: expect.stringContaining('user grace') });
    expect((await shown()).username).toBe('grace');
    const deleted = await apply('--yes');
    expect(deleted.out).toContain('ends 0 active grants and 0 sessions');
    expect((await line.run(['users', 'show', 'grace'])).status).toBe(1);
    expect((await apply('--yes')).out).toContain('Nothing to change');
  });

  it('changes nothing where the server refuses a single record', async () => {
    write('a.yaml', 'clients: [{ client_id: good, redirect_uris: [https://good.example/cb] }]');
    write('b.yaml', 'clients: [{ client_id: bad, redirect_uris: [http://bad.example/cb] }]');
    const refused = await apply();
    expect(refused.status).toBe(1);
    expect(refused.err).toContain('client bad: redirect_uris');
    expect((await line.run(['clients', 'show', 'good'])).status).toBe(1);
  });

  it.each([
    ['an unknown field', 'clients: [{ client_id: x, redirect_uri: y }]', /a\.yaml:1: .*redirect_uri/],
    ['a secret', 'clients: [{ client_id: x, client_secret: hidden-in-git }]', /client_secret/],
    ['broken YAML', 'clients: [', /a\.yaml/],
    ['a record twice', 'users: [{ username: x }, { username: x }]', /the user "x" is in a\.yaml too/],
  ])('refuses a file with %s, and repeats no secret', async (_, text, words) => {
    write('a.yaml', text);
    const { status, err } = await apply();
    expect(status).toBe(1);
    expect(err).toMatch(words);
    expect(err).not.toContain('hidden-in-git');
  });

  it('names the clients of the server that no file names, and leaves them', async () => {
    await line.run(['clients', 'create', '--id', 'beside', '--redirect-uri', 'https://beside.example/cb']);
    write('clients.yaml', CLIENTS);
    const done = await apply();
    expect(done.out).toMatch(/no file names, and that stay as they are: .*beside/);
    expect(done.out).not.toContain('statehouse-');
    expect((await line.run(['clients', 'show', 'beside'])).status).toBe(0);
  });
});
