import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../../src/config/load.ts';
import { matchesStoredSecret } from '../../../src/crypto/client-secret.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { rowMacs } from '../../../src/crypto/row-mac.ts';
import { rawSecret, storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import { commandLine } from '../../../src/model/actor.ts';
import { readClientMetadata, toNames } from '../../../src/registration/client-metadata.ts';
import {
  applyClientPlan,
  ClientIdIsSub,
  planClient,
  type RegistrationDeps,
  registerClient,
} from '../../../src/registration/register-client.ts';
import { deleteClient, insertUser, saveClient } from '../../support/administration.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { findClient } from '../../support/stored-clients.ts';

const configuration = loadConfiguration(new URL('../../../policies', import.meta.url).pathname, 'https://as.test');
const OLD = 'the root secret that made everything so far';
const NEW = 'the root secret that makes everything from now';

let test: TestDatabase;
let deps: RegistrationDeps;
beforeAll(async () => {
  test = await openTestDatabase(anyDatabase);
  const keys = rootKeys([OLD]);
  deps = { db: test.database.drizzle, macs: rowMacs(keys), actor: commandLine, keys, random: systemRandom };
});
afterAll(() => test.close());

const web = { redirect_uris: ['https://shop.example/callback'] };

async function register(record: object, using = deps) {
  const reading = readClientMetadata({ ...web, ...record }, configuration, false);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return registerClient(using, reading.value);
}

async function stored(clientId: string) {
  const client = await findClient(deps.db, clientId);
  if (!client) throw new Error(`unknown client: ${clientId}`);
  return client;
}

const accepts = async (clientId: string, secret: string, { keys } = deps) =>
  matchesStoredSecret(keys, (await stored(clientId)).secretMacs, rawSecret(secret));

describe('the registration of a client', () => {
  it('rejects the sub of an end-user, also of one who was registered after the plan', async () => {
    const id = systemRandom.uuid();
    const reading = readClientMetadata({ ...web, client_id: id }, configuration, false);
    if (!reading.ok) throw new Error('refused');
    const plan = await planClient(deps, reading.value);
    await insertUser(deps.db, { id, username: id, passwordHash: storedPasswordHash('x'), claims: {} });
    await expect(applyClientPlan(deps, plan)).rejects.toThrow(ClientIdIsSub);
    await expect(planClient(deps, reading.value)).rejects.toThrow(ClientIdIsSub);
    expect(await findClient(deps.db, id)).toBeNull();
    expect(new ClientIdIsSub()).toMatchObject({
      name: 'ClientIdIsSub',
      message: 'client_id: Expected an id that no end-user has (RFC 9700 §4.15), found the sub of an end-user.',
    });
  });

  it('passes on the error of the database, where it rejects a client for another cause', async () => {
    const { registration, ...plan } = await register({ client_id: 'broken' });
    const broken = { ...plan, outcome: 'updated', registration: { ...registration, policy: null as never } } as const;
    const error: unknown = await applyClientPlan(deps, broken).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ClientIdIsSub);
  });

  it('changes no row by a plan, nor when it is called as a plan', async () => {
    await register({ client_id: 'planned', scope: 'read' });
    const before = await stored('planned');
    const reading = readClientMetadata({ ...web, client_id: 'planned', scope: 'write' }, configuration, false);
    if (!reading.ok) throw new Error('refused');
    const plan = await planClient(deps, reading.value);
    expect(plan).toMatchObject({ outcome: 'updated', changed: ['scope'], madeSecret: null });
    await applyClientPlan(deps, { ...plan, outcome: 'unchanged' });
    expect(await stored('planned')).toEqual(before);
    await applyClientPlan(deps, plan);
    expect((await stored('planned')).scope).toEqual(['write']);
  });

  it('generates an id of 128 bits and a secret of 256 bits where the record has none', async () => {
    const { outcome, changed, registration, madeSecret } = await register({});
    expect({ outcome, changed }).toEqual({ outcome: 'created', changed: [] });
    expect(registration.clientId).toMatch(/^[\w-]{22}$/);
    expect(madeSecret).toMatch(/^[\w-]{43}$/);
    expect(await accepts(registration.clientId, madeSecret ?? '')).toBe(true);
    expect(JSON.stringify(registration)).not.toContain(madeSecret);
    expect((await stored(registration.clientId)).clientName).toBe(registration.clientId);
  });

  it.each([`~!@ #$%^&*()+=:;"'<>?/\\|`, ' spaces at both ends ', '%20+%2B', ' '])(
    'stores the secret %j verbatim',
    async (secret) => {
      const { registration, madeSecret } = await register({ client_secret: secret });
      expect(madeSecret).toBeNull();
      expect(await accepts(registration.clientId, secret)).toBe(true);
      expect(await accepts(registration.clientId, `${secret} `)).toBe(false);
      expect(await accepts(registration.clientId, secret.trim() || 'x')).toBe(secret.trim() === secret);
    },
  );

  it('changes nothing when the record is the same', async () => {
    const record = { client_id: 'same', client_secret: 'a'.repeat(40), scope: 'read write' };
    await register(record);
    const before = await stored('same');
    expect(await register(record)).toMatchObject({ outcome: 'unchanged', changed: [] });
    expect(await stored('same')).toEqual(before);
  });

  it('replaces and names the differences', async () => {
    await register({ client_id: 'moved', client_secret: 'a'.repeat(40) });
    const change = { client_id: 'moved', client_name: 'Moved', client_secret: 'b'.repeat(40), scope: 'read' };
    expect(await register(change)).toMatchObject({
      outcome: 'updated',
      changed: ['client_name', 'client_secret', 'scope'],
    });
    expect(await accepts('moved', 'b'.repeat(40))).toBe(true);
    expect(await accepts('moved', 'a'.repeat(40))).toBe(false);
  });

  it('vouches for a self-registered client', async () => {
    const record = { client_id: 'itself', token_endpoint_auth_method: 'none' };
    const { registration } = await register(record);
    await saveClient(deps.db, registration, false, 'self', deps.macs);
    expect(await register(record)).toMatchObject({ outcome: 'updated', changed: ['registered_by'] });
    expect((await stored('itself')).registeredBy).toBe('operator');
    expect(await register(record)).toMatchObject({ outcome: 'unchanged', changed: [] });
  });

  it('keeps the stored secret where the record has none', async () => {
    await register({ client_id: 'kept', client_secret: 'a'.repeat(40) });
    expect(await register({ client_id: 'kept', client_name: 'Kept' })).toMatchObject({
      changed: ['client_name'],
      madeSecret: null,
    });
    expect(await accepts('kept', 'a'.repeat(40))).toBe(true);
  });

  it('recognizes the secret after a rotation of the root secret', async () => {
    const record = { client_id: 'rotated', client_secret: 'a'.repeat(40) };
    await register(record);
    const rotated = { ...deps, keys: rootKeys([NEW, OLD]) };
    expect((await register(record, rotated)).outcome).toBe('unchanged');
    expect(await accepts('rotated', 'a'.repeat(40), rotated)).toBe(true);
  });

  it('deletes the secret of a client that becomes public, and generates one when it becomes confidential', async () => {
    await register({ client_id: 'turned', client_secret: 'a'.repeat(40) });
    await register({ client_id: 'turned', token_endpoint_auth_method: 'none' });
    expect((await stored('turned')).secretMacs).toEqual([]);
    const publicly = { client_id: 'turned', token_endpoint_auth_method: 'none' };
    expect(await register(publicly)).toMatchObject({ outcome: 'unchanged', madeSecret: null });
    expect((await register({ client_id: 'turned' })).madeSecret).toMatch(/^[\w-]{43}$/);
  });

  it('creates a deleted client again, without any of its earlier data', async () => {
    await register({ client_id: 'gone', client_secret: 'a'.repeat(40) });
    const { epoch } = await stored('gone');
    await deleteClient(deps.db, 'gone');
    expect(await register({ client_id: 'gone' })).toMatchObject({ outcome: 'created', madeSecret: expect.any(String) });
    expect(await accepts('gone', 'a'.repeat(40))).toBe(false);
    expect((await stored('gone')).epoch).toBe(epoch + 1n);
  });

  it('can be read back with the names of RFC 7591 and registered again', async () => {
    await register({ client_id: 'round', scope: 'read write', default_scope: 'read', policy: 'default' });
    expect((await register(toNames(await stored('round')))).outcome).toBe('unchanged');
  });
});
