/** The ledger of a running server: closed in stretches, and kept for as long as the configuration says. */
import type { Logger } from 'pino';
import type { Configuration } from '../config/configuration.ts';
import { sealKeys } from '../crypto/ledger-seal.ts';
import { sealing } from '../ledger/duty.ts';
import type { Closed } from '../ledger/seal.ts';
import { keepLedgerFor, sealStore } from '../storage/ledger-seals.ts';
import { databaseClock } from '../system/clock.ts';
import type { Runtime } from './runtime.ts';

/** @returns a round, to be called about every minute on each node. It logs its failures and never rejects. */
export function ledgerRounds(
  { database, keys }: Pick<Runtime, 'database' | 'keys'>,
  configuration: () => Configuration,
  logger: Pick<Logger, 'info' | 'warn' | 'error'>,
): () => Promise<void> {
  const { round } = sealing({
    store: sealStore(database.drizzle, databaseClock),
    keys: sealKeys(keys),
    keptDays: () => configuration().ledger.keptDays,
  });
  return async () => {
    try {
      const { closed, lost } = await round();
      if (lost !== null) logger.error(lost, 'ledger: the newest stretch is no longer there, or was replaced');
      for (const one of closed) tellClosed(one, logger);
    } catch (error) {
      logger.warn({ err: error }, 'ledger: no stretch could be closed; it is tried again');
    }
  };
}

function tellClosed({ previous, number, digest, lines }: Closed, logger: Pick<Logger, 'info' | 'error'>): void {
  // The head of the chain, where somebody who changes the database cannot change it.
  logger.info({ stretch: number, digest, lines }, 'ledger: stretch closed');
  if (previous !== null && previous !== 'right')
    logger.error({ stretch: number - 1, reason: previous }, 'ledger: the stretch before is not vouched for');
}

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
