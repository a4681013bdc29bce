/** registration.yaml: the rules for clients that introduce themselves. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changesBetween } from '../../../src/config/changes.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { ConfigurationError } from '../../../src/config/problem.ts';

const SHIPPED = new URL('../../../policies', import.meta.url).pathname;
const RULES = {
  origins: 'any',
  scopes: ['openid', 'offline_access', 'read'],
  resources: ['https://api.example.com'],
  policy: 'native-app',
};

describe('registration.yaml', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-policies-'));
    cpSync(SHIPPED, folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const load = () => loadConfiguration(folder, 'https://as.test');
  const write = (change: Record<string, unknown>) =>
    writeFileSync(
      join(folder, 'registration.yaml'),
      JSON.stringify({ metadataDocuments: { ...RULES, ...change } }, null, 1),
    );
  const problems = () => {
    try {
      load();
    } catch (error) {
      if (error instanceof ConfigurationError) return error.problems;
      throw error;
    }
    return [];
  };

  it('is not shipped, and without it no client introduces itself', () => {
    expect(load().registration).toEqual({});
  });

  it('turns documents on, up to 10,000 of them', () => {
    write({});
    expect(load().registration).toEqual({ metadataDocuments: { ...RULES, maxDocuments: 10_000 } });
  });

  const { origins: _, ...ACCESS } = RULES;
  const writeDynamic = (change: Record<string, unknown>) =>
    writeFileSync(
      join(folder, 'registration.yaml'),
      JSON.stringify({ dynamicRegistration: { access: 'open', ...ACCESS, ...change } }, null, 1),
    );

  it('turns dynamic registration on, with bounds', () => {
    writeDynamic({});
    expect(load().registration).toEqual({
      dynamicRegistration: {
        access: 'open',
        ...ACCESS,
        ...{ registrationsPerHour: 20, maxRegistrations: 10_000, unusedDays: 30 },
      },
    });
  });

  it.each([
    ['another access', { access: 'everyone' }, 'dynamicRegistration.access'],
    ['tokens that are missing', { access: 'initialAccessToken' }, 'dynamicRegistration'],
    ['issuers that are missing', { access: 'softwareStatement' }, 'dynamicRegistration'],
    ['a token in place of its hash', { initialAccessTokens: [{ name: 'a', sha256: 'secret' }] }, 'sha256'],
    ['an issuer without keys', { trustedIssuers: [{ issuer: 'https://a.example' }] }, 'dynamicRegistration'],
    ['a scope of no resource', { scopes: ['reed'] }, 'dynamicRegistration.scopes.0'],
    ['an unknown resource', { resources: ['https://api.example.org'] }, 'dynamicRegistration.resources.0'],
    ['an unknown policy', { policy: 'native-ap' }, 'dynamicRegistration.policy'],
    ['no day', { unusedDays: 0 }, 'dynamicRegistration.unusedDays'],
    ['more registrations than a million', { maxRegistrations: 1_000_001 }, 'dynamicRegistration.maxRegistrations'],
  ])('dynamic registration is rejected with %s', (_name, change, key) => {
    writeDynamic(change);
    expect(problems().map((one) => one.key)).toContainEqual(expect.stringContaining(key));
  });

  it('turns nothing on while it is empty', () => {
    writeFileSync(join(folder, 'registration.yaml'), '{}\n');
    expect(load().registration).toEqual({});
  });

  it.each([
    ['an origin with a path', { origins: ['https://agent.example/app'] }, 'metadataDocuments.origins'],
    ['an origin without TLS', { origins: ['http://agent.example'] }, 'metadataDocuments.origins'],
    ['no origin', { origins: [] }, 'metadataDocuments.origins'],
    ['another word than any', { origins: 'all' }, 'metadataDocuments.origins'],
    ['no scope', { scopes: [] }, 'metadataDocuments.scopes'],
    ['a scope of no resource', { scopes: ['read', 'reed'] }, 'metadataDocuments.scopes.1'],
    ['no resource', { resources: [] }, 'metadataDocuments.resources'],
    ['an unknown resource', { resources: ['https://api.example.org'] }, 'metadataDocuments.resources.0'],
    ['an unknown policy', { policy: 'native-ap' }, 'metadataDocuments.policy'],
    ['no policy', { policy: undefined }, 'metadataDocuments.policy'],
    ['nine documents', { maxDocuments: 9 }, 'metadataDocuments.maxDocuments'],
    ['more documents than a million', { maxDocuments: 1_000_001 }, 'metadataDocuments.maxDocuments'],
    ['an unknown key', { hosts: 'any' }, 'metadataDocuments.hosts'],
  ])('is rejected with %s', (_, change, key) => {
    write(change);
    const found = problems();
    expect(found.map((one) => one.key)).toContainEqual(expect.stringContaining(key));
    for (const one of found) expect(one).toMatchObject({ file: 'registration.yaml', line: expect.any(Number) });
  });

  it('proposes the nearest name', () => {
    write({ policy: 'native-ap' });
    expect(problems()).toMatchObject([{ nearest: 'native-app' }]);
  });

  it('lists its change where it changes', () => {
    const before = load();
    write({});
    expect(changesBetween(before, load())).not.toEqual([]);
    expect(changesBetween(before, before)).toEqual([]);
  });
});
