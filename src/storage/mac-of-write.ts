/**
 * The columns that storage writes of a commit: those of its row, MACs, their versions, the key by which a username is found, and when a
 * record changed.
 */
import type { PgTable } from 'drizzle-orm/pg-core';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { Columns, Write } from '../engine/commit.ts';
import { InvariantViolation } from '../engine/errors.ts';
import type { RowVersion } from '../lifecycles/client/lifecycle.ts';
import type { HeldTable } from '../lifecycles/table.ts';
import { HELD_TABLES } from '../lifecycles/tables.ts';
import type { RegisteredClient } from '../model/client.ts';
import type { RegisteredUser } from '../model/user.ts';
import { macsOfClient } from './authentic-clients.ts';
import { FIRST_VERSION, nextMacVersion } from './row-version.ts';
import { clients, users } from './schema.ts';
import { macOfChange, macOfUser, usernameKeyOf } from './user-macs.ts';

/**
 * For an insert: the row, with the MAC of its first version. For an update: the changes; where they concern the authority of the row, with the
 * MAC of the next.
 */
export function columnsOfWrite(macs: RowMacs | null, table: PgTable, write: Write, now: Date): Columns {
  const held: HeldTable | undefined = HELD_TABLES.find((one) => one.table === table);
  const columns = write.kind === 'insert' ? (held?.columnsOf?.(write.row as never) ?? write.row) : write.set;
  const { mac } = held ?? {};
  if (mac === undefined || (write.kind === 'update' && !mac.changesWithCommit && !OWN_VERSIONS.includes(table)))
    return columns;
  if (macs === null) throw new InvariantViolation(`a row of ${write.table} is written without its MAC`);
  if (table === users) return { ...columns, ...ofUser(macs, write, now) };
  if (table === clients) return { ...columns, ...ofClient(macs, write) };
  const before =
    write.kind === 'insert' ? { macVersion: FIRST_VERSION } : (write.loaded as { readonly macVersion: bigint });
  const macVersion = write.kind === 'insert' ? FIRST_VERSION : before.macVersion + 1n;
  return { ...columns, mac: macs.macOf(...mac.facts({ ...before, ...columns, macVersion } as never)), macVersion };
}

/** Of their rows, a commit carries the version that it replaces. */
const OWN_VERSIONS: readonly PgTable[] = [users, clients];

function ofClient(macs: RowMacs, write: Write): Columns {
  const row = write.kind === 'insert' ? write.row : { ...write.loaded, ...write.set };
  const { version = null, ...client } = row as RegisteredClient & { readonly version?: RowVersion };
  const macVersion = nextMacVersion(version);
  return { macVersion, ...macsOfClient(macs, { ...client, macVersion }) };
}

/** A value that came into the row past the server does not become authentic by a commit. */
function ofUser(macs: RowMacs, write: Write, now: Date): Columns {
  if (write.kind === 'insert') {
    const user = write.row as unknown as RegisteredUser;
    return { usernameKey: usernameKeyOf(user), mac: macOfUser(macs, user) };
  }
  const { version, ...user } = { ...write.loaded, ...write.set } as RegisteredUser & { readonly version: RowVersion };
  const key = usernameKeyOf(user);
  const isRenamed = key !== usernameKeyOf(write.loaded as RegisteredUser);
  return {
    ...macOfChange(macs, version, user),
    ...(isRenamed && { usernameKey: key }),
    ...(changesRecord(write.set) && { changedAt: now }),
  };
}

/** A new password raises the epoch. The same password, hashed again, does not, and is no change of the record. */
const changesRecord = (set: Columns): boolean =>
  ['username', 'claims', 'disabledAt'].some((column) => column in set) || ('passwordHash' in set && 'epoch' in set);
