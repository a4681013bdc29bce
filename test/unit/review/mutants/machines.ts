/** The machines of the chain, each with one thing changed (test/unit/machines/mutants.ts), put before the engine. */
import { createMachine } from 'xstate';
import { effects } from '../../../../machines/vocabulary.ts';
import type { administration } from '../../../../src/review/proof/administration/walk.ts';
import type { signIns } from '../../../../src/review/proof/sign-ins/walk.ts';
import type { signingKeys } from '../../../../src/review/proof/signing-keys/walk.ts';
import type { AnyWalk } from '../../../../src/review/proof/walk.ts';
import {
  authorizationCode,
  type Config,
  client,
  copyOf,
  grant,
  interaction,
  refreshToken,
  type Subject,
  signingKey,
  subjects,
  user,
} from '../../machines/catalogue.ts';
import { caseOf, lawsOf } from '../../machines/laws.ts';
import { mutantsOf } from '../../machines/mutants.ts';
import { type Mutant, withMachine } from './mutant.ts';

/** What a slip of the hand does most easily; the other kinds are for the laws (test/unit/machines/mutation.test.ts). */
const KINDS = ['arm deleted', 'guard dropped', 'target redirected', 'action dropped', 'arms swapped'];

const mutantsOfAll = <Right extends AnyWalk>(subjects: readonly Subject[]): readonly Mutant<Right>[] =>
  subjects.flatMap((subject) =>
    mutantsOf(subject)
      .filter(({ kind }) => KINDS.includes(kind))
      .map(({ what, config }) => ({
        what: `${subject.name}: ${what}`,
        part: 'machine' as const,
        alsoSeenBy: () => lawBrokenBy(subject, config),
        walkOf: (right: Right) => withMachine(right, subject.name, () => machineOf(subject, config)),
      })),
  );

export const machineMutants: readonly Mutant[] = mutantsOfAll([authorizationCode, refreshToken, grant]);
const session = subjects.filter(({ name }) => name === 'session');

/** The laws see it first; the proof has to see it too. */
const withoutEvent = (event: string): Mutant<typeof signIns>[] =>
  session.map((subject) => {
    const config = copyOf(subject.config);
    delete config.states['active']?.on[event];
    return {
      what: `session: active does not know ${event}`,
      part: 'machine',
      walkOf: (right) => withMachine(right, subject.name, () => machineOf(subject, config)),
    };
  });

export const signInMachineMutants: readonly Mutant<typeof signIns>[] = [
  ...mutantsOfAll<typeof signIns>([interaction, ...session]),
  ...withoutEvent('passwordChanged'),
];
export const keyMachineMutants: readonly Mutant<typeof signingKeys>[] = mutantsOfAll([signingKey]);

export const administrationMachineMutants: readonly Mutant<typeof administration>[] = mutantsOfAll([client, user]);

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
