/**
 * The seals of a ledger outlive an upgrade, and the nodes of two versions read each other's seals. `stored/version-1.jsonl` is an export
 * by an earlier version, under the root secret of the tests. A test here that fails means that the server would call stored seals forged.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sealKeys } from '../../../src/crypto/ledger-seal.ts';
import { verifyExport } from '../../../src/ledger/export.ts';
import { readStatement, textOf } from '../../../src/ledger/segment.ts';
import { testKeys } from '../../support/macs.ts';

const LINES = readFileSync(new URL('stored/version-1.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const SEALS = LINES.flatMap((line) => {
  const { seal } = JSON.parse(line) as { seal?: string };
  return seal === undefined ? [] : [seal];
});
const verified = (lines: readonly string[]) =>
  verifyExport(
    (async function* () {
      yield* lines;
    })(),
    sealKeys(testKeys),
    { head: null, now: new Date('2036-01-01') },
  );

describe('an export of an earlier version', () => {
  it('is verified: only segment 2, which its writer left out, is missing', async () => {
    const problems = [{ problem: 'segment_removed', segment: 2 }];
    expect(await verified(LINES)).toMatchObject({ problems, segments: 2 });
  });

  it('is rejected when an entry is changed', async () => {
    const changed = LINES.map((line, index) => (index === 2 ? line.replace('refresh-token', 'refresh-tokem') : line));
    expect((await verified(changed)).problems).toContainEqual(expect.objectContaining({ problem: 'line_changed' }));
  });

  it('has statements that this version would sign with the same octets', () => {
    expect(SEALS).toHaveLength(2);
    for (const seal of SEALS) {
      const statement = readStatement({ statement: seal });
      expect(statement && textOf(statement)).toBe(seal);
    }
  });
});
