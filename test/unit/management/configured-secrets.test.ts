/** Secrets that the configuration names, at the management API: set, replaced and removed, and never shown. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import {
  openSecretRow,
  resealConfiguredSecrets,
  secretNamed,
  withStoredSecrets,
} from '../../../src/registration/configured-secrets.ts';
import { findSecretRow } from '../../../src/storage/configured-secrets.ts';
import { configuredSecrets, transitions } from '../../../src/storage/schema.ts';
import { anyDatabase } from '../../support/database.ts';
import { dumpOf } from '../../support/dump.ts';
import { testKeys } from '../../support/macs.ts';
import { API, BOT, type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { upstreamOf } from '../../support/upstream.ts';
import { webhooksFile } from '../../support/webhooks.ts';

const FIRST = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const SECOND = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const PASSWORD = 'correct-horse-battery';
const SMTP = `smtp://user:${PASSWORD}@mail.example.com:587?from=no-reply@example.com`;

describe('configured secrets at the management API', () => {
  let scene: Scene;
  let call: Caller;
  let answers = '';
  const variables = { FROM_ENVIRONMENT: 'a value of the environment' };
  let changes = 0;
  beforeAll(async () => {
    const webhooks = webhooksFile([
      { name: 'crm', url: 'https://crm.example.com/', events: ['user'], secretEnvironment: 'CRM_SECRET' },
    ]);
    const upstreams = [
      upstreamOf({
        issuer: 'https://login.example.com',
        client_id: 'us',
        client_secret_environment: 'FROM_ENVIRONMENT',
      }),
    ];
    scene = await openScene(anyDatabase, {
      configuration: { ...withBot(), webhooks, upstreams },
      variables,
      secretChanged: async () => void changes++,
    });
    await makeBot(scene);
    const asked = callerWith(scene, () => tokenOf(scene, ['configuration:read', 'secrets:write', 'ledger:read']));
    call = async (...sent) => {
      const answer = await asked(...sent);
      answers += `${JSON.stringify(answer.headers)}${answer.body}`;
      return answer;
    };
  });
  afterAll(() => scene.close());

  const put = (name: string, value: unknown, headers = {}) =>
    call('PUT', `/secrets/${name}`, { body: { value }, headers });
  const stored = (name: string) => findSecretRow(scene.database.drizzle, name);
  const reading = () => ({ db: scene.database.drizzle, keys: testKeys });

  it('lists the names of the files and of the mail server, with the place of each', async () => {
    const { items } = (await call('GET', '/secrets')).json();
    expect(items).toEqual([
      expect.objectContaining({
        name: 'CRM_SECRET',
        source: null,
        stored_at: null,
        problem: null,
        used_by: [{ file: 'webhooks.yaml', key: 'receivers.0.secretEnvironment' }],
      }),
      expect.objectContaining({
        name: 'FROM_ENVIRONMENT',
        source: 'environment',
        used_by: [{ file: 'upstreams.yaml', key: 'upstreams.0.client_secret_environment' }],
      }),
      expect.objectContaining({ name: 'STATEHOUSE_SMTP_URL', source: null, used_by: [{ file: null, key: null }] }),
    ]);
    expect((await call('GET', '/secrets/UNKNOWN')).statusCode).toBe(404);
  });

  it('sets a secret, replaces and removes it, with ledger entries that have the name alone', async () => {
    const made = await put('NEXT_SECRET', FIRST);
    expect([made.statusCode, made.headers.location]).toEqual([201, `${API}/secrets/NEXT_SECRET`]);
    expect(made.json()).toMatchObject({ name: 'NEXT_SECRET', source: 'row', used_by: [], problem: null });
    expect(await secretNamed(reading(), variables, 'NEXT_SECRET')).toBe(FIRST);
    expect((await put('NEXT_SECRET', SECOND)).statusCode).toBe(200);
    expect(await secretNamed(reading(), variables, 'NEXT_SECRET')).toBe(SECOND);
    expect(changes).toBe(2);
    expect((await call('DELETE', '/secrets/NEXT_SECRET')).statusCode).toBe(204);
    expect(await secretNamed(reading(), variables, 'NEXT_SECRET')).toBeNull();
    expect((await call('DELETE', '/secrets/NEXT_SECRET')).statusCode).toBe(404);
    const entries = scene.database.drizzle
      .select()
      .from(transitions)
      .where(eq(transitions.machine, 'configuredSecret'))
      .orderBy(transitions.position);
    const about = { fields: ['secrets.NEXT_SECRET'], actor: `client ${BOT}` };
    expect(await entries).toMatchObject([
      { event: 'valueSent', fromState: 'unset', toState: 'set', ...about },
      { event: 'valueSent', fromState: 'set', toState: 'set', ...about },
      { event: 'removalRequested', fromState: 'set', toState: 'unset', ...about },
    ]);
  });

  it('stores the value sealed for its name and version: in another row, or as an earlier version, it opens nothing', async () => {
    await put('SEALED', FIRST);
    const first = await stored('SEALED');
    await put('SEALED', SECOND);
    const second = await stored('SEALED');
    if (!first || !second) throw new Error('no row');
    expect(openSecretRow(testKeys, second)).toBe(SECOND);
    expect(openSecretRow(testKeys, { ...second, sealedValue: first.sealedValue })).toBeNull();
    expect(openSecretRow(testKeys, { ...second, name: 'OTHER' })).toBeNull();
  });

  it('prefers the environment, and says that the row is not in force', async () => {
    const made = await put('FROM_ENVIRONMENT', 'a value of the row');
    expect(made.json()).toMatchObject({ source: 'environment', stored_at: expect.any(String) });
    expect(await secretNamed(reading(), variables, 'FROM_ENVIRONMENT')).toBe('a value of the environment');
    expect(await withStoredSecrets(reading(), variables)).toMatchObject({
      FROM_ENVIRONMENT: 'a value of the environment',
    });
    // The environment has it, so the files need no row.
    expect((await call('DELETE', '/secrets/FROM_ENVIRONMENT')).statusCode).toBe(204);
  });

  it('keeps a value that a file in force needs', async () => {
    expect((await put('CRM_SECRET', FIRST)).statusCode).toBe(201);
    const answer = await call('DELETE', '/secrets/CRM_SECRET');
    expect([answer.statusCode, answer.json().type]).toEqual([409, `${API}/problems/secret_in_use`]);
    expect(await secretNamed(reading(), variables, 'CRM_SECRET')).toBe(FIRST);
  });

  it.each([
    ['a webhook expects another format', 'CRM_SECRET', PASSWORD, 422, 'whsec_'],
    [
      'the mail server has another kind of URL',
      'STATEHOUSE_SMTP_URL',
      `https://user:${PASSWORD}@mail.example.com`,
      422,
      'smtp://',
    ],
    ['no sender is known', 'STATEHOUSE_SMTP_URL', SMTP.replace(/\?.*/, ''), 422, 'STATEHOUSE_MAIL_FROM'],
    ['it has several lines', 'A_SECRET', `${PASSWORD}\nmore`, 422, 'one line'],
    ['it is empty', 'A_SECRET', '  ', 422, 'one line'],
    ['it is no text', 'A_SECRET', { password: PASSWORD }, 422, 'one line'],
    ['the variable is that of the process', 'STATEHOUSE_SECRET', PASSWORD, 409, 'environment of each node'],
    ['the variable is that of the database', 'DATABASE_URL', PASSWORD, 409, 'environment of each node'],
    ['the name is none of a variable', 'a-name', PASSWORD, 404, 'not found'],
  ])('refuses a value without showing it where %s', async (_, name, value, status, words) => {
    const before = await stored(name);
    const answer = await put(name, value);
    expect([answer.statusCode, answer.body]).toEqual([status, expect.stringContaining(words)]);
    expect(answer.body).not.toContain(PASSWORD);
    expect(await stored(name)).toEqual(before);
  });

  it('does not show a value that was sent under another member, or as the whole body', async () => {
    for (const body of [
      { vlaue: PASSWORD },
      { value: FIRST, [PASSWORD.slice(0, 7)]: PASSWORD },
      PASSWORD,
      [PASSWORD],
    ]) {
      const answer = await call('PUT', '/secrets/A_SECRET', { body });
      expect(answer.statusCode).toBeGreaterThanOrEqual(400);
      expect(answer.body).not.toContain(PASSWORD);
    }
  });

  it('compares the entity tag, and makes one of concurrent changes the last', async () => {
    const { headers } = await put('TAGGED', 'one');
    expect((await put('TAGGED', 'two', { 'if-none-match': '*' })).statusCode).toBe(412);
    scene.clock.set(new Date(scene.clock.now().getTime() + 1000));
    expect((await put('TAGGED', 'two', { 'if-match': String(headers.etag) })).statusCode).toBe(200);
    expect((await put('TAGGED', 'three', { 'if-match': String(headers.etag) })).statusCode).toBe(412);
    expect(
      (await call('DELETE', '/secrets/TAGGED', { headers: { 'if-match': String(headers.etag) } })).statusCode,
    ).toBe(412);
    expect(await secretNamed(reading(), {}, 'TAGGED')).toBe('two');
  });

  it('shows and stores nothing in a dry run', async () => {
    const before = [await dumpOf(scene.database.drizzle), changes];
    const answer = await call('PUT', '/secrets/DRY?dry_run=true', { body: { value: PASSWORD } });
    expect([answer.statusCode, answer.headers['dry-run']]).toEqual([201, 'true']);
    expect(answer.json()).toMatchObject({ name: 'DRY', source: 'row' });
    expect([await dumpOf(scene.database.drizzle), changes]).toEqual(before);
  });

  it('seals again under a new root secret, and says which value no listed one opens', async () => {
    await put('ROTATED', 'a value');
    const text = [systemRandom.bytes(32).toString('base64url'), 'the root secret of the tests'.repeat(2)];
    const next = rootKeys(text.slice(0, 1));
    const both = { first: next.first, byId: new Map([...next.byId, ...testKeys.byId]) };
    expect(await resealConfiguredSecrets({ ...reading(), keys: both, random: systemRandom })).toBeGreaterThan(0);
    expect(await secretNamed({ ...reading(), keys: next }, {}, 'ROTATED')).toBe('a value');
    expect(await secretNamed(reading(), {}, 'ROTATED')).toBeNull();
    expect((await call('GET', '/secrets/ROTATED')).json()).toMatchObject({
      source: 'row',
      problem: expect.stringContaining('Set it again'),
    });
    expect(await resealConfiguredSecrets({ ...reading(), keys: both, random: systemRandom })).toBe(0);
  });

  it('has no value in any response, log line or ledger entry, nor unsealed in a row', async () => {
    const rows = JSON.stringify(await scene.database.drizzle.select().from(configuredSecrets), (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    const ledger = JSON.stringify(await scene.database.drizzle.select().from(transitions), (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    for (const secret of [
      FIRST,
      SECOND,
      PASSWORD,
      'a value of the row',
      'a value of the environment',
      FIRST.slice(6, 30),
    ])
      for (const text of [answers, scene.logs(), rows, ledger]) expect(text).not.toContain(secret);
  });
});
