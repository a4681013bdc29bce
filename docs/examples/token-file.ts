import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store, Tokens } from './token-keeper.ts';

const SQLITE_BUSY = 5;
/** For the lock, and for a commit of another process. */
const [RETRY_MILLISECONDS, MAX_WAIT_MILLISECONDS] = [50, 5000];

/**
 * One chain in one file on a local disk, for several processes of one user. SQLite is the file and the lock. The system
 * releases the lock when a process ends, however it ends.
 */
export function tokenFile(path: string): Store {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const file = new DatabaseSync(path, { timeout: MAX_WAIT_MILLISECONDS });
  file.exec('create table if not exists chain (one integer primary key check (one = 1), tokens text not null)');
  const read = file.prepare('select tokens from chain');
  const write = file.prepare('insert or replace into chain values (1, ?)');

  /** Without a wait in SQLite, which would stop this process. From then on, other processes can read and not write. */
  function tryLock(): boolean {
    try {
      file.exec('pragma busy_timeout = 0; begin immediate');
      return true;
    } catch (error) {
      if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false;
      throw error;
    } finally {
      file.exec(`pragma busy_timeout = ${MAX_WAIT_MILLISECONDS}`);
    }
  }

  return {
    read: async () => JSON.parse(String(read.get()?.['tokens'] ?? 'null')) as Tokens | null,
    write: async (tokens) => void write.run(JSON.stringify(tokens)),
    alone: async (work) => {
      while (!tryLock()) await sleep(RETRY_MILLISECONDS);
      try {
        const result = await work();
        file.exec('commit');
        return result;
      } catch (error) {
        file.exec('rollback');
        throw error;
      }
    },
  };
}
