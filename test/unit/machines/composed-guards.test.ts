/** Machines whose guards are composed with `and`, `or` and `not` are evaluated, tabled and changed like any other. */
import { expect, test } from 'vitest';
import { and, not, or, setup } from 'xstate';
import type { Meta } from '../../../machines/shared/arm.ts';
import { readMachine } from '../../../src/catalogue/read.ts';
import { effects } from '../../support/effects.ts';
import { allAnswers } from './answers.ts';
import type { Config, Subject } from './catalogue.ts';
import { caseOf, lawsOf } from './laws.ts';
import { mutantsOf } from './mutants.ts';
import { transitionTable } from './transition-table.ts';

const guards = { late: () => true, right: () => true, olderThan: (_: unknown, { days }: { days: number }) => days > 1 };
const cited = { description: 'As the test says.', meta: { spec: 'RFC 6749' } } as const;

const { config } = setup({
  types: { events: {} as { type: 'presented' }, meta: {} as Meta },
  guards,
  actions: effects,
}).createMachine({
  id: 'composed',
  initial: 'active',
  states: {
    active: {
      ...cited,
      on: {
        presented: [
          { ...cited, guard: and(['right', not('late')]), target: 'used', actions: 'askSignIn' },
          { ...cited, guard: or([{ type: 'olderThan', params: { days: 30 } }, 'late']), actions: 'askConsent' },
          { ...cited, actions: 'askAccount' },
        ],
      },
    },
    used: { ...cited, on: { presented: cited } },
  },
});

const subject: Subject = {
  name: 'composed',
  config: config as unknown as Config,
  machine: readMachine(config),
  events: ['presented'],
  guards,
};

test('every combination of outcomes of the predicates is evaluated, and XState composes them', () => {
  const here = allAnswers(subject)
    .flat()
    .filter(({ state }) => state === 'active');
  expect(here).toHaveLength(8);
  for (const { outcomes, effects } of here) {
    const { right, late, 'olderThan(30)': old } = outcomes;
    expect(effects).toEqual([right && !late ? 'askSignIn' : old || late ? 'askConsent' : 'askAccount']);
  }
});

test('no law for all machines is broken, and the table has a column for each predicate', () => {
  const tested = caseOf(subject, subject.config);
  expect(lawsOf(subject).flatMap((law) => law.broken(tested))).toEqual([]);
  expect(transitionTable([subject])).toContain('| right | late | olderThan(30) | next |');
});

test('a mutant keeps the guards that it does not change, and is detected', () => {
  const mutants = mutantsOf(subject);
  const table = transitionTable([subject]);
  const kinds = ['arm deleted', 'guard dropped', 'target redirected', 'arms swapped'];
  const some = mutants.filter(({ kind }) => kinds.includes(kind));
  expect(some.length).toBeGreaterThan(8);
  expect(some.filter((one) => transitionTable([{ ...subject, machine: readMachine(one.config) }]) === table)).toEqual(
    [],
  );
  const kept = mutants.find(({ what }) => what === 'active.presented[3]: deleted');
  expect(readMachine(kept?.config).states[0]?.arms.map(({ guard }) => guard)).toEqual([
    'right and not late',
    'olderThan(30) or late',
  ]);
});
