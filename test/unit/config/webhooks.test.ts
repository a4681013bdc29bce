import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { eventsNamed, WEBHOOK_EVENTS, webhooksSchema } from '../../../policies/webhooks-schema.ts';
import { changesBetween } from '../../../src/config/changes.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { ConfigurationError } from '../../../src/config/problem.ts';
import { readWebhookSecrets, requireWebhookSecrets, webhookSecretsOf } from '../../../src/config/webhook-secrets.ts';
import { OTHER_SECRET, WEBHOOK_SECRET } from '../../support/receiver.ts';

const RECEIVER = {
  name: 'crm',
  url: 'https://crm.example.com/hooks',
  events: ['user'],
  secretEnvironment: 'CRM_SECRET',
};
const read = (change: object) => webhooksSchema.safeParse({ receivers: [{ ...RECEIVER, ...change }] });

describe('webhooks.yaml', () => {
  it('needs a name, an address, events and the name of a variable', () => {
    expect(read({}).data?.receivers).toEqual([{ ...RECEIVER, format: 'standard', allowPrivateNetwork: false }]);
    for (const key of Object.keys(RECEIVER)) expect(read({ [key]: undefined }).success, key).toBe(false);
  });

  it.each([
    ['http elsewhere', { url: 'http://crm.example.com/', allowPrivateNetwork: true }],
    ['http here without leave', { url: 'http://localhost:8080/' }],
    ['another protocol', { url: 'ftp://crm.example.com/' }],
    ['a password in the address', { url: 'https://user:secret@crm.example.com/' }],
    ['a fragment', { url: 'https://crm.example.com/#hooks' }],
    ['no address', { url: 'crm' }],
    ['an event that there is not', { events: ['user.seen'] }],
    ['no event', { events: [] }],
    ['a secret in the file', { secret: WEBHOOK_SECRET }],
    ['an audience without tokens', { audience: 'crm' }],
    ['a name for people', { name: 'Our CRM' }],
  ])('rejects %s', (_, change) => {
    expect(read(change).success).toBe(false);
  });

  it('accepts http to this machine where that is allowed, and each name once', () => {
    expect(read({ url: 'http://localhost:8080/', allowPrivateNetwork: true }).success).toBe(true);
    expect(webhooksSchema.safeParse({ receivers: [RECEIVER, RECEIVER] }).success).toBe(false);
  });

  it('expands a group to its events, and to no others', () => {
    expect([...eventsNamed(['session', 'user.created'])]).toEqual(['session.started', 'session.ended', 'user.created']);
    expect([...eventsNamed([...WEBHOOK_EVENTS])]).toEqual([...WEBHOOK_EVENTS]);
  });
});

it('a change of an address is logged without its query, which may be a secret of the endpoint', () => {
  const load = (url: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-webhooks-'));
    cpSync('policies', folder, { recursive: true });
    writeFileSync(join(folder, 'webhooks.yaml'), JSON.stringify({ receivers: [{ ...RECEIVER, url }] }));
    const configuration = loadConfiguration(folder, 'https://as.example.com');
    rmSync(folder, { recursive: true });
    return configuration;
  };
  const [first, second] = [load(`${RECEIVER.url}?token=hidden`), load(`${RECEIVER.url}?token=unseen`)];
  const [key, shown] = ['webhooks.receivers.crm.url', `${RECEIVER.url}?… (not shown)`];
  expect(changesBetween(first, second)).toEqual([{ key, from: shown, to: shown }]);
  expect(changesBetween(first, load(RECEIVER.url))).toEqual([{ key, from: shown, to: RECEIVER.url }]);
});

it('a possible secret in the wrong place is not shown', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-webhooks-'));
  cpSync('policies', folder, { recursive: true });
  const receiver = { ...RECEIVER, url: 'https://crm:hidden@crm.example.com/', secretEnvironment: 'whsec_hidden+/=' };
  writeFileSync(join(folder, 'webhooks.yaml'), JSON.stringify({ receivers: [receiver] }));
  let words = '';
  try {
    loadConfiguration(folder, 'https://as.example.com');
  } catch (error) {
    words = String(error);
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(words).toMatch(/receivers\.0\.url: .* \(not shown\)/);
  expect(words).toMatch(/receivers\.0\.secretEnvironment: .* \(not shown\)/);
  expect(words).not.toContain('hidden');
});

describe('the secret of an endpoint', () => {
  const of = (bytes: number) => `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`;

  it('is one, or two during a rotation', () => {
    expect(readWebhookSecrets(WEBHOOK_SECRET)).toEqual([WEBHOOK_SECRET]);
    expect(readWebhookSecrets(` ${OTHER_SECRET} ${WEBHOOK_SECRET}\n`)).toEqual([OTHER_SECRET, WEBHOOK_SECRET]);
    expect(readWebhookSecrets(`${OTHER_SECRET},${WEBHOOK_SECRET}`)).toEqual([OTHER_SECRET, WEBHOOK_SECRET]);
    expect(readWebhookSecrets(`${of(24)} ${of(32)} ${of(64)}`)).toBeNull();
  });

  it.each([
    ['too short', of(23)],
    ['too long', of(65)],
    ['without its prefix', of(32).slice(6)],
    ['no base64', 'whsec_!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!'],
    ['empty', ''],
  ])('%s is invalid', (_, text) => {
    expect(readWebhookSecrets(text)).toBeNull();
  });

  it('that is missing or invalid rejects the file, by the name of its variable alone', () => {
    const { data } = read({});
    if (!data) throw new Error('the file is refused');
    const check = (environment: Record<string, string>) => () =>
      requireWebhookSecrets({ webhooks: data }, environment, 'policies');
    expect(check({ CRM_SECRET: WEBHOOK_SECRET })).not.toThrow();
    for (const environment of [{}, { CRM_SECRET: 'not-a-webhook-secret' }] as Record<string, string>[]) {
      let thrown: unknown;
      try {
        check(environment)();
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(ConfigurationError);
      expect(String(thrown)).toContain('CRM_SECRET');
      expect(String(thrown)).not.toContain('not-a-webhook-secret');
    }
    expect(webhookSecretsOf({ secretEnvironment: 'CRM_SECRET' }, { CRM_SECRET_FILE: '/no/such/file' })).toBeNull();
  });

  describe('in a file that webhooks.yaml names', () => {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-secret-'));
    const secretFile = join(folder, 'crm');
    afterAll(() => rmSync(folder, { recursive: true }));
    const { secretEnvironment: _, ...unnamed } = RECEIVER;
    const fileOf = (receiver: object) => webhooksSchema.safeParse({ receivers: [receiver] });

    it('is read at each call, so it may appear and change while the server runs', () => {
      const { data } = fileOf({ ...unnamed, secretFile });
      const [receiver] = data?.receivers ?? [];
      if (!data || !receiver) throw new Error('the file is refused');
      const required = () => requireWebhookSecrets({ webhooks: data }, {}, 'policies');
      expect(required).toThrow(/receivers\.0\.secretFile: .*no such file/);
      expect(webhookSecretsOf(receiver, {})).toBeNull();
      writeFileSync(secretFile, 'hidden');
      expect(required).toThrow(/a file that holds something else/);
      expect(required).not.toThrow(/hidden|statehouse-secret-/);
      writeFileSync(secretFile, `${WEBHOOK_SECRET}\n`);
      expect(required).not.toThrow();
      expect(webhookSecretsOf(receiver, {})).toEqual([WEBHOOK_SECRET]);
    });

    it('replaces a variable, and cannot stand beside one', () => {
      expect(fileOf({ ...unnamed, secretFile }).success).toBe(true);
      expect(fileOf(unnamed).success).toBe(false);
      expect(fileOf({ ...RECEIVER, secretFile }).success).toBe(false);
      expect(fileOf({ ...unnamed, secretFile: 'crm' }).success).toBe(false);
    });
  });
});
