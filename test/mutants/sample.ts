/**
 * A random sample of the mutants of a room, for rooms whose whole run takes hours. Every mutant of the room is equally likely to be drawn,
 * and the same seed draws the same mutants of the same source.
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { isMutated, type Room } from './rooms.ts';

/** Lines are counted from 1, columns from 0. */
type Position = { readonly line: number; readonly column: number };

export type Drawn = {
  readonly file: string;
  readonly start: Position;
  readonly end: Position;
  readonly mutator: string;
  readonly replacement: string;
};

export type Sample = {
  /** The number of mutants that the room has. */
  readonly of: number;
  readonly drawn: readonly Drawn[];
};

const silent = new Proxy({}, { get: (_, name) => () => (String(name).startsWith('is') ? false : undefined) });

/** @param size of the sample; the whole room where it has fewer mutants. */
export async function drawSample(room: Room, size: number, seed: number): Promise<Sample> {
  const all = await mutantsOf(globSync([...room.mutate]).filter((file) => isMutated(room, file)));
  const drawn = all
    .map((mutant) => ({
      mutant,
      place: createHash('sha256')
        .update(`${seed} ${keyOf(mutant)}`)
        .digest('hex'),
    }))
    .toSorted((a, b) => a.place.localeCompare(b.place))
    .slice(0, size)
    .map(({ mutant }) => mutant);
  return { of: all.length, drawn };
}

/** Stryker's notation. A range also holds the mutants within the mutant that was drawn; the report leaves these out. */
export const rangeOf = ({ file, start, end }: Drawn): string =>
  `${file}:${start.line}:${start.column}-${end.line}:${end.column}`;

export const keyOf = ({ file, start, end, mutator, replacement }: Drawn): string =>
  JSON.stringify([file, start.line, start.column, end.line, end.column, mutator, replacement]);

/** The interval that holds the true share with 95 % confidence (Wilson's), both ends between 0 and 1. */
export function intervalOf(noticed: number, asked: number): readonly [number, number] {
  const z = 1.96;
  const share = noticed / asked;
  const middle = share + z ** 2 / (2 * asked);
  const half = z * Math.sqrt((share * (1 - share)) / asked + (z / (2 * asked)) ** 2);
  return [(middle - half) / (1 + z ** 2 / asked), (middle + half) / (1 + z ** 2 / asked)];
}

async function mutantsOf(files: readonly string[]): Promise<Drawn[]> {
  const instrumenter = new Instrumenter(silent as never);
  const sources = files.map((file) => ({ name: resolve(file), mutate: true, content: readFileSync(file, 'utf8') }));
  const { mutants } = await instrumenter.instrument(sources, {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
    noHeader: true,
  });
  return mutants.map(({ fileName, location: { start, end }, mutatorName, replacement }) => ({
    file: fileName.slice(resolve('.').length + 1),
    start: { line: start.line + 1, column: start.column },
    end: { line: end.line + 1, column: end.column },
    mutator: mutatorName,
    replacement,
  }));
}
