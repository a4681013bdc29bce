/**
 * The table of signing keys in memory, under the same contract as in Postgres (src/storage/signing-keys.ts and the exclusion
 * constraint of the table): all of a commit is carried out, or nothing.
 */
import type { SigningKeyCommit, SigningKeyTable } from '../../../lifecycles/signing-key/lifecycle.ts';
import type { SigningKeyRow } from '../../../model/signing-key.ts';

export type StoredKeys = { readonly keys: SigningKeyTable };

type Fact = (before: SigningKeyTable, commit: SigningKeyCommit, after: SigningKeyTable) => boolean;

/** One key of each algorithm is in this state at most. */
const atMostOne = (state: SigningKeyRow['state']) => (keys: SigningKeyTable) => {
  const algorithms = keys.filter((key) => key.state === state).map(({ alg }) => alg);
  return new Set(algorithms).size === algorithms.length;
};

/** Every fact that the commit compares, by name, so that each can be left out to see what that would allow. */
export const KEY_GUARD: Readonly<Record<string, Fact>> = {
  everyMoveStands: (before, { moves }) =>
    moves.every(({ from, after }) => before.some(({ kid, state }) => kid === after.kid && state === from)),
  addedIsNew: (before, { added }) => before.every(({ kid }) => kid !== added?.key.kid),
  oneSigns: (_, __, after) => atMostOne('signing')(after),
  oneWaits: (_, __, after) => atMostOne('published')(after),
};

/** @returns null when a guard did not hold: nothing changed. */
export function commitKeys({ keys }: StoredKeys, commit: SigningKeyCommit, guard = KEY_GUARD): StoredKeys | null {
  const { moves, added } = commit;
  const moved = keys.map((key) => {
    const move = moves.find(({ after, from }) => after.kid === key.kid && from === key.state);
    // What was erased meanwhile stays erased.
    return move ? { ...move.after, hasPrivateHalf: move.after.hasPrivateHalf && key.hasPrivateHalf } : key;
  });
  const after = added ? [added.after, ...moved] : moved;
  return Object.values(guard).every((fact) => fact(keys, commit, after)) ? { keys: after } : null;
}
