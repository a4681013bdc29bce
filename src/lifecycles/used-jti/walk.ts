/** The walk of single use: one proof at several nodes, by its sender and by a thief, while housekeeping forgets what has expired. */
import { BOUNDS } from '../../../machines/used-jti/guards.ts';
import type { Commit } from '../../engine/commit.ts';
import { askingFor, defineWalk, initialState } from '../../review/proof/define-walk.ts';
import { after } from '../../review/proof/instants.ts';
import { everythingIsAnswered } from '../../review/proof/invariants.ts';
import type { ModelState } from '../../review/proof/moment.ts';
import { isAcceptedAlone } from '../../review/proof/moves.ts';
import type { UsedJti } from './entity.ts';
import { type LoadedJti, type PresentedProof, type ProofAnswer, presentJtiRequest } from './lifecycle.ts';

/** `hash` names the proof; each has its own times. */
type Asked = { readonly kind: 'present'; readonly hash: string };
type Stored = { readonly usedJtis: readonly UsedJti[] };
type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded: LoadedJti;
  readonly commit: Commit;
  readonly answer: ProofAnswer;
  /** The proofs that a request was accepted with, one by one. */
  readonly known: { readonly accepted: readonly string[] };
};

const longest = BOUNDS.longestMilliseconds / 1000;
const future = BOUNDS.futureMilliseconds / 1000;

/** Over at the first tick of the clock, at the last instant that counts, a second beyond it, and without a beginning. */
const PROOFS: Readonly<Record<string, PresentedProof>> = {
  'the proof': { endsAt: after(30), beginsAt: after(0) },
  'a long proof': { endsAt: after(longest), beginsAt: after(future) },
  'a proof that lives too long': { endsAt: after(longest + 1), beginsAt: null },
  'a proof from the future': { endsAt: after(90), beginsAt: after(future + 1) },
  'an expired proof': { endsAt: after(0), beginsAt: null },
};
const timesOf = (hash: string): PresentedProof => {
  const proof = PROOFS[hash];
  if (proof === undefined) throw new Error(`There is no ${hash}.`);
  return proof;
};
const REQUESTS = Object.keys(PROOFS).map((hash): Asked => ({ kind: 'present', hash }));

/** An hour after the end of the proof, no request that loaded before the end is on its way (src/system/deadlines.ts). */
const isForgotten = ({ hash, endsAt }: UsedJti, { now, flights, delayed }: ModelState<Terms>): boolean =>
  endsAt.getTime() < now && ![...flights, ...delayed].some(({ asked }) => asked.hash === hash);
const used = (hash: string): UsedJti => ({ hash, usedAt: after(-1), endsAt: timesOf(hash).endsAt });

/** Derived from the times, not by the machine under test. */
function isInTime(hash: string, now: number): boolean {
  const { endsAt, beginsAt } = timesOf(hash);
  const left = endsAt.getTime() - now;
  const begins = (beginsAt?.getTime() ?? now) - now;
  return left > 0 && left <= longest * 1000 && begins <= future * 1000;
}

export const usedJtis = defineWalk<Terms>({
  name: 'used-jtis',
  of: 'proofs that are used once',
  machines: ['usedJti'],
  spec: 'RFC 7523 §3',
  bounds: [{ requests: 3, inFlight: 3, faults: 1 }],
  initialStates: [
    initialState<Terms>('No proof was used', { usedJtis: [] }, { accepted: [] }),
    initialState<Terms>('The proof was used', { usedJtis: [used('the proof')] }, { accepted: ['the proof'] }),
  ],
  load: ({ usedJtis: rows }, { hash }, now) => ({ now, hash, used: rows.find((row) => row.hash === hash) ?? null }),
  requests: () => REQUESTS,
  asking: askingFor<Terms>({
    present: {
      name: ({ hash }) => hash,
      from: 'A node receives',
      request: ({ hash }) => presentJtiRequest(timesOf(hash)),
    },
  }),
  whenAnswered: (known, { hash }, answer) =>
    answer.kind === 'accepted' ? { accepted: [...known.accepted, hash] } : known,
  actions: (modelState) => {
    const { usedJtis: rows } = modelState.stored;
    const kept = rows.filter((row) => !isForgotten(row, modelState));
    const says = 'Housekeeping forgets what expired an hour ago.';
    return kept.length < rows.length ? [{ says, stored: { usedJtis: kept } }] : [];
  },
  instants: () => [after(30).getTime(), after(30).getTime() + 1],
  invariants: [
    {
      name: 'a-proof-is-used-once',
      says: 'A proof opens one request, whatever nodes receive it together, and whatever housekeeping has forgotten.',
      violationAt: (_, { known: { accepted } }) =>
        new Set(accepted).size < accepted.length ? 'it was accepted twice' : null,
    },
    {
      name: 'proofs-count-in-their-time',
      says: 'A proof is accepted before its end alone, and only with an end and a beginning within the bounds.',
      spec: 'FAPI 2.0 §5.3.2.1',
      violationAt: (walk, modelState) => {
        const { stored, now } = modelState;
        const wrong = REQUESTS.find(
          (asked) =>
            isAcceptedAlone(walk, modelState, asked) &&
            (!isInTime(asked.hash, now) || stored.usedJtis.some(({ hash }) => hash === asked.hash)),
        );
        return wrong === undefined ? null : `${wrong.hash} is accepted`;
      },
    },
    {
      name: 'every-proof-is-answered',
      says: 'Every event of a proof is answered, in every state that can be reached.',
      ...everythingIsAnswered<Terms>(() => REQUESTS),
    },
    {
      name: 'proofs-are-accepted',
      says: 'An unused proof in its time is accepted. Nothing above holds because nothing works.',
      violationAt: (walk, modelState) => {
        const { stored, now } = modelState;
        const refused = REQUESTS.find(
          (asked) =>
            isInTime(asked.hash, now) &&
            !stored.usedJtis.some(({ hash }) => hash === asked.hash) &&
            !isAcceptedAlone(walk, modelState, asked),
        );
        return refused === undefined ? null : `${refused.hash} is refused`;
      },
    },
  ],
  words: {
    commit: ({ writes: [write] }) => `${write.kind === 'insert' ? write.row['hash'] : 'the proof'} is used`,
    commitNoun: () => 'the use',
    sender: 'nodes',
  },
});
