/** A recovery code: used once, or replaced by newer codes. */

import type { RecoveryCodeEvent, RecoveryCodeRejectReason } from '../../../machines/recovery-code/facts.ts';
import { recoveryCodeMachine } from '../../../machines/recovery-code/machine.ts';
import { type Commit, type CommitStore, update } from '../../engine/commit.ts';
import type { Lifecycle } from '../../engine/lifecycle.ts';
import { type Request, run, type Sleeping, stillThere } from '../../engine/run.ts';
import type { Actor } from '../../model/actor.ts';
import type { Bytes } from '../../model/grant.ts';
import { endUserOf } from '../../model/user.ts';
import type { FactorSurroundings } from '../second-factor/entity.ts';
import { type FactorAnswer, factorAnswer } from '../second-factor/lifecycle.ts';
import { RECOVERY_CODES, type RecoveryCode } from './entity.ts';

export type RecoveryCodeFacts = Pick<FactorSurroundings, 'user'> & {
  readonly now: Date;
  readonly actor?: Actor | undefined;
};

export type LoadedRecoveryCode = Pick<FactorSurroundings, 'user'> & {
  readonly now: Date;
  readonly code: RecoveryCode;
};

export type NewRecoveryCode = { readonly id: string; readonly hash: Bytes };

export type RecoveryCodeStore = {
  /** @param hashes of the sent code, under each root secret. Null: not a code of this end-user. */
  readonly find: (userId: string, hashes: readonly Bytes[]) => Promise<LoadedRecoveryCode | null>;
  readonly load: (userId: string, id: string) => Promise<LoadedRecoveryCode | null>;
  /** The ids of the codes that are active. */
  readonly active: (userId: string) => Promise<readonly string[]>;
  /** False: there are active codes, and nothing is stored. */
  readonly insert: (userId: string, codes: readonly NewRecoveryCode[]) => Promise<boolean>;
  readonly commit: CommitStore;
};

export const recoveryCodeLifecycle: Lifecycle<RecoveryCode, RecoveryCodeFacts, Commit> = {
  machine: recoveryCodeMachine,
  stateOf: ({ state }) => state,
  contextOf: (_, { user }) => ({ user: endUserOf(user) }),
  answers: { presented: ['accept', 'reject'] },
  changes: {
    spendCode: (code, { now }) => ({ ...code, state: 'used', endedAt: now }),
    replaceCode: (code, { now }) => ({ ...code, state: 'replaced', endedAt: now }),
  },
  ledgerFacts: ({ userId }, { actor }) => ({ userId, ...(actor && { actor }) }),
  commitOf: ({ before, after }, { now }, entries) => ({
    now,
    requires: [],
    writes: [update(RECOVERY_CODES, before, after, ['state'])],
    entries,
  }),
};

type Answer = FactorAnswer<RecoveryCodeRejectReason>;

export const recoveryCodeRequest = (
  type: RecoveryCodeEvent['type'],
  actor?: Actor,
): Request<LoadedRecoveryCode, RecoveryCode, RecoveryCodeFacts, Commit, Answer> => ({
  lifecycle: recoveryCodeLifecycle,
  read: ({ now, code, user }) => ({ row: code, facts: { now, user, actor }, event: { type } }),
  answer: factorAnswer,
});

export type RecoveryCodePorts = Sleeping & {
  readonly recoveryCodes: RecoveryCodeStore;
};

/** @param actor of the request, where it is not the end-user. @throws Unavailable, StoreUnavailable */
export function askRecoveryCode(
  { recoveryCodes, sleep }: RecoveryCodePorts,
  first: LoadedRecoveryCode,
  type: RecoveryCodeEvent['type'],
  actor?: Actor,
): Promise<Answer> {
  const { userId, id } = first.code;
  const load = stillThere(() => recoveryCodes.load(userId, id), recoveryCodeMachine.id);
  return run({ load, commit: recoveryCodes.commit, sleep }, recoveryCodeRequest(type, actor), first);
}
