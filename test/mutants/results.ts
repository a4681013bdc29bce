/** Stryker's results of a room, as its incremental file holds them (the mutation testing report schema). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { RoomName } from './rooms.ts';
import { keyOf } from './sample.ts';

export type Mutant = {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** The line of the source in which the mutation begins, trimmed. */
  readonly source: string;
  /** Stryker's name of the kind of mutation. */
  readonly mutator: string;
  readonly replacement: string;
  /** As keyOf in sample.ts writes it. */
  readonly key: string;
  readonly seen: boolean;
};

/** Stryker's report counts both from 1. */
type Position = { readonly line: number; readonly column: number };

type Stored = {
  readonly files: Record<
    string,
    {
      readonly source: string;
      readonly mutants: readonly {
        readonly mutatorName: string;
        readonly replacement?: string;
        readonly status: string;
        /** It is made while modules are loaded. */
        readonly location: { readonly start: Position; readonly end: Position };
      }[];
    }
  >;
};

/** Ended by a limit counts as seen: the tests did not pass. A mutant that no test can load is no mutant. */
const SEEN = new Set(['Killed', 'Timeout']);
const NOT_SEEN = new Set(['Survived', 'NoCoverage']);

export const resultsFile = (room: RoomName): string => `test-results/mutants/${room}.json`;

/** Stryker does not ask again about what runs as a module loads, even of new tests: what was not seen is forgotten. */
export function forgetUnseen(room: RoomName): void {
  const file = resultsFile(room);
  if (!existsSync(file)) return;
  const stored = JSON.parse(readFileSync(file, 'utf8')) as Stored;
  const files = Object.entries(stored.files).map(([name, { mutants, ...rest }]) => [
    name,
    { ...rest, mutants: mutants.filter(({ status }) => !NOT_SEEN.has(status)) },
  ]);
  writeFileSync(file, JSON.stringify({ ...stored, files: Object.fromEntries(files) }));
}

/** @returns null: the room was never run here. */
export function resultsOf(room: RoomName): readonly Mutant[] | null {
  if (!existsSync(resultsFile(room))) return null;
  const { files } = JSON.parse(readFileSync(resultsFile(room), 'utf8')) as Stored;
  return Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n');
    return mutants
      .filter(({ status }) => SEEN.has(status) || NOT_SEEN.has(status))
      .map(({ mutatorName, replacement = '', status, location: { start, end } }) => ({
        file,
        line: start.line,
        source: (lines[start.line - 1] ?? '').trim(),
        mutator: mutatorName,
        replacement: replacement.replace(/\s+/g, ' ').trim(),
        key: keyOf({
          file,
          start: { ...start, column: start.column - 1 },
          end: { ...end, column: end.column - 1 },
          mutator: mutatorName,
          replacement,
        }),
        seen: SEEN.has(status),
      }));
  });
}
