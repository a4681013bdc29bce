/**
 * The consequences of a changed configuration in numbers: chains that end now, and requests of a period that the server
 * would have refused. The machines decide. docs/decisions/0092 defines the numbers.
 */
import { ledgerReach, type Period } from '../storage/backtest-rows.ts';
import type { Sides } from './clients.ts';
import type { BacktestDeps } from './deps.ts';
import { backtestDocument } from './document.ts';
import { livingUnder } from './living.ts';
import { replay } from './replay.ts';

export type BacktestDocument = ReturnType<typeof backtestDocument>;

/** @param milliseconds the length of the period, which ends now. @throws StoreUnavailable */
export async function backtest(deps: BacktestDeps, sides: Sides, milliseconds: number): Promise<BacktestDocument> {
  const { now, beginsAt } = await ledgerReach(deps.db, deps.clock);
  const period: Period = { from: new Date(now.getTime() - milliseconds), to: now };
  const living = await livingUnder(deps, sides, now);
  const replayed = await replay(deps, sides, period);
  return backtestDocument({ now, period, ledgerBeginsAt: beginsAt, living, replayed });
}
