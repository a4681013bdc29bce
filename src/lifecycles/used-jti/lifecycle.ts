/**
 * The single use of a signed proof. The first decision takes the proof for unused and asks no database. Where another
 * request was faster, the insert finds its row. The second decision is then the right one.
 */
import type { UsedJtiEvent, UsedJtiRejectReason } from '../../../machines/used-jti/facts.ts';
import { usedJtiMachine } from '../../../machines/used-jti/machine.ts';
import { type Commit, type CommitStore, insert } from '../../engine/commit.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import type { Lifecycle } from '../../engine/lifecycle.ts';
import { type Request, run, type Sleeping } from '../../engine/run.ts';
import { rejectionIn } from '../../engine/step.ts';
import { USED_JTIS, type UsedJti } from './entity.ts';

/** `used`: null while it is unused. */
export type LoadedJti = { readonly now: Date; readonly hash: string; readonly used: UsedJti | null };
type JtiRow = Pick<LoadedJti, 'hash' | 'used'>;
type JtiFacts = { readonly now: Date; readonly endsAt: Date };

export type UsedJtiStore = {
  readonly load: (hash: string) => Promise<LoadedJti>;
  readonly commit: CommitStore;
};

export const usedJtiLifecycle: Lifecycle<JtiRow, JtiFacts, Commit> = {
  machine: usedJtiMachine,
  stateOf: ({ used }) => (used === null ? 'unused' : 'used'),
  contextOf: () => ({}),
  answers: { presented: ['accept', 'reject'] },
  changes: {
    recordJti: ({ hash }, { now, endsAt }) => ({ hash, used: { hash, usedAt: now, endsAt } }),
  },
  // The ledger has the decision that the proof is for.
  notAudited: 'everything',
  commitOf: ({ after: { hash, used } }, { now }, entries) => {
    if (used === null) throw new InvariantViolation('usedJti: a commit without a use');
    return { now, requires: [], writes: [insert(USED_JTIS, used, [{ hash }])], entries };
  },
};

/** The times that the proof has. */
export type PresentedProof = { readonly endsAt: Date; readonly beginsAt: Date | null };
export type ProofAnswer =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly reason: UsedJtiRejectReason };

export const presentJtiRequest = ({
  endsAt,
  beginsAt,
}: PresentedProof): Request<LoadedJti, JtiRow, JtiFacts, Commit, ProofAnswer> => ({
  lifecycle: usedJtiLifecycle,
  read: ({ now, hash, used }) => {
    const event: UsedJtiEvent = {
      type: 'presented',
      now: now.getTime(),
      endsAt: endsAt.getTime(),
      beginsAt: beginsAt?.getTime() ?? null,
    };
    return { row: { hash, used }, facts: { now, endsAt }, event };
  },
  answer: (step) => rejectionIn<UsedJtiRejectReason>(step) ?? { kind: 'accepted' },
});

export type UsedJtiPorts = Sleeping & { readonly usedJtis: UsedJtiStore };

/** @param now of the database, from another load of the same request. @throws Unavailable */
export const presentJti = (
  { usedJtis, sleep }: UsedJtiPorts,
  hash: string,
  now: Date,
  proof: PresentedProof,
): Promise<ProofAnswer> =>
  run({ load: () => usedJtis.load(hash), commit: usedJtis.commit, sleep }, presentJtiRequest(proof), {
    now,
    hash,
    used: null,
  });
