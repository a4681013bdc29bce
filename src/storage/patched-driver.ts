/**
 * Unpatched, the driver can lose a connection for good when it ends at a bad moment (patches/README.md). An installation without
 * scripts leaves it unpatched, which would stay unnoticed until the database's first outage.
 */
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

const DRIVER = dirname(findPackageJSON('postgres', import.meta.url) ?? '');
/** A name that only the patch has. */
const MARK = 'typesUnknown';

export class DriverNotPatched extends Error {
  constructor() {
    super(
      'The Postgres driver is not patched: npm ran without scripts. Run "npm run postinstall", then repeat this command.',
    );
    this.name = 'DriverNotPatched';
  }
}

/** @throws DriverNotPatched */
export function requirePatchedDriver(folder: string = DRIVER): void {
  if (!readFileSync(join(folder, 'src/connection.js'), 'utf8').includes(MARK)) throw new DriverNotPatched();
}
