/** A backtest as JSON, with its sentences: for `statehouse diff --backtest --format json`, the management API and the console. */
import { byClient, byReason, type Refusals, type Tally } from './counts.ts';
import { type Backtested, livingWords, notReplayedWords, replayWords } from './words.ts';

export function backtestDocument(backtested: Backtested) {
  const { now, period, living, replayed, ledgerBeginsAt } = backtested;
  return {
    now: now.toISOString(),
    period: { from: period.from.toISOString(), to: period.to.toISOString() },
    ledger_begins_at: ledgerBeginsAt?.toISOString() ?? null,
    /** False: the time of the request ended first, and the numbers are of a part. */
    complete: living.complete && replayed.complete,
    living_chains: { ...livingTally(living.chains), lose_scope: living.narrowed },
    living_codes: livingTally(living.codes),
    refreshes: replayedTally(replayed.refreshes),
    code_exchanges: replayedTally(replayed.exchanges),
    says: [...livingWords(living), ...replayWords(replayed)],
    not_replayed: notReplayedWords(backtested),
  };
}

/** `end_now`: the server refuses them from now on. */
const livingTally = (tally: Tally) => {
  const { shown, others } = byClient(tally);
  const counts = ({ total, refused }: Refusals) => ({ total, end_now: refused });
  return {
    ...counts(tally),
    by_reason: byReason(tally),
    by_client: shown.map(({ clientId, ...counted }) => ({ client_id: clientId, ...counts(counted) })),
    other_clients: others && counts(others),
  };
};

const replayedTally = (tally: Tally) => {
  const { shown, others } = byClient(tally);
  const counts = ({ total, refused, following }: Refusals) => ({ total, refused, following });
  return {
    ...counts(tally),
    /** Refused under the old configuration too: it was not the one in force then. */
    refused_before: tally.refusedBefore,
    by_reason: byReason(tally),
    by_client: shown.map(({ clientId, ...counted }) => ({ client_id: clientId, ...counts(counted) })),
    other_clients: others && counts(others),
  };
};
