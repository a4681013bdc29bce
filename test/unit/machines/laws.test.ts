import { describe, expect, test } from 'vitest';
import { subjects } from './catalogue.ts';
import { NO_STANDARD_SAYS } from './laws/without-reference.ts';
import { caseOf, lawsOf } from './laws.ts';

describe.each(subjects)('$name', (subject) => {
  const tested = caseOf(subject, subject.config);

  test.each(lawsOf(subject))('$name', (law) => {
    expect(law.broken(tested)).toEqual([]);
  });

  test('each answer that is listed without a reference exists, and has none', () => {
    const said = subject.machine.states.flatMap((state) => [state, ...state.arms]);
    const without = new Set(said.filter(({ spec }) => spec === '').map(({ description }) => description));
    expect((NO_STANDARD_SAYS[subject.name] ?? []).filter((description) => !without.has(description))).toEqual([]);
  });
});
