/**
 * The newest migration that was generated from the machines or, when they have changed since, its replacement. A committed
 * migration may have been applied somewhere, so it is never edited.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { heldMachines, type Machines } from './rules.ts';
import { MARK, sqlOf } from './text.ts';

/** `path` is relative to the root of the repository. */
export type GeneratedFile = { readonly path: string; readonly text: string };

type Entry = {
  readonly idx: number;
  readonly version: string;
  readonly when: number;
  readonly tag: string;
  readonly breakpoints: boolean;
};
type Journal = { readonly version: string; readonly dialect: string; readonly entries: readonly Entry[] };

export type Repository = {
  /** @throws when there is no such file. */
  readonly read: (path: string) => string;
  readonly isCommitted: (path: string) => boolean;
};

/** @returns the migration as it should be, with journal and snapshot where it is new. */
export function generate(of: Machines = heldMachines, repository: Repository = workingTree): readonly GeneratedFile[] {
  const journal: Journal = JSON.parse(repository.read(JOURNAL));
  const made = journal.entries.findLast(({ tag }) => repository.read(sqlPath(tag)).startsWith(MARK));
  const sql = sqlOf(of);
  if (made && (repository.read(sqlPath(made.tag)) === sql || !repository.isCommitted(sqlPath(made.tag)))) {
    return [{ path: sqlPath(made.tag), text: sql }];
  }
  return nextMigration(journal, sql, repository);
}

const JOURNAL = 'drizzle/meta/_journal.json';
const sqlPath = (tag: string) => `drizzle/${tag}.sql`;
const snapshotPath = (idx: number) => `drizzle/meta/${numbered(idx)}_snapshot.json`;
const numbered = (idx: number) => String(idx).padStart(4, '0');

/** Like `drizzle-kit generate --custom`: the schema is unchanged, so the snapshot is a copy with its own id. */
function nextMigration(journal: Journal, sql: string, { read }: Repository): readonly GeneratedFile[] {
  const last = journal.entries.at(-1);
  if (!last) throw new Error(`${JOURNAL} has no migration that makes the tables.`);
  const idx = last.idx + 1;
  // Drizzle applies migrations that are newer than the last applied one, so `when` has to be later; and equal on every machine.
  const entry: Entry = { ...last, idx, when: last.when + 1, tag: `${numbered(idx)}_machines` };
  const before = JSON.parse(read(snapshotPath(last.idx)));
  const id = `00000000-0000-4000-8000-${String(idx).padStart(12, '0')}`;
  return [
    { path: sqlPath(entry.tag), text: sql },
    { path: JOURNAL, text: JSON.stringify({ ...journal, entries: [...journal.entries, entry] }, null, 2) },
    { path: snapshotPath(idx), text: JSON.stringify({ ...before, id, prevId: before.id }, null, 2) },
  ];
}

const root = new URL('../../../', import.meta.url);

const workingTree: Repository = {
  read: (path) => readFileSync(new URL(path, root), 'utf8'),
  /** Without git this is unknown, so: true. */
  isCommitted: (path) => {
    try {
      return (
        execFileSync('git', ['ls-tree', '--name-only', 'HEAD', path], { cwd: root, encoding: 'utf8' }).trim() !== ''
      );
    } catch {
      return true;
    }
  },
};
