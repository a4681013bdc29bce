/** An event has the fields that it has: the compiler holds machines, guards and events together (machines/shared/events.ts). */
import { describe, expect, test } from 'vitest';
import { compilerErrors, machineSources } from './guard-bodies.ts';

const PATH = 'machines/second-factor/machine.ts';
const sources = machineSources();
const { [PATH]: machine = '' } = sources;

const errorsWith = (right: string, wrong: string): readonly string[] => {
  expect(machine.split(right).length).toBeGreaterThan(1);
  return compilerErrors({ ...sources, [PATH]: machine.replace(right, () => wrong) }, PATH);
};

describe('the compiler', () => {
  test('accepts the unchanged machine', () => {
    expect(compilerErrors(sources, PATH)).toEqual([]);
  });

  test('rejects a guard at an event without the facts of the guard', () => {
    expect(errorsWith('lost: removeLost', "lost: { guard: 'codeDiffers', description: 'no code was sent' }")).toEqual([
      expect.stringContaining('\'"codeDiffers"\' is not assignable'),
    ]);
  });

  test('rejects a state that leaves an event without an answer', () => {
    expect(errorsWith('lost: removeLost,', '')).toEqual([expect.stringContaining("'lost' is missing")]);
  });

  test('rejects an effect of another machine', () => {
    expect(errorsWith("'activateFactor'", "'eraseUser'").length).toBeGreaterThan(0);
  });

  test('rejects a reason of another machine', () => {
    expect(errorsWith("reject('code_mismatch')", "reject('refresh_token_reused')").length).toBeGreaterThan(0);
  });
});
