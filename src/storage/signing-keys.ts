import { desc, eq } from 'drizzle-orm';
import type { StoredSigningKey } from '../crypto/signing-keys.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { signingKeys } from './schema.ts';

export type ListedSigningKey = StoredSigningKey & { readonly signing: boolean };

/** Newest first. */
export const listSigningKeys = (db: Drizzle): Promise<ListedSigningKey[]> =>
  reading(() => db.select().from(signingKeys).orderBy(desc(signingKeys.createdAt)));

export const replacePrivateJwe = (db: Drizzle, kid: string, privateJwe: string): Promise<unknown> =>
  writing(() => db.update(signingKeys).set({ privateJwe }).where(eq(signingKeys.kid, kid)));

/** Of nodes that start at once, one inserts; the others find its key. */
export const insertSigningKeyIfNone = (db: Drizzle, key: StoredSigningKey): Promise<unknown> =>
  writing(() =>
    db
      .insert(signingKeys)
      .values({ ...key, signing: true })
      .onConflictDoNothing(),
  );
