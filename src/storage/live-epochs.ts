import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { server, users } from './schema.ts';

/** Null: its owner has ended. */
export const liveEpoch = (epoch: AnyPgColumn, endedAt: AnyPgColumn): SQL<bigint | null> =>
  sql`case when ${endedAt} is null then ${epoch} end`.mapWith(BigInt);

/** Of the end-user and of the server, today. */
export const EPOCHS_OF_USER = {
  liveUserEpoch: liveEpoch(users.epoch, users.disabledAt),
  liveServerEpoch: server.epoch,
};
