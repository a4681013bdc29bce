/** Tells the database that this node is there, with its version, so that administrators see each node. */
import type { Logger } from 'pino';
import type { Random } from '../crypto/random.ts';
import type { Drizzle } from '../storage/database.ts';
import { nodeStore } from '../storage/nodes.ts';
import { databaseClock } from '../system/clock.ts';
import { VERSION } from '../system/version.ts';

export type Heartbeat = {
  /** @throws StoreUnavailable */
  readonly write: () => Promise<void>;
  /** At a graceful stop. A failure is logged. */
  readonly leave: () => Promise<void>;
};

export function heartbeatOf(db: Drizzle, random: Random, logger: Pick<Logger, 'debug'>): Heartbeat {
  const id = random.uuid();
  const nodes = nodeStore(db, databaseClock);
  return {
    write: () => nodes.report(id, VERSION),
    leave: () =>
      nodes
        .leave(id)
        .catch((error: unknown) => logger.debug({ err: error }, 'the node could not be taken off the list')),
  };
}
