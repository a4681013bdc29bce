/** Which of several hosts can be written to. All are asked at once, so that a silent host delays nothing. */
import type { DatabaseHost } from '../system/database-url.ts';
import { expectedFailure } from './failure-codes.ts';
import { codeOf } from './failures.ts';

/** No host can be written to, as in the middle of a failover. Nothing was sent. */
export class NoWritableHost extends Error {
  readonly code = 'NO_WRITABLE_HOST';
  constructor() {
    super('No host of the database can be written to.');
    this.name = 'NoWritableHost';
  }
}

export type WritableHost = {
  /** The host that was found before, or finds it. @throws Error with the code of a failure in which nothing was sent. */
  readonly find: () => Promise<DatabaseHost>;
  /** It may be another host by now: the next call of `find` asks again. */
  readonly forget: () => void;
};

/** @param canBeWritten rejects when the host does not answer. */
export function writableHost(
  candidates: readonly DatabaseHost[],
  canBeWritten: (host: DatabaseHost) => Promise<boolean>,
): WritableHost {
  let found: Promise<DatabaseHost> | null = null;
  let looking = false;

  async function look(): Promise<DatabaseHost> {
    looking = true;
    try {
      return await Promise.any(candidates.map(ask));
    } catch (error) {
      found = null;
      throw failureOf((error as AggregateError).errors);
    } finally {
      looking = false;
    }
  }

  async function ask(host: DatabaseHost): Promise<DatabaseHost> {
    if (await canBeWritten(host)) return host;
    throw new NoWritableHost();
  }

  return {
    find: () => {
      found ??= look();
      return found;
    },
    forget: () => {
      if (!looking) found = null;
    },
  };
}

/** The failure of the first host says most, such as a wrong password, unless there is a host that answers and only reads. */
function failureOf(errors: readonly unknown[]): unknown {
  const nothingSent = (error: unknown) => expectedFailure(codeOf(error) ?? '')?.maybeCommitted === false;
  const readOnly = errors.find((error) => error instanceof NoWritableHost);
  return readOnly ?? errors.find(nothingSent) ?? new NoWritableHost();
}
