/** A file that takes long and begins last keeps one worker busy while the others have nothing left to do. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take about ten seconds of CPU or more, the slowest first. Vitest has only the times of earlier runs, and CI has none. */
export const SLOWEST: readonly string[] = [
  'unit/review/mutation',
  'docs/adding-a-lifecycle',
  'e2e/all-pages',
  'unit/review/sql-mutants',
  'race/killed-server',
  'e2e/console',
  'unit/review/drawing/drawings',
  'unit/machines/mutation',
  'unit/review/proof',
  'unit/review/diff-mutants',
  'chaos/chaos',
  'docs/standby-step-by-step',
  'docs/deploying-step-by-step',
  'unit/review/diff',
  'race/parallel-presentations',
  'process/commands-use-the-server',
  'e2e/a-week-of-tickets',
  'property/client-registrations.property',
  'unit/review/simulation/shipped-scenarios',
  'upgrade/rolling-upgrade',
  'process/bounded-memory',
  'unit/http/imported-passwords',
  'e2e/diagrams',
  'property/ended-stays-ended.property',
  'unit/http/sign-in-by-address',
  'unit/cli/explain',
  'unit/crypto/hashes-of-others',
  'unit/review/simulation/broken-machines',
  'race/proven-retry',
  'unit/http/trusted-browsers',
  'property/backtest.property',
  'unit/http/sign-up-with-a-passkey',
  'race/configured-secrets',
  'interop/mcp-programs',
  'unit/authorization/withdrawn-rights',
  'unit/http/e-mail',
  'property/reuse-revokes-the-chain.property',
  'unit/http/client-registrations',
  'unit/review/same-contract.property',
  'process/import-memory',
  'unit/storage/ledger-seals',
  'unit/http/client-documents',
  'unit/http/managed-registrations',
  'unit/http/bot-check',
  'e2e/console-overview',
  'unit/people/upstream-sign-in',
  'unit/cli/simulate',
  'race/factors',
  'process/graceful-stop',
  'process/start-output',
  'unit/storage/signing-keys',
  'unit/storage/migrations',
  'failure/every-endpoint',
  'unit/storage/views',
  'unit/http/growing-tables',
  'unit/http/identifier-first',
  'unit/http/mailed-code',
  'process/abnormal-exit',
  'unit/cli/launcher',
  'race/proven-retry-processes',
  'docs/container-files',
  'unit/cli/keys',
  'unit/storage/trusted-browsers',
  'interop/snippets-as-javascript',
  'unit/authorization/console',
  'unit/storage/embedded',
  'unit/cli/users',
  'race/password-change',
  'race/against-endings',
  'race/sealed-interaction',
  'unit/review/database-holds',
  'property/expired-yields-nothing.property',
  'unit/http/lying-documents',
  'interop/mcp-strangers',
  'unit/boot/smtp',
  'e2e/playground',
  'e2e/passkeys',
  'unit/http/permissions',
  'unit/storage/approve',
  'unit/hsm/keys-in-device',
  'property/linked-identities.property',
  'race/webhooks',
  'interop/oidc-client-ts',
  'unit/http/signing-keys',
  'e2e/account-lifetime',
  'unit/console/find',
  'e2e/account',
  'race/signing-keys',
  'unit/cli/apply',
  'unit/people/pending-links',
  'property/forged-or-garbled.property',
  'process/metrics-and-traces',
  'unit/storage/lists',
  'model/one-authorization.model',
  'unit/http/operator-set-up',
  'unit/console/forms',
  'unit/storage/housekeeping',
  'e2e/identifier-first',
  'unit/authorization/account',
  'unit/cli/clients',
  'process/last-log-lines',
  'unit/config/live-configuration',
].map((name) => `test/${name}.test.ts`);

const missing = SLOWEST.filter((path) => !existsSync(join(import.meta.dirname, '../..', path)));
if (missing.length > 0) throw new Error(`test/support/slowest-first.ts: no such file: ${missing.join(', ')}`);

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = SLOWEST.findIndex((path) => moduleId.endsWith(`/${path}`));
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
