/** The machines are data that the next version of XState decides in the same way. */
import { describe, expect, it } from 'vitest';
import { nextMachine } from '../../support/decide-with-next-xstate.ts';
import { allAnswers } from './answers.ts';
import { copyOf, refreshToken, subjects } from './catalogue.ts';

describe.each(subjects)('$name', (subject) => {
  it('gets the same target and the same effects from XState 6 in every state, at every event, for all outcomes of its guards', () => {
    const decide = nextMachine(subject.config);
    const answers = allAnswers(subject).flat();
    expect(answers.length).toBeGreaterThan(0);
    for (const { state, event, outcomes, next, effects } of answers) {
      expect({ state, event, outcomes, ...decide(state, event, outcomes) }).toEqual({
        state,
        event,
        outcomes,
        next,
        effects,
      });
    }
  });
});

it('sees an arm with another target', () => {
  const config = copyOf(refreshToken.config);
  const arm = [config.states['used']?.on['presented'] ?? []].flat().find(({ target }) => target === 'revoked');
  expect(arm).toBeDefined();
  if (arm) arm.target = 'active';
  const decide = nextMachine(config);
  const differing = allAnswers(refreshToken)
    .flat()
    .filter(({ state, event, outcomes, next }) => decide(state, event, outcomes).next !== next);
  expect(new Set(differing.map(({ state }) => state))).toEqual(new Set(['used']));
});
