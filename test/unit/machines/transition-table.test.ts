import { expect, test } from 'vitest';
import { allAnswers, guardsAsked, statesOf } from './answers.ts';
import { subjects } from './catalogue.ts';
import { transitionTable } from './transition-table.ts';

test('the transition table is the one that was reviewed', async () => {
  await expect(transitionTable(subjects)).toMatchFileSnapshot('./transition-table.md');
});

test.each(subjects)('every combination of guard outcomes of $name was evaluated', (subject) => {
  const { machine, events } = subject;
  const pairs = statesOf(machine).flatMap((state) => events.map((event) => [state, event] as const));
  const expected = pairs.reduce((sum, [state, event]) => sum + 2 ** guardsAsked(machine, state, event).length, 0);
  const answers = allAnswers(subject).flat();
  expect(new Set(answers.map((one) => JSON.stringify([one.state, one.event, one.outcomes]))).size).toBe(expected);
});
