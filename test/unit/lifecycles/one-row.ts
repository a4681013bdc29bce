/** A store of one row in memory, with what happens to each commit on the way. */
import type { Commit } from '../../../src/engine/commit.ts';
import { StoreUnavailable } from '../../../src/engine/errors.ts';

/**
 * `lostBefore`, `lostAfter`: the connection is lost before the row is written, or after. `away`: nothing was sent. A function:
 * the earlier write of another writer.
 */
export type Fate<Row> = 'lostBefore' | 'lostAfter' | 'away' | ((row: Row) => Row);

/** A commit, by the row that it makes of the row of this version. */
type Change<Row> = Pick<Commit, 'now' | 'entries'> & { readonly version: string | null; readonly after: Row };

function changeOf<Row>({ writes: [write], now, entries }: Commit): Change<Row> {
  if (write.kind === 'insert') return { version: null, after: write.row as Row, now, entries };
  const { version, ...after } = { ...write.loaded, ...write.set };
  return { version: version as string, after: after as Row, now, entries };
}

/** @param fates of the first commits, in order; the others succeed while the version is as it was loaded. */
export function oneRow<Row>(first: Row | null, fates: readonly Fate<Row | null>[] = []) {
  let row = first;
  let writes = 0;
  const commits: Change<Row>[] = [];
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
      const change = changeOf<Row>(commit);
      const fate = fates[commits.push(change) - 1];
      if (fate === 'away') throw new StoreUnavailable(false);
      if (fate === 'lostBefore') throw new StoreUnavailable(true);
      if (typeof fate === 'function') write(fate(row));
      if (change.version !== version()) return false;
      write(change.after);
      if (fate === 'lostAfter') throw new StoreUnavailable(true);
      return true;
    },
    sleep: async (milliseconds: number) => {
      waits.push(milliseconds);
    },
  };
}
