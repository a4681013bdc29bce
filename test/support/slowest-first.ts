/** A file that takes long and begins last keeps one worker busy while the others have nothing left to do. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = join(import.meta.dirname, '../..');
export const TIMES = join(import.meta.dirname, 'times.json');

/** Files that take less are not in `times.json`. */
export const SLOW_SECONDS = 3;

/** Of each slow file, as `npm run test:times` measured it. Vitest has only the times of earlier runs, and CI has none. */
export const SECONDS: Readonly<Record<string, number>> = JSON.parse(readFileSync(TIMES, 'utf8'));

const secondsOf = ({ moduleId }: TestSpecification): number => SECONDS[relative(ROOT, moduleId)] ?? 0;

export default class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Projects stay apart, in their order.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted.filter((one) => one.project === project).sort((one, other) => secondsOf(other) - secondsOf(one)),
    );
  }
}
