/**
 * Whether the database answers and can be written to (docs/decisions/0054). Heartbeats write; between them, statements that fail are
 * heard. A server whose disk is full still reads, so an answer alone does not say that it can be written to.
 */
import type { Logger } from 'pino';
import { StoreUnavailable } from '../engine/errors.ts';
import type { DatabaseHealth, DatabaseStanding } from '../http/health-routes.ts';
import { failedStatements } from '../system/observed.ts';

export type DatabaseHealthParts = {
  /** Rejects when the database does not answer, has no tables, or is read-only. */
  readonly ping: () => Promise<unknown>;
  /** Rejects when a row cannot be written. */
  readonly write: () => Promise<void>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
};

export type HeldDatabaseHealth = DatabaseHealth & {
  /** Asks for an answer and for a write. Never rejects. */
  readonly beat: () => Promise<DatabaseStanding>;
};

/** SQLSTATEs with which Postgres answers, and writes nothing: read-only, out of a resource, errors of its disk. */
const refusesWrites = (code: string | null): boolean => code !== null && /^(25006|53[0-9A-Z]{3}|58030)$/.test(code);

export function databaseHealth({ ping, write, logger }: DatabaseHealthParts): HeldDatabaseHealth {
  let standing: DatabaseStanding = 'available';
  let looking: Promise<DatabaseStanding> | null = null;

  function found(next: DatabaseStanding, error: unknown): DatabaseStanding {
    if (next === standing) return next;
    standing = next;
    if (next === 'available') logger.info('the database accepts writes again');
    else
      logger.warn(
        { err: error },
        next === 'not writable' ? 'the database rejects writes' : 'the database is not available',
      );
    return next;
  }

  const probe = async (writes: boolean): Promise<DatabaseStanding> => {
    try {
      await ping();
      if (writes || standing === 'not writable') await write();
      return found('available', null);
    } catch (error) {
      const code = error instanceof StoreUnavailable ? error.code : null;
      return found(refusesWrites(code) ? 'not writable' : 'not reachable', error);
    }
  };

  return {
    last: () => standing,
    look: () => {
      looking ??= probe(false).finally(() => {
        looking = null;
      });
      return looking;
    },
    beat: () => probe(true),
    close: failedStatements.listen((failure) => {
      if (refusesWrites(failure.code)) found('not writable', failure);
    }),
  };
}
