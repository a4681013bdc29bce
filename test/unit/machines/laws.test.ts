import { describe, expect, test } from 'vitest';
import { subjects } from './catalogue.ts';
import { caseOf, lawsOf } from './laws.ts';

describe.each(subjects)('$name', (subject) => {
  const tested = caseOf(subject, subject.config);

  test.each(lawsOf(subject))('$name', (law) => {
    expect(law.broken(tested)).toEqual([]);
  });
});
