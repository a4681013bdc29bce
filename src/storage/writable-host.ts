/** The writable one of several hosts. The search asks all together, so that a silent host delays nothing. */
import type { DatabaseHost } from '../system/database-url.ts';
import { type ExpectedFailure, expectedFailure, quotable, unforeseenFailure } from './failure-codes.ts';
import { codeOf } from './failures.ts';
import { NoUsableHost } from './no-usable-host.ts';

/** The host answers, and is read-only. */
class ReadOnlyHost extends Error {
  readonly code = NO_WRITABLE_HOST;
}
const NO_WRITABLE_HOST = 'NO_WRITABLE_HOST';

export type WritableHost = {
  /** The host that was found before, or finds it. @throws Error with the code of a failure in which nothing was sent. */
  readonly find: () => Promise<DatabaseHost>;
  /** It may be another host now: the next call of `find` asks again. */
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
      throw failureOf(candidates, (error as AggregateError).errors);
    } finally {
      looking = false;
    }
  }

  async function ask(host: DatabaseHost): Promise<DatabaseHost> {
    if (await canBeWritten(host)) return host;
    throw new ReadOnlyHost();
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
function failureOf(candidates: readonly DatabaseHost[], errors: readonly unknown[]): NoUsableHost {
  const nothingSent = (error: unknown) => expectedFailure(codeOf(error) ?? '')?.maybeCommitted === false;
  const readOnly = errors.find((error) => error instanceof ReadOnlyHost);
  const code = codeOf(readOnly ?? errors.find(nothingSent)) ?? NO_WRITABLE_HOST;
  const reasons = candidates.map(({ host, port }, place) => `${host}:${port} ${reasonOf(errors[place])}`);
  const advice = errors.flatMap((error) => matterOf(error).advice ?? []);
  return new NoUsableHost(code, reasons, advice);
}

function matterOf(error: unknown): ExpectedFailure {
  const code = codeOf(error) ?? '';
  return expectedFailure(code) ?? unforeseenFailure(code);
}

function reasonOf(error: unknown): string {
  if (error instanceof ReadOnlyHost) return 'is read-only';
  const code = codeOf(error) ?? '';
  const { words } = matterOf(error);
  const said = quotable(code, error instanceof Error ? error.message : null);
  const more = said ?? code;
  return more === '' ? words : `${words} (${more})`;
}
