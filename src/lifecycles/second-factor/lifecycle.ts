/** The authenticator app of an end-user: its set-up, each code of it, and its removal. */

import type { SecondFactorContext, SecondFactorEvent } from '../../../machines/second-factor/facts.ts';
import { secondFactorMachine } from '../../../machines/second-factor/machine.ts';
import type { FactorRejectReason } from '../../../machines/shared/facts.ts';
import type { RejectReason } from '../../../machines/unions.ts';
import { type Commit, type CommitStore, update } from '../../engine/commit.ts';
import type { Lifecycle, Step } from '../../engine/lifecycle.ts';
import { type Request, runFound, type Sleeping } from '../../engine/run.ts';
import { rejectionIn } from '../../engine/step.ts';
import type { Actor } from '../../model/actor.ts';
import { endUserOf } from '../../model/user.ts';
import { ofUser, otherFactors } from '../other-factors.ts';
import { type FactorSurroundings, SECOND_FACTORS, type SecondFactor, setUpEndsAt } from './entity.ts';

export type SecondFactorFacts = FactorSurroundings & {
  readonly now: Date;
  /** The policy demands a second factor of this end-user. */
  readonly isDemanded: boolean;
  /** The time step whose code was sent; null: that of no step in the window, or no code is needed. */
  readonly step: number | null;
  /** The secret, sealed under the newest root secret; null: it is. */
  readonly resealed: string | null;
  readonly byPasswordAlone: boolean;
  readonly actor?: Actor | undefined;
};

export type LoadedSecondFactor = FactorSurroundings & { readonly now: Date; readonly factor: SecondFactor };

export type SecondFactorStore = {
  /** Null: not a factor of this end-user. */
  readonly load: (userId: string, id: string) => Promise<LoadedSecondFactor | null>;
  readonly commit: CommitStore;
};

export const secondFactorLifecycle: Lifecycle<SecondFactor, SecondFactorFacts, Commit> = {
  machine: secondFactorMachine,
  stateOf: ({ state }) => state,
  contextOf: (factor, { isDemanded, hasAnother, user }): SecondFactorContext => ({
    setUpEndsAt: setUpEndsAt(factor),
    lastStep: factor.lastStep,
    isDemanded,
    hasAnother,
    user: endUserOf(user),
  }),
  answers: { confirmed: ['accept', 'reject'], presented: ['accept', 'reject'] },
  changes: {
    activateFactor: (factor, { now }) => ({ ...factor, state: 'active', confirmedAt: now }),
    recordStep: (factor, { step, resealed }) => ({
      ...factor,
      lastStep: step,
      sealedSecret: resealed ?? factor.sealedSecret,
    }),
    removeFactor: (factor, { now }) => ({ ...factor, state: 'removed', sealedSecret: null, removedAt: now }),
  },
  notAudited: ['recordStep'],
  ledgerFacts: ({ userId }, { actor }) => ({ userId, ...(actor && { actor }) }),
  commitOf: ({ before, after }, { now, isDemanded, byPasswordAlone, actor }, entries) => {
    const removes = after.state === 'removed' && before.state === 'active';
    const adds = after.state === 'active' && before.state === 'unconfirmed';
    const others = removes && isDemanded && !actor ? 'some' : adds && byPasswordAlone ? 'none' : 'any';
    return {
      now,
      ...(others !== 'any' && { inTurn: ofUser(before) }),
      requires: otherFactors(others, before),
      writes: [update(SECOND_FACTORS, before, after, ['state', 'lastStep'])],
      entries,
    };
  },
};

export type FactorAnswer<Reason extends RejectReason = FactorRejectReason> =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly reason: Reason };

/** The answer of a factor's machine to a request that it accepts or rejects; an event without an answer was carried out. */
export const factorAnswer = <Reason extends RejectReason>(
  step: Pick<Step<unknown>, 'decisions'>,
): FactorAnswer<Reason> => rejectionIn<Reason>(step) ?? { kind: 'accepted' };

export type SecondFactorAsked = {
  readonly type: SecondFactorEvent['type'];
  /** Of the code that was sent, under the secret as it was loaded; null: it is of no step. @param now of the load. */
  readonly stepOf?: (factor: SecondFactor, now: Date) => number | null;
  readonly reseal?: (factor: SecondFactor) => string | null;
  readonly isDemanded?: boolean;
  readonly byPasswordAlone?: boolean;
  readonly actor?: Actor | undefined;
};

const eventOf = (
  type: SecondFactorEvent['type'],
  now: Date,
  step: number | null,
  byPasswordAlone: boolean,
): SecondFactorEvent => {
  if (type === 'confirmed') return { type, now: now.getTime(), step, byPasswordAlone };
  if (type === 'presented') return { type, step };
  return type === 'removalRequested' ? { type, byPasswordAlone } : { type };
};

export const secondFactorRequest = ({
  type,
  stepOf = () => null,
  reseal = () => null,
  isDemanded = false,
  byPasswordAlone = false,
  actor,
}: SecondFactorAsked): Request<LoadedSecondFactor, SecondFactor, SecondFactorFacts, Commit, FactorAnswer> => ({
  lifecycle: secondFactorLifecycle,
  read: ({ now, factor, user, hasAnother }) => {
    const step = factor.state === 'removed' ? null : stepOf(factor, now);
    return {
      row: factor,
      facts: { now, user, hasAnother, isDemanded, step, resealed: reseal(factor), byPasswordAlone, actor },
      event: eventOf(type, now, step, byPasswordAlone),
    };
  },
  answer: factorAnswer,
});

export type SecondFactorPorts = Sleeping & {
  readonly secondFactors: SecondFactorStore;
};

/** @param loaded absent: it is loaded. @returns null: not a factor of this end-user. @throws Unavailable, StoreUnavailable */
export const askSecondFactor = (
  { secondFactors, sleep }: SecondFactorPorts,
  { userId, id }: Pick<SecondFactor, 'userId' | 'id'>,
  asked: SecondFactorAsked,
  loaded?: LoadedSecondFactor,
): Promise<FactorAnswer | null> => {
  const ports = { load: () => secondFactors.load(userId, id), commit: secondFactors.commit, sleep };
  return runFound(ports, secondFactorRequest(asked), loaded);
};
