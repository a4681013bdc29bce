/** Tells the database that this node is there, with its version, so that administrators see each node. */
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Random } from '../crypto/random.ts';
import type { Database } from '../storage/database.ts';
import { nodeStore } from '../storage/nodes.ts';
import { databaseClock } from '../system/clock.ts';

export type Heartbeat = {
  /** Failures are logged; the next one tells it again. */
  readonly beat: () => Promise<void>;
  /** At a graceful stop. */
  readonly leave: () => Promise<void>;
};

export function heartbeatOf({ drizzle }: Database, random: Random, logger: Pick<Logger, 'debug'>): Heartbeat {
  const id = random.uuid();
  const version = versionOfPackage();
  const nodes = nodeStore(drizzle, databaseClock);
  // Whether the database is there is for others to say: /health/ready, and every request that needs it.
  const quietly = (work: Promise<void>) =>
    work.catch((error: unknown) => logger.debug({ err: error }, 'the node could not be reported'));
  return { beat: () => quietly(nodes.report(id, version)), leave: () => quietly(nodes.leave(id)) };
}

export const versionOfPackage = (): string =>
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;
