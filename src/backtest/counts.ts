/** Counters of a backtest: by reason and by client, and nothing about single grants. Bounded by the number of clients. */
import type { BacktestReason } from './present.ts';

export type Refusals = {
  total: number;
  refused: number;
  /** Later ones of grants that were refused before. */
  following: number;
};

/** Under the new configuration, except `refusedBefore`. */
export type Tally = Refusals & {
  refusedBefore: number;
  readonly reasons: Map<BacktestReason, number>;
  readonly clients: Map<string, Refusals>;
};

/** Clients beyond so many are counted together. */
const MAX_CLIENTS = 10_000;
const SHOWN_CLIENTS = 20;

export const newTally = (): Tally => ({
  total: 0,
  refused: 0,
  following: 0,
  refusedBefore: 0,
  reasons: new Map(),
  clients: new Map(),
});

export type Counted = Refusals & { readonly refusedBefore: number; readonly reason: BacktestReason | null };

export function count(
  tally: Tally,
  clientId: string,
  { total, refused, following, refusedBefore, reason }: Counted,
): void {
  let ofClient = tally.clients.get(clientId);
  if (ofClient === undefined && tally.clients.size < MAX_CLIENTS) {
    ofClient = { total: 0, refused: 0, following: 0 };
    tally.clients.set(clientId, ofClient);
  }
  for (const counter of ofClient ? [tally, ofClient] : [tally]) {
    counter.total += total;
    counter.refused += refused;
    counter.following += following;
  }
  tally.refusedBefore += refusedBefore;
  if (reason !== null && refused > 0) tally.reasons.set(reason, (tally.reasons.get(reason) ?? 0) + refused);
}

/** The clients with the most refusals, and the others together; null: there are no others. */
export function byClient({ clients, ...all }: Tally): {
  readonly shown: readonly (Refusals & { readonly clientId: string })[];
  readonly others: Refusals | null;
} {
  const sorted = [...clients]
    .filter(([, { refused, following }]) => refused + following > 0)
    .toSorted(([oneId, one], [otherId, other]) => other.refused - one.refused || (oneId < otherId ? -1 : 1));
  const shown = sorted.slice(0, SHOWN_CLIENTS).map(([clientId, counted]) => ({ clientId, ...counted }));
  const rest = (of: (counted: Refusals) => number) => of(all) - shown.reduce((sum, counted) => sum + of(counted), 0);
  const others = {
    total: rest(({ total }) => total),
    refused: rest(({ refused }) => refused),
    following: rest(({ following }) => following),
  };
  return { shown, others: others.refused + others.following > 0 ? others : null };
}

export const byReason = ({ reasons }: Tally): readonly { readonly reason: BacktestReason; readonly count: number }[] =>
  [...reasons]
    .map(([reason, count]) => ({ reason, count }))
    .toSorted((one, other) => other.count - one.count || (one.reason < other.reason ? -1 : 1));
