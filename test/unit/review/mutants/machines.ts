/** The machines of the chain, each with one thing changed (test/unit/machines/mutants.ts), put before the engine. */
import { createMachine } from 'xstate';
import { effects } from '../../../../machines/vocabulary.ts';
import type { System } from '../../../../src/review/proof/system.ts';
import { authorizationCode, type Config, grant, refreshToken, type Subject } from '../../machines/catalogue.ts';
import { caseOf, lawsOf } from '../../machines/laws.ts';
import { mutantsOf } from '../../machines/mutants.ts';
import type { Mutant } from './mutant.ts';

/** What a slip of the hand does most easily; the other kinds are for the laws (test/unit/machines/mutation.test.ts). */
const KINDS = ['arm deleted', 'guard dropped', 'target redirected', 'action dropped', 'arms swapped'];

const MACHINES = { authorizationCode, refreshToken, grant } as const;

export const machineMutants: readonly Mutant[] = Object.entries(MACHINES).flatMap(([key, subject]) =>
  mutantsOf(subject)
    .filter(({ kind }) => KINDS.includes(kind))
    .map(({ what, config }) => ({
      what: `${key}: ${what}`,
      part: 'machine' as const,
      alsoSeenBy: () => lawBrokenBy(subject, config),
      systemOf: (right: System) => ({ ...right, machines: { ...right.machines, [key]: machineOf(subject, config) } }),
    })),
);

export const machineOf = (subject: Subject, config: Config) =>
  createMachine(config as unknown as Parameters<typeof createMachine>[0]).provide({
    guards: subject.guards as never,
    actions: effects as never,
  });

/** Laws say which answer each event gets; an invariant sees only what comes of it. */
function lawBrokenBy(subject: Subject, config: Config): string | null {
  const tested = caseOf(subject, config);
  return lawsOf(subject).find((law) => law.broken(tested).length > 0)?.name ?? null;
}
