/** A file that takes long and begins last keeps one worker busy while the others have nothing left to do. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take about ten seconds of CPU or more, the slowest first. Vitest has only the times of earlier runs, and CI has none. */
const SLOWEST = [
  'chaos/chaos',
  'race/killed-server',
  'unit/review/mutation',
  'upgrade/rolling-upgrade',
  'e2e/all-pages',
  'docs/standby-step-by-step',
  'docs/deploying-step-by-step',
  'race/parallel-presentations',
  'unit/machines/mutation',
  'unit/review/drawing/drawings',
  'unit/review/sql-mutants',
  'unit/storage/signing-keys',
  'property/expired-yields-nothing.property',
  'model/one-authorization.model',
  'race/against-endings',
  'property/forged-or-garbled.property',
  'unit/cli/launcher',
  'race/signing-keys',
  'property/reuse-revokes-the-chain.property',
  'property/revocation-ends-everything.property',
  'unit/http/permissions',
  'unit/review/same-contract.property',
  'unit/review/proof',
  'docs/container-files',
  'interop/guard-package',
  'interop/oidc-client-ts',
  'property/ended-stays-ended',
  'unit/authorization/withdrawn-rights',
  'unit/boot/outbox',
  'unit/authorization/account',
  'unit/authorization/console',
  'unit/http/logout',
  'e2e/diagrams',
  'process/import-memory',
  'process/abnormal-exit',
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
