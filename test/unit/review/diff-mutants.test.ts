/** `statehouse diff` beside each machine with one change. */
import { expect, it } from 'vitest';
import { readMachine } from '../../../src/catalogue/read.ts';
import { machineChanges } from '../../../src/review/diff/machine-changes.ts';
import { subjects } from '../machines/catalogue.ts';
import { mutantsOf } from '../machines/mutants.ts';

it.each(subjects)('statehouse diff names the difference in each mutant of $name', (subject) => {
  const unseen = mutantsOf(subject).filter(
    (mutant) => machineChanges([subject.machine], [readMachine(mutant.config)]).length === 0,
  );
  expect(unseen.map(({ what }) => what)).toEqual([]);
});
