import { type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { RowVersion } from '../lifecycles/client/lifecycle.ts';

/**
 * The transaction that wrote the row last (`xmin`). Postgres changes it with every write, by a node of any version, so a commit that
 * compares it replaces exactly the loaded row.
 */
export const rowVersion = (table: PgTable): SQL<string> => sql<string>`${table}.xmin::text`;

/** Before the version of a row whose authority was stored without the root secret. */
const NOT_OURS = 'not ours: ';

/** Of a row that was loaded: as `rowVersion` has it, and the version of its MAC. */
export const loadedVersion = (
  isAuthentic: boolean,
  { version, macVersion }: { readonly version: string | null; readonly macVersion: bigint | null },
): NonNullable<RowVersion> => `${isAuthentic ? '' : NOT_OURS}${version}/${macVersion}`;

/** As `rowVersion` has it. */
export const storedVersion = (version: NonNullable<RowVersion>): string =>
  version.replace(NOT_OURS, '').split('/', 1)[0] ?? '';

/** Of the MAC that is written next. */
export const nextMacVersion = (version: RowVersion): bigint =>
  version === null ? FIRST_VERSION : BigInt(version.split('/').at(-1) ?? '') + 1n;

/** Of a row that is inserted. */
export const FIRST_VERSION = 0n;

export const isOurs = (version: RowVersion): boolean => !version?.startsWith(NOT_OURS);
