/** A file that takes long and begins last keeps one worker busy while the others have nothing left to do. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take more than ten seconds, the slowest first. Vitest knows only what it has run before, and CI has run nothing. */
const SLOWEST = [
  'race/killed-server',
  'unit/review/mutation',
  'race/parallel-presentations',
  'unit/machines/mutation',
  'unit/review/drawing/drawings',
  'unit/review/sql-mutants',
  'model/one-authorization.model',
  'property/expired-yields-nothing.property',
  'property/forged-or-garbled.property',
  'unit/cli/launcher',
  'e2e/diagrams',
  'unit/storage/signing-keys',
  'unit/http/permissions',
  'docs/container-files',
  'interop/guard-package',
  'unit/review/proof',
  'unit/http/logout',
  'property/reuse-revokes-the-chain.property',
  'race/against-endings',
  'process/last-moments',
  'process/graceful-stop',
].map((name) => `/test/${name}.test.ts`);

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = SLOWEST.findIndex((path) => moduleId.endsWith(path));
  return place < 0 ? SLOWEST.length : place;
};

export default class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Projects stay apart, in their order.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted.filter((one) => one.project === project).sort((one, other) => placeOf(one) - placeOf(other)),
    );
  }
}
