/** Which databases have their tables spread over a cluster, for the few statements that cannot be one for both. */
import type { Drizzle } from './database.ts';

const known = new WeakMap<Drizzle, () => boolean>();

export const knownAsSpread = (db: Drizzle, isSpread: () => boolean): void => void known.set(db, isSpread);

/** @param db no transaction. */
export const areSpread = (db: Drizzle): boolean => known.get(db)?.() ?? false;
