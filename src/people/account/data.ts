/** The stored data about the end-user, as one document for download. */
import type { Session } from '../../model/session.ts';

type Rows = { readonly rows: readonly object[]; readonly more: boolean };

export type DataDeps = {
  readonly issuer: string;
  readonly personalDataOf: (
    userId: string,
  ) => Promise<{ readonly account: object; readonly tables: Readonly<Record<string, Rows>> } | null>;
};

/**
 * @returns JSON: `account`, and a list for each kind of row, the newest first. `incomplete` names the lists that end
 * before the oldest row. Null: the account was erased.
 * @throws StoreUnavailable
 */
export async function downloadData(
  { issuer, personalDataOf }: DataDeps,
  { userId }: Session,
  now: Date,
): Promise<string | null> {
  const data = await personalDataOf(userId);
  if (data === null) return null;
  const tables = Object.entries(data.tables);
  const document = {
    issuer,
    made_at: now,
    account: data.account,
    ...Object.fromEntries(tables.map(([name, { rows }]) => [name, rows])),
    incomplete: tables.filter(([, { more }]) => more).map(([name]) => name),
  };
  return `${JSON.stringify(document, (_, value) => (typeof value === 'bigint' ? value.toString() : value), 2)}\n`;
}
