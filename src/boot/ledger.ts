/** The ledger of a running server: sealed in segments as they fill, and kept for as long as the configuration says. */
import type { Logger } from 'pino';
import type { Configuration } from '../config/configuration.ts';
import { sealKeys } from '../crypto/ledger-seal.ts';
import { sealing } from '../ledger/duty.ts';
import type { PassedOver } from '../ledger/newest.ts';
import type { Closed } from '../ledger/seal.ts';
import { boundedSteps } from '../storage/bounded-steps.ts';
import { keepLedgerFor, sealAlone } from '../storage/ledger-seals.ts';
import { databaseClock } from '../system/clock.ts';
import type { Runtime } from './runtime.ts';

/** The rest waits for the next round, which follows shortly. */
const ROUND_MILLISECONDS = 30_000;
/** A backlog takes at most a quarter of one connection. Postgres still seals more entries than a node writes. */
const PAUSES = 3;

type Options = { readonly partialAfterMilliseconds?: number };

/** @returns a round, to be called about every second on each node. It rejects with StoreUnavailable. */
export function ledgerRounds(
  { database, keys }: Pick<Runtime, 'database' | 'keys'>,
  configuration: () => Configuration,
  logger: Pick<Logger, 'info' | 'warn' | 'error'>,
  options: Options = {},
): (signal?: AbortSignal) => Promise<void> {
  const { step } = sealing(
    {
      alone: sealAlone(database.drizzle, databaseClock),
      keys: sealKeys(keys),
      keptDays: () => configuration().ledger.keptDays,
    },
    options,
  );
  return async (signal = new AbortController().signal) => {
    const steps = boundedSteps({ milliseconds: ROUND_MILLISECONDS, signal, pauses: PAUSES });
    await steps.until(1, async () => {
      const { closed, lost, passedOver } = await step();
      if (lost !== null) logger.error(lost, 'ledger: the newest segment was removed or replaced');
      for (const one of passedOver) logPassedOver(one, logger);
      if (closed !== null) logClosed(closed, logger);
      return closed === null ? 'done' : 'more';
    });
  };
}

/** Logs the latest seal, where an attacker with access to the database cannot change it. */
const logClosed = ({ number, digest, lines, below, key }: Closed, logger: Pick<Logger, 'info'>): void =>
  logger.info({ segment: number, digest, lines, below, key }, 'ledger: segment closed');

const logPassedOver = ({ number, reason }: PassedOver, logger: Pick<Logger, 'error'>): void =>
  logger.error({ segment: number, reason }, 'ledger: a segment is not authentic and was skipped');

/** Only the owner of the tables can change how long lines are kept. */
export async function applyRetention(
  { database }: Pick<Runtime, 'database'>,
  { ledger }: Configuration,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  const keptDays = await keepLedgerFor(database.drizzle, ledger.keptDays);
  if (keptDays !== ledger.keptDays)
    logger.warn(
      { configured: ledger.keptDays, inForce: keptDays },
      'ledger.yaml: keptDays comes into force with the next "statehouse migrate"; this role may not change it',
    );
}
