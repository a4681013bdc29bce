/**
 * The background duty of a node. It seals full segments, and keeps the latest seal in memory, since the database may
 * lose it.
 */
import type { Head, PassedOver } from './newest.ts';
import { type Closed, type SealDeps, sealNext } from './seal.ts';

export type SealRound = {
  /** Null: no segment was full. */
  readonly closed: Closed | null;
  /** The latest seal that this node saw, if it is missing or different now. Null: it is unchanged. */
  readonly lost: Head | null;
  /** Rows among the seals that no server with these root secrets signed, and that are new to this node. */
  readonly passedOver: readonly PassedOver[];
};

type Options = {
  /**
   * The duty seals a segment that is not full when it sealed none for this long. Until then, a change of its entries
   * goes unnoticed.
   */
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
    /** Seals at most one segment. @throws StoreUnavailable */
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

/** Between two checks, other nodes seal more segments. `statehouse ledger verify` checks the older ones. */
function isGone(seen: Head, newest: Head | null): boolean {
  if (newest === null || newest.number < seen.number) return true;
  return newest.number === seen.number && newest.digest !== seen.digest;
}
