import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_SIGNING_KEYS, KEY_POLL_SECONDS } from '../../../policies/schema.ts';
import { changesBetween } from '../../../src/config/changes.ts';
import { keyLifetimes } from '../../../src/config/key-lifetimes.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { ConfigurationError } from '../../../src/config/problem.ts';

const SHIPPED = new URL('../../../policies', import.meta.url).pathname;

describe('signing-keys.yaml', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-policies-'));
    cpSync(SHIPPED, folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const load = () => loadConfiguration(folder, 'https://as.test');
  const write = (change: Record<string, unknown>) =>
    writeFileSync(join(folder, 'signing-keys.yaml'), JSON.stringify({ ...DEFAULT_SIGNING_KEYS, ...change }));
  const problems = () => {
    try {
      load();
    } catch (error) {
      if (error instanceof ConfigurationError) return error.problems;
      throw error;
    }
    return [];
  };

  it('as shipped contains the defaults', () => {
    expect(load().signingKeys).toEqual(DEFAULT_SIGNING_KEYS);
    rmSync(join(folder, 'signing-keys.yaml'));
    expect(load().signingKeys).toEqual(DEFAULT_SIGNING_KEYS);
  });

  it.each([
    ['no key', { algorithms: [] }, 'algorithms'],
    ['no ES256, which signs access tokens', { algorithms: ['RS256'] }, 'algorithms'],
    ['no RS256, the default of ID Tokens', { algorithms: ['ES256', 'EdDSA'] }, 'algorithms'],
    ['one twice', { algorithms: ['ES256', 'RS256', 'ES256'] }, 'algorithms'],
    ['a shared secret', { algorithms: ['ES256', 'RS256', 'HS256'] }, 'algorithms.2'],
    ['none', { algorithms: ['ES256', 'RS256', 'none'] }, 'algorithms.2'],
    ['a day as a text', { signingLifetimeSeconds: '7776000' }, 'signingLifetimeSeconds'],
    ['signing for ever', { signingLifetimeSeconds: 400 * 86_400 + 1 }, 'signingLifetimeSeconds'],
    ['no cache at all', { jwksMaxAgeSeconds: 9 }, 'jwksMaxAgeSeconds'],
    [
      'a cache of more than a day',
      { jwksMaxAgeSeconds: 86_401, publishedBeforeSigningSeconds: 2 * 86_400 },
      'jwksMaxAgeSeconds',
    ],
    ['signing before common caches hold it', { publishedBeforeSigningSeconds: 599 }, 'publishedBeforeSigningSeconds'],
    [
      'signing before caches that obey hold it',
      { jwksMaxAgeSeconds: 3600, publishedBeforeSigningSeconds: 3600 + KEY_POLL_SECONDS - 1 },
      'publishedBeforeSigningSeconds',
    ],
    [
      'a life too short to publish the next one',
      { publishedBeforeSigningSeconds: 7200, signingLifetimeSeconds: 14_399 },
      'signingLifetimeSeconds',
    ],
  ])('is rejected with %s', (_, change, key) => {
    write(change);
    expect(problems()).toMatchObject([{ file: 'signing-keys.yaml', key, line: 1 }]);
  });

  it('is accepted at its bounds', () => {
    write({
      jwksMaxAgeSeconds: 3600,
      publishedBeforeSigningSeconds: 3600 + KEY_POLL_SECONDS,
      signingLifetimeSeconds: 7220,
    });
    expect(problems()).toEqual([]);
    write({ jwksMaxAgeSeconds: 10, publishedBeforeSigningSeconds: 600, signingLifetimeSeconds: 3600 });
    expect(problems()).toEqual([]);
  });

  it('suggests the intended key, and has no key for the lifetime of an old signing key', () => {
    write({ signingLifetime: 1 });
    expect(problems()).toMatchObject([{ key: 'signingLifetime', nearest: 'signingLifetimeSeconds' }]);
    write({ retiringSeconds: 60 });
    expect(problems()).toMatchObject([{ key: 'retiringSeconds', found: 'an unknown key' }]);
  });

  it('without a number is rejected with the name of the missing key', () => {
    writeFileSync(join(folder, 'signing-keys.yaml'), 'algorithms: [ES256, RS256]\n');
    expect(problems().map((one) => one.key)).toEqual([
      'publishedBeforeSigningSeconds',
      'signingLifetimeSeconds',
      'jwksMaxAgeSeconds',
    ]);
  });

  it('reports a change, old and new', () => {
    const before = load();
    write({ jwksMaxAgeSeconds: 60 });
    expect(changesBetween(before, load())).toEqual([{ key: 'signingKeys.jwksMaxAgeSeconds', from: 300, to: 60 }]);
  });

  it('never ends a key before its last token: of an hour, signed a poll after the handover', () => {
    write({ jwksMaxAgeSeconds: 10, publishedBeforeSigningSeconds: 600, signingLifetimeSeconds: 3600 });
    expect(keyLifetimes(load().signingKeys).retiringSeconds).toBeGreaterThan(3600 + KEY_POLL_SECONDS + 60);
  });
});
