/** limits.yaml: the capacity of a node. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changesBetween } from '../../../src/config/changes.ts';
import { loadConfiguration } from '../../../src/config/load.ts';

const SHIPPED = new URL('../../../policies', import.meta.url).pathname;

describe('limits.yaml', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-limits-'));
    cpSync(SHIPPED, folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const load = (text?: string) => {
    if (text !== undefined) writeFileSync(join(folder, 'limits.yaml'), text);
    return loadConfiguration(folder, 'https://as.test');
  };

  it('may be omitted, and each key has a default', () => {
    const usual = {
      requestsInProgress: 1000,
      pushedRequestsByClient: 1000,
      tokenRequestsPerSecondByClient: 20_000,
      tokenRequestsPerSecondByAddress: 20_000,
      managementRequestsPerMinute: 12_000,
    };
    expect(load().limits).toEqual(usual);
    expect(load('requestsInProgress: 50').limits).toEqual({ ...usual, requestsInProgress: 50 });
  });

  it.each([
    'requestsInProgress: 9',
    'requestsInProgress: many',
    'tokenRequestsPerSecondByClient: 0',
    'perSecond: 5',
    'managementRequestsPerMinute: 59',
  ])('rejects "%s"', (text) => {
    expect(() => load(text)).toThrow(/limits\.yaml:1/);
  });

  it('reports each change', () => {
    expect(changesBetween(load(), load('requestsInProgress: 50'))).toEqual([
      { key: 'limits.requestsInProgress', from: 1000, to: 50 },
    ]);
  });
});
