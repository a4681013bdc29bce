/** ledger.yaml: for how long the ledger is kept. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changesBetween } from '../../../src/config/changes.ts';
import { loadConfiguration } from '../../../src/config/load.ts';

const SHIPPED = new URL('../../../policies', import.meta.url).pathname;

describe('ledger.yaml', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-ledger-'));
    cpSync(SHIPPED, folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const load = (text?: string) => {
    if (text !== undefined) writeFileSync(join(folder, 'ledger.yaml'), text);
    return loadConfiguration(folder, 'https://as.test');
  };

  it('may be omitted, and reports each change', () => {
    const before = load();
    expect(before.ledger).toEqual({ keptDays: 90 });
    expect(changesBetween(before, load('keptDays: 365'))).toEqual([{ key: 'ledger.keptDays', from: 90, to: 365 }]);
  });

  it.each(['keptDays: 29', 'keptDays: 3661', 'keptDays: for ever', 'keptMonths: 3'])('rejects "%s"', (text) => {
    expect(() => load(text)).toThrow(/ledger\.yaml:1/);
  });
});
