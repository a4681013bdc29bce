/** Rows beside a client, by which it introduces itself: a document, or a registration. A row and its client are one commit. */
import { type Commit, insert, rowsOf, type Table, update, type Write } from '../../engine/commit.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import type { LedgerEntry } from '../../model/ledger.ts';
import { within } from '../within.ts';
import { type ClientRow, clientLifecycle, clientWrite, type RowVersion } from './lifecycle.ts';

export type BesideFacts = {
  readonly now: Date;
  /** Of the row of the client. */
  readonly version: RowVersion;
};

/** The lifecycle of the client, as a part of the row beside it. */
export const clientBeside = <Row extends ClientRow>() =>
  within(
    clientLifecycle,
    ({ clientId, client }: Row): ClientRow => ({ clientId, client }),
    (row, { client }) => ({ ...row, client }),
  );

export const byItself = (clientId: string) => ({ kind: 'client', id: clientId, addressHash: null }) as const;

type Beside<Stored extends object> = {
  readonly table: Table<Stored>;
  /** Null: nothing is stored. */
  readonly before: Stored | null;
  readonly after: Stored | null;
  /** The columns that have to be as they were loaded. */
  readonly asLoaded: readonly (keyof Stored & string)[];
  /** The rows of the table that a new one may find, each of any client. */
  readonly mostStored: number;
  /** "few enough … are stored", for the output of the model check. */
  readonly fewEnough: string;
};

export function commitBeside<Stored extends { readonly clientId: string }>(
  clients: { readonly before: ClientRow; readonly after: ClientRow },
  { table, before, after, asLoaded, mostStored, fewEnough }: Beside<Stored>,
  { now, version }: BesideFacts,
  entries: readonly LedgerEntry[],
): Commit {
  if (after === null) throw new InvariantViolation(`${table.name}: a change without a row`);
  const { client } = clients.after;
  const writes: Write[] = [];
  if (client !== null && client !== clients.before.client)
    writes.push(clientWrite(clients.before.client, client, version));
  if (before === null) writes.push(insert(table, after, [{ clientId: after.clientId } as Partial<Stored>]));
  else if (after !== before) writes.push(update(table, before, after, asLoaded, { key: 'clientId' }));
  // Without a lock: commits that meet may exceed it by their number.
  const requirement = { that: fewEnough, rows: [rowsOf(table, {})], are: { fewerThan: mostStored } };
  return { now, requires: before === null ? [requirement] : [], writes: writes as [Write, ...Write[]], entries };
}
