/** The machines of the chain, each with one change (test/unit/machines/mutants.ts), in front of the engine. */
import { createMachine } from 'xstate';
import type { administration } from '../../../../src/lifecycles/client/walk/walk.ts';
import type { clientDocuments } from '../../../../src/lifecycles/client-document/walk.ts';
import type { clientRegistrations } from '../../../../src/lifecycles/client-registration/walk.ts';
import type { emailChallenges } from '../../../../src/lifecycles/email-challenge/walk/walk.ts';
import type { externalSignIns } from '../../../../src/lifecycles/external-sign-in/walk/walk.ts';
import type { signIns } from '../../../../src/lifecycles/interaction/walk/walk.ts';
import type { mails } from '../../../../src/lifecycles/mail/walk.ts';
import type { operatorSetUps } from '../../../../src/lifecycles/operator-set-up/walk.ts';
import type { pushedRequests } from '../../../../src/lifecycles/pushed-request/walk.ts';
import type { factors } from '../../../../src/lifecycles/second-factor/walk/walk.ts';
import type { signInCodes } from '../../../../src/lifecycles/sign-in-code/walk/walk.ts';
import type { signingKeys } from '../../../../src/lifecycles/signing-key/walk/walk.ts';
import type { trustedBrowsers } from '../../../../src/lifecycles/trusted-browser/walk.ts';
import type { usedJtis } from '../../../../src/lifecycles/used-jti/walk.ts';
import type { webhookDeliveries } from '../../../../src/lifecycles/webhook-delivery/walk.ts';
import type { AnyWalk } from '../../../../src/review/proof/walk.ts';
import { effects } from '../../../support/effects.ts';
import {
  authorizationCode,
  type Config,
  client,
  clientDocument,
  clientRegistration,
  copyOf,
  emailChallenge,
  externalSignIn,
  grant,
  interaction,
  linkedIdentity,
  mail,
  operatorSetUp,
  passkey,
  pushedRequest,
  recoveryCode,
  refreshToken,
  type Subject,
  secondFactor,
  signInCode,
  signingKey,
  subjects,
  trustedBrowser,
  usedJti,
  user,
  webhookDelivery,
} from '../../machines/catalogue.ts';
import { caseOf, lawsOf } from '../../machines/laws.ts';
import { mutantsOf } from '../../machines/mutants.ts';
import { type Mutant, withMachine } from './mutant.ts';

/** The easiest slips; the other kinds are for the laws (test/unit/machines/mutation.test.ts). */
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
export const factorMachineMutants = mutantsOfAll<typeof factors>([secondFactor, recoveryCode, passkey]);
export const externalMachineMutants = mutantsOfAll<typeof externalSignIns>([externalSignIn, linkedIdentity]);
export const codeMachineMutants = mutantsOfAll<typeof signInCodes>([signInCode]);
export const jtiMachineMutants = mutantsOfAll<typeof usedJtis>([usedJti]);
export const setUpMachineMutants = mutantsOfAll<typeof operatorSetUps>([operatorSetUp]);
export const registrationMachineMutants = mutantsOfAll<typeof clientRegistrations>([clientRegistration]);
export const documentMachineMutants = mutantsOfAll<typeof clientDocuments>([clientDocument]);
export const pushedMachineMutants = mutantsOfAll<typeof pushedRequests>([pushedRequest]);
export const keyMachineMutants: readonly Mutant<typeof signingKeys>[] = mutantsOfAll([signingKey]);

/** The next arm rejects for the same reason. */
const SAME_ANSWER = 'user: disabled.passwordChangeRequested[1]: deleted';

export const administrationMachineMutants: readonly Mutant<typeof administration>[] = mutantsOfAll<
  typeof administration
>([client, user]).map((mutant) =>
  mutant.what === SAME_ANSWER
    ? { ...mutant, survives: 'the answer is the same; the transition table sees the other description' }
    : mutant,
);

export const trustMachineMutants: readonly Mutant<typeof trustedBrowsers>[] = mutantsOfAll([trustedBrowser]);

export const linkMachineMutants: readonly Mutant<typeof emailChallenges>[] = mutantsOfAll([emailChallenge]);

export const deliveryMachineMutants: readonly Mutant<typeof webhookDeliveries>[] = mutantsOfAll([webhookDelivery]);

export const mailMachineMutants: readonly Mutant<typeof mails>[] = mutantsOfAll([mail]);

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
