/** The background duty of a node: seals segments as they fill, and remembers the newest seal that it saw, since the database may forget it. */
import type { Head, PassedOver } from './newest.ts';
import { type Closed, type SealDeps, sealNext } from './seal.ts';

export type SealRound = {
  /** Null: nothing was full. */
  readonly closed: Closed | null;
  /** The newest seal that this node had seen, where it is no longer there, or is another. Null: it is. */
  readonly lost: Head | null;
  /** Rows among the seals that no server of these root secrets signed, which this node had not seen before. */
  readonly passedOver: readonly PassedOver[];
};

type Options = {
  /** A segment that is not full is sealed when none was sealed for this long: until then its lines can be changed unseen. */
  readonly partialAfterMilliseconds?: number;
  readonly elapsed?: () => number;
};

const PARTIAL_AFTER_MILLISECONDS = 60_000;

export function sealing(
  deps: SealDeps,
  { partialAfterMilliseconds = PARTIAL_AFTER_MILLISECONDS, elapsed = () => performance.now() }: Options = {},
): { readonly step: () => Promise<SealRound> } {
  let seen: Head | null = null;
  let seenSince = elapsed();
  let told = 0;
  return {
    /** One segment at most. @throws StoreUnavailable */
    step: async () => {
      const step = await sealNext(deps, { partial: elapsed() - seenSince >= partialAfterMilliseconds });
      if (step === null) return { closed: null, lost: null, passedOver: [] };
      const lost = seen !== null && isGone(seen, step.newest) ? seen : null;
      const newest = step.closed ? { number: step.closed.number, digest: step.closed.digest } : step.newest;
      if (newest?.digest !== seen?.digest) seenSince = elapsed();
      seen = newest;
      const passedOver = step.passedOver.filter(({ number }) => number > told);
      told = Math.max(told, ...passedOver.map(({ number }) => number));
      return { closed: step.closed, lost, passedOver };
    },
  };
}

/** Between two looks other nodes seal further segments; an older one is for `statehouse ledger verify`. */
function isGone(seen: Head, newest: Head | null): boolean {
  if (newest === null || newest.number < seen.number) return true;
  return newest.number === seen.number && newest.digest !== seen.digest;
}
