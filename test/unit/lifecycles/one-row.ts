/** A store of one row in memory, with what happens to each commit on the way. */
import { StoreUnavailable } from '../../../src/engine/errors.ts';

/**
 * `lostBefore`, `lostAfter`: the connection is lost before the row is written, or after. `away`: nothing was sent. A function:
 * the earlier write of another writer.
 */
export type Fate<Row> = 'lostBefore' | 'lostAfter' | 'away' | ((row: Row) => Row);

/** @param fates of the first commits, in order; the others succeed while the version is as it was loaded. */
export function oneRow<Row, Commit extends { readonly version: string | null; readonly after: Row & object }>(
  first: Row | null,
  fates: readonly Fate<Row | null>[] = [],
) {
  let row = first;
  let writes = 0;
  const commits: Commit[] = [];
  const waits: number[] = [];
  const version = () => (row === null ? null : `version ${writes}`);
  const write = (value: Row | null) => {
    row = value;
    writes++;
  };
  return {
    commits,
    waits,
    current: () => ({ row, version: version() }),
    commit: async (commit: Commit): Promise<boolean> => {
      const fate = fates[commits.push(commit) - 1];
      if (fate === 'away') throw new StoreUnavailable(false);
      if (fate === 'lostBefore') throw new StoreUnavailable(true);
      if (typeof fate === 'function') write(fate(row));
      if (commit.version !== version()) return false;
      write(commit.after);
      if (fate === 'lostAfter') throw new StoreUnavailable(true);
      return true;
    },
    sleep: async (milliseconds: number) => {
      waits.push(milliseconds);
    },
  };
}
