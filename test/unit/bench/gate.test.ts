/** The comparison of two versions in one run of the bench. */
import { describe, expect, it } from 'vitest';
import { gateOf } from '../../bench/gate.ts';
import { withFigures } from '../../bench/write.ts';

const measured = (server: string, serverCpu: number, postgresCpu: number | null = 1) => ({
  scenario: 'rotation',
  inFlight: 8,
  server,
  figures: { serverCpu, postgresCpu, perSecond: 1, p50: 1, p95: 1, p99: 1 },
});
const started = (server: string, cpuSeconds: number, idle: number) => ({
  server,
  cpuSeconds,
  memory: { idle, after: 200 },
});

describe('the gate', () => {
  it('passes a version that costs up to 8 % more than the other, and ignores other servers', () => {
    const all = [measured('statehouse', 1.08), measured('beside', 1), measured('floor', 0.1)];
    const { isPassed, table } = gateOf(all, [started('statehouse', 1, 100), started('beside', 1, 100)]);
    expect(isPassed).toBe(true);
    expect(table.join('\n')).toMatch(
      /rotation, 8 in flight, CPU ms of server +\| +1\.080 +\| +1\.000 +\| +1\.08 ≤ 1\.08/,
    );
  });

  it.each([
    ['the server', [measured('statehouse', 1.09), measured('beside', 1)], []],
    ['Postgres', [measured('statehouse', 1, 1.09), measured('beside', 1, 1)], []],
    ['the start', [], [started('statehouse', 1.09, 100), started('beside', 1, 100)]],
    ['the memory', [], [started('statehouse', 1, 109), started('beside', 1, 100)]],
  ])('fails a version that costs more in %s', (_, all, starts) => {
    const { isPassed, table } = gateOf(all, starts);
    expect(isPassed).toBe(false);
    expect(table.join('\n')).toContain('1.09 > 1.08');
  });

  it('rejects a run without rows of both versions', () => {
    expect(() => gateOf([measured('statehouse', 1)], [])).toThrow('there is no row');
  });
});

describe('the figures in the document', () => {
  it('replace those between the two marks', () => {
    const text = 'before\n<!-- npm run bench -- --write -->\n\nold\n\n<!-- end -->\nafter';
    expect(withFigures(text, 'new')).toBe(text.replace('old', 'new'));
    const two = `${text}\n<!-- another -->\nold, too\n<!-- end -->`;
    expect(withFigures(two, 'new', 'another')).toBe(two.replace('\nold, too\n', '\n\nnew\n\n'));
    expect(() => withFigures('no marks', 'new')).toThrow('expected "<!-- npm run bench -- --write -->"');
  });
});
