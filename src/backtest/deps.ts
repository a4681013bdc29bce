import type { RowMacs } from '../crypto/row-mac.ts';
import type { Client } from '../model/client.ts';
import type { Drizzle } from '../storage/database.ts';
import type { Clock } from '../system/clock.ts';

export type BacktestDeps = {
  readonly db: Drizzle;
  readonly clock: Clock;
  readonly macs: RowMacs;
  /** As the token endpoint loads it. Null: not found. */
  readonly loadClient: (clientId: string) => Promise<Client | null>;
  /** Asked after each page: whether there is time for another. */
  readonly mayContinue: () => boolean;
};
