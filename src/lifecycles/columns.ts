/** The kinds of columns that tables share, the same on both drivers. */
import { sql } from 'drizzle-orm';
import { bigint, customType, text, timestamp } from 'drizzle-orm/pg-core';

/** `bytea`. */
export const bytes = customType<{ data: Buffer; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  toDriver: (value) => value,
  fromDriver: (value) => Buffer.from(value.buffer, value.byteOffset, value.byteLength),
});

/** The id of a transaction, with its epoch: it never begins again. As decimal digits. */
export const xid8 = customType<{ data: string; driverData: string }>({ dataType: () => 'xid8' });

export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

/** Raising it ends every grant with an older value, immediately and for good. */
export const epoch = (name: string) => bigint(name, { mode: 'bigint' }).notNull();

/** A list that is read and replaced as a whole. */
export const texts = (name: string) => text(name).array().$type<readonly string[]>();

/**
 * Of a row that gives authority: its MAC (`mac` of its table). The server ignores a row without one. The version is under the MAC and
 * rises with each MAC, so that no earlier one comes back (src/review/sql/rules.ts).
 */
export const authenticated = () => ({
  mac: bytes('mac'),
  macVersion: bigint('mac_version', { mode: 'bigint' }).notNull().default(sql`0`),
});
