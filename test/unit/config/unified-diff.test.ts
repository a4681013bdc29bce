/** The patch of a draft: git takes it, and makes the draft of the file. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../../src/config/unified-diff.ts';

const FILE = 'default.policy.yaml';

function applied(old: string | null, patch: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-patch-'));
  try {
    if (old !== null) writeFileSync(join(folder, FILE), old);
    execFileSync('git', ['apply', '--unidiff-zero', '-'], {
      cwd: folder,
      input: patch,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    return readFileSync(join(folder, FILE), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Few different lines, so that many are common. */
const texts = fc
  .tuple(fc.array(fc.constantFrom('a: 1', 'b: 2', '# c', '', '- d'), { maxLength: 25 }), fc.boolean())
  .map(([lines, ends]) => lines.join('\n') + (ends && lines.length > 0 ? '\n' : ''));

describe('the patch of a draft', () => {
  it('makes the draft of the file, whatever both are', () => {
    fc.assert(
      fc.property(texts, texts, (old, fresh) => {
        fc.pre(old !== fresh && old !== '' && fresh !== '');
        expect(applied(old, unifiedDiff(FILE, old, fresh))).toBe(fresh);
      }),
      { numRuns: 60 },
    );
  });

  it('makes a new file', () => {
    const patch = unifiedDiff(FILE, null, 'a: 1\nb: 2\n');
    expect(patch).toBe(`--- /dev/null\n+++ b/${FILE}\n@@ -0,0 +1,2 @@\n+a: 1\n+b: 2\n`);
    expect(applied(null, patch)).toBe('a: 1\nb: 2\n');
  });

  it('has three lines of context, and is empty where nothing differs', () => {
    const lines = Array.from({ length: 12 }, (_, n) => `k${n}: ${n}\n`);
    const patch = unifiedDiff(FILE, lines.join(''), lines.with(6, 'k6: 60\n').join(''));
    expect(patch.split('\n').slice(2)).toEqual([
      '@@ -4,7 +4,7 @@',
      ' k3: 3',
      ' k4: 4',
      ' k5: 5',
      '-k6: 6',
      '+k6: 60',
      ' k7: 7',
      ' k8: 8',
      ' k9: 9',
      '',
    ]);
    expect(unifiedDiff(FILE, 'a\n', 'a\n')).toBe('');
  });
});
