/** The chains that the server would refresh now under the old configuration, and their state under the new one. */
import { activeGrantRows, type LivingRow } from '../storage/backtest-rows.ts';
import { type Known, knownTo, type Sides } from './clients.ts';
import { count, newTally, type Tally } from './counts.ts';
import type { BacktestDeps } from './deps.ts';
import { grantOf, type Presented, presentCode, presentRefreshToken } from './present.ts';

export type Living = {
  /** Chains that can be refreshed under the old configuration; `refused`: no more under the new one. */
  readonly chains: Tally;
  /** Codes that can be exchanged. */
  readonly codes: Tally;
  /** Chains that live on with a smaller scope. */
  narrowed: number;
  /** False: the time ended first. */
  complete: boolean;
};

/** @throws StoreUnavailable */
export async function livingUnder(deps: BacktestDeps, sides: Sides, now: Date): Promise<Living> {
  const living: Living = { chains: newTally(), codes: newTally(), narrowed: 0, complete: true };
  const known = knownTo(deps, sides);
  let after: string | null = null;
  do {
    if (!deps.mayContinue()) return { ...living, complete: false };
    const { rows, next }: Awaited<ReturnType<typeof activeGrantRows>> = await activeGrantRows(deps.db, after);
    await known.load(rows);
    for (const row of rows) countRow(living, known, sides, row, now);
    after = next;
  } while (after !== null);
  return living;
}

function countRow(living: Living, known: Known, sides: Sides, row: LivingRow, now: Date): void {
  const clients = known.clientOf(row.clientId);
  if (clients === null) return;
  const isChain = row.refreshGeneration !== null;
  const username = known.usernameOf(row.userId);
  const present = (side: 'before' | 'after'): Presented => {
    const presentation = { grant: grantOf(row), client: clients[side], now, username, timesAlone: false };
    return (isChain ? presentRefreshToken : presentCode)(sides[side], presentation);
  };
  const before = present('before');
  if (before.kind === 'refused') return;
  const after = present('after');
  const refused = after.kind === 'refused' ? 1 : 0;
  const reason = after.kind === 'refused' ? after.reason : null;
  count(isChain ? living.chains : living.codes, row.clientId, {
    total: 1,
    refused,
    following: 0,
    refusedBefore: 0,
    reason,
  });
  if (isChain && after.kind === 'accepted' && before.scope.some((name) => !after.scope.includes(name)))
    living.narrowed++;
}
