/** Images of clients: those to fetch, the result of each fetch, and the images for pages. */
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Image, RasterType } from '../model/image.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { nowOf } from './now.ts';
import { clientLogos, clients } from './schema.ts';
import { selectionFor } from './selection.ts';

/** An image that came is looked at again after a day; one that did not, after an hour. */
const AGAIN = sql.raw(`interval '1 day'`);
const TRY_AGAIN = sql.raw(`interval '1 hour'`);

export type ClientLogoStore = ReturnType<typeof clientLogoStore>;

export function clientLogoStore(db: Drizzle, clock: Clock) {
  const now = () => nowOf(clock);
  return {
    /** Takes the due images, at most `limit`: another node that asks gets others, or none for an hour. */
    take: async (limit: number): Promise<string[]> => {
      const due = db
        .selectDistinct(selectionFor(clientLogos, { logoUri: clients.logoUri, fetchAt: sql`${now()} + ${TRY_AGAIN}` }))
        .from(clients)
        .leftJoin(clientLogos, eq(clientLogos.logoUri, clients.logoUri))
        .where(
          and(
            isNotNull(clients.logoUri),
            isNull(clients.deletedAt),
            sql`(${clientLogos.fetchAt} is null or ${clientLogos.fetchAt} <= ${now()})`,
          ),
        )
        .limit(limit);
      const taken = await writing(() =>
        db
          .insert(clientLogos)
          .select(due)
          .onConflictDoUpdate({
            target: clientLogos.logoUri,
            set: { fetchAt: sql`excluded.fetch_at` },
            setWhere: sql`${clientLogos.fetchAt} <= excluded.fetch_at - ${TRY_AGAIN}`,
          })
          .returning({ logoUri: clientLogos.logoUri }),
      );
      return taken.map(({ logoUri }) => logoUri);
    },
    /** Replaces the earlier image. */
    save: async (logoUri: string, image: Image & { readonly type: RasterType }): Promise<void> => {
      const { hash, type } = image;
      const set = { hash, type, bytes: Buffer.from(image.bytes), fetchAt: sql`${now()} + ${AGAIN}` };
      await writing(() => db.update(clientLogos).set(set).where(eq(clientLogos.logoUri, logoUri)));
    },
    /** Those that no client names any more. */
    removeUnused: async (): Promise<void> => {
      const isUsed = sql`exists (select 1 from ${clients} where ${clients.logoUri} = ${clientLogos.logoUri} and ${clients.deletedAt} is null)`;
      await writing(() => db.delete(clientLogos).where(sql`not ${isUsed}`));
    },
    /** @returns the hash of the image; null: there is none that can be shown. */
    hashOf: async (logoUri: string): Promise<string | null> => {
      const [row] = await reading(() =>
        db.select({ hash: clientLogos.hash }).from(clientLogos).where(eq(clientLogos.logoUri, logoUri)),
      );
      return row?.hash ?? null;
    },
    find: async (hash: string): Promise<Image | null> => {
      const { type, bytes } = clientLogos;
      const [row] = await reading(() =>
        db.select({ type, bytes }).from(clientLogos).where(eq(clientLogos.hash, hash)).limit(1),
      );
      return row?.type && row.bytes ? { hash, type: row.type, bytes: row.bytes } : null;
    },
  };
}
