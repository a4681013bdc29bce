/** The table of signing keys: the statements that read it, and those that renew a value under another root secret. */

import { and, desc, eq, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { SigningKeyStore } from '../lifecycles/signing-key/lifecycle.ts';
import { signingKeyFacts } from '../lifecycles/signing-key/table.ts';
import type { SigningKeyRow } from '../model/signing-key.ts';
import type { Clock } from '../system/clock.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { readNow } from './now.ts';
import { server, signingKeys } from './schema.ts';
import { noServerRow } from './server-row.ts';

export type ListedSigningKey = typeof signingKeys.$inferSelect;

/** Whether a process with the root secret published it. */
export const isAuthenticKey = (
  key: Pick<ListedSigningKey, 'kid' | 'alg' | 'publicJwk' | 'mac' | 'macVersion'>,
  macs: RowMacs,
): boolean => macs.isRight(...signingKeyFacts(key), key.mac);

/** Newest first. */
export const listSigningKeys = (db: Drizzle): Promise<ListedSigningKey[]> =>
  reading(() => db.select().from(signingKeys).orderBy(desc(signingKeys.createdAt), signingKeys.kid));

/** Keys that are not retired, and that the server neither uses nor publishes. */
export const ignoredSigningKeys = async (db: Drizzle, macs: RowMacs): Promise<readonly ListedSigningKey[]> =>
  (await listSigningKeys(db)).filter((key) => key.state !== 'retired' && !isAuthenticKey(key, macs));

/** Replaces only the row that was read: a private half that was erased since stays erased. */
export const replacePrivateJwe = (db: Drizzle, kid: string, read: string, privateJwe: string): Promise<unknown> =>
  writing(() =>
    db
      .update(signingKeys)
      .set({ privateJwe })
      .where(and(eq(signingKeys.kid, kid), eq(signingKeys.privateJwe, read))),
  );

/** Replaces only the row that was read. */
export const replaceKeyMac = (db: Drizzle, key: ListedSigningKey, macs: RowMacs): Promise<unknown> => {
  const next = { ...key, macVersion: key.macVersion + 1n };
  return writing(() =>
    db
      .update(signingKeys)
      .set({ mac: macs.macOf(...signingKeyFacts(next)), macVersion: next.macVersion })
      .where(and(eq(signingKeys.kid, key.kid), eq(signingKeys.macVersion, key.macVersion))),
  );
};

export function signingKeyStore(db: Drizzle, clock: Clock, macs: RowMacs): SigningKeyStore {
  return {
    load: async () => {
      const rows = await reading(() =>
        db
          .select({ now: readNow(clock), key: signingKeys })
          .from(server)
          .leftJoin(signingKeys, sql`true`)
          .orderBy(desc(signingKeys.createdAt), signingKeys.kid),
      );
      const [row] = rows;
      if (!row) throw noServerRow();
      return { now: row.now, keys: rows.flatMap(({ key }) => (key ? madeHere(key, macs) : [])) };
    },
    commit: commitStore(db, macs),
  };
}

/** The machine decides about keys that were made here. */
function madeHere(key: typeof signingKeys.$inferSelect, macs: RowMacs): SigningKeyRow | [] {
  const { publicJwk: _, mac: __, macVersion: ___, ...row } = key;
  return isAuthenticKey(key, macs) ? row : [];
}
