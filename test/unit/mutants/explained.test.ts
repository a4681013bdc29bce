/** A reason is about a line. When the line changes, the reason has to be read again. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { explained } from '../../mutants/explained.ts';

it.each([...new Set(explained.map(({ file }) => file))])('the explained mutants of %s exist', (file) => {
  const lines = new Set(
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim()),
  );
  const reasons = explained.filter((reason) => reason.file === file);
  expect(reasons.map(({ source }) => source).filter((source) => !lines.has(source))).toEqual([]);
});
