/** The background duty of a node: closes what can be closed, and remembers the newest stretch that it saw, since the database may forget it. */
import { type Closed, closeStretch, type Head, type SealDeps } from './seal.ts';
import { digestOf } from './stretch.ts';

export type SealRound = {
  readonly closed: readonly Closed[];
  /** The newest stretch that this node had seen, where it is no longer there, or is another. Null: it is. */
  readonly lost: Head | null;
};

/** A node that was away for long goes on in the next round. */
const MOST_STRETCHES = 300;

export function sealing(deps: SealDeps): { readonly round: () => Promise<SealRound> } {
  let seen: Head | null = null;
  return {
    /** @throws StoreUnavailable */
    round: async () => {
      const { last } = await deps.store.standing();
      const lost = seen !== null && isGone(seen, last && { number: last.number, digest: digestOf(last) }) ? seen : null;
      const closed: Closed[] = [];
      while (closed.length < MOST_STRETCHES) {
        const one = await closeStretch(deps);
        if (one === null) break;
        closed.push(one);
      }
      const newest = closed.at(-1);
      if (newest) seen = { number: newest.number, digest: newest.digest };
      else seen = last && { number: last.number, digest: digestOf(last) };
      return { closed, lost };
    },
  };
}

/** Between two rounds other nodes close further stretches; an older one is for `statehouse ledger verify`. */
function isGone(seen: Head, last: Head | null): boolean {
  if (last === null || last.number < seen.number) return true;
  return last.number === seen.number && last.digest !== seen.digest;
}
