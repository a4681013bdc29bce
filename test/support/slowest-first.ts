/** A file that takes long and begins last keeps one worker busy while the others have nothing left to do. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take about ten seconds of CPU or more, the slowest first. Vitest has only the times of earlier runs, and CI has none. */
const SLOWEST = [
  'unit/review/mutation',
  'race/killed-server',
  'e2e/all-pages',
  'unit/review/sql-mutants',
  'docs/standby-step-by-step',
  'chaos/chaos',
  'unit/review/drawing/drawings',
  'unit/machines/mutation',
  'e2e/console',
  'unit/review/proof',
  'docs/deploying-step-by-step',
  'process/bounded-memory',
  'upgrade/rolling-upgrade',
  'process/commands-use-the-server',
  'race/parallel-presentations',
  'e2e/diagrams',
  'unit/review/diff',
  'property/backtest.property',
  'property/client-registrations.property',
  'property/ended-stays-ended.property',
  'unit/storage/ledger-seals',
  'race/against-endings',
  'property/linked-identities.property',
  'unit/people/upstream-sign-in',
  'failure/every-endpoint',
  'unit/cli/launcher',
  'unit/cli/explain',
  'unit/authorization/withdrawn-rights',
  'property/reuse-revokes-the-chain.property',
  'process/import-memory',
  'unit/cli/keys',
  'unit/http/e-mail',
  'unit/crypto/hashes-of-others',
  'race/signing-keys',
  'process/graceful-stop',
  'unit/storage/signing-keys',
  'unit/review/simulation/broken-machines',
  'e2e/account',
  'interop/snippets-as-javascript',
  'race/webhooks',
  'unit/review/diff-mutants',
  'docs/adding-a-lifecycle',
  'docs/container-files',
  'interop/oidc-client-ts',
  'unit/review/same-contract.property',
  'e2e/account-lifetime',
  'process/start-output',
  'property/expired-yields-nothing.property',
  'unit/http/sign-up-with-a-passkey',
  'unit/storage/migrations',
  'e2e/passkeys',
  'process/abnormal-exit',
  'unit/http/sign-in-by-address',
  'model/one-authorization.model',
  'property/forged-or-garbled.property',
  'property/revocation-ends-everything.property',
  'unit/http/permissions',
  'interop/guard-package',
  'unit/boot/outbox',
  'unit/authorization/account',
  'unit/authorization/console',
  'unit/http/logout',
].map((name) => `/test/${name}.test.ts`);

const missing = SLOWEST.filter((path) => !existsSync(join(import.meta.dirname, '../..', path)));
if (missing.length > 0) throw new Error(`test/support/slowest-first.ts: no such file: ${missing.join(', ')}`);

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
