/** Ledger entries about rejected sign-ins. sessions.ts writes those of accepted sign-ins, with the session. */
import { sql } from 'drizzle-orm';
import type { RefusedSignIn } from '../lifecycles/session/sign-in.ts';
import type { SignInOrigin } from '../model/ledger.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { writing } from './failures.ts';
import { ledgerColumns, originLine } from './ledger.ts';
import { nowOf } from './now.ts';
import { server, transitions } from './schema.ts';

/** No machine: the sign-in that a line is about. */
export const SIGN_IN = { machine: sql`'signIn'`, from: sql`'attempted'` } as const;

/** @throws StoreUnavailable */
export async function writeRefusedSignIn(
  db: Drizzle,
  clock: Clock,
  { method, reason, userId }: RefusedSignIn,
  origin: SignInOrigin,
): Promise<void> {
  await writing(() =>
    db.insert(transitions).select(
      db
        .select(
          ledgerColumns({
            ...SIGN_IN,
            ...originLine(origin),
            at: nowOf(clock),
            event: sql`${method}`,
            to: sql`'refused'`,
            reason: sql`${reason}`,
            // Without an account it may be anywhere.
            shardKey: userId === null ? sql`gen_random_uuid()` : sql`${userId}`,
            userId: sql`${userId}`,
          }),
        )
        .from(server),
    ),
  );
}
