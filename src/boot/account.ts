/** The dependencies of the account pages, loaded at the first request to them. */
import type { RowMacs } from '../crypto/row-mac.ts';
import { type AccountRoutesOptions, accountHandlers } from '../http/account/routes.ts';
import { accountSummaryOf } from '../storage/account-summary.ts';
import type { Drizzle } from '../storage/database.ts';
import { personalDataOf } from '../storage/personal-data.ts';
import { addressesOfSessions } from '../storage/session-origins.ts';
import { userStore } from '../storage/user-store.ts';
import type { Clock } from '../system/clock.ts';

type Parts = Omit<AccountRoutesOptions, 'users' | 'personalDataOf' | 'summaryOf' | 'addressesOf'> & {
  readonly users: Omit<AccountRoutesOptions['users'], keyof ReturnType<typeof userStore>>;
  readonly db: Drizzle;
  readonly clock: Clock;
  readonly macs: RowMacs;
};

export const accountPages = ({ db, clock, macs, ...parts }: Parts) =>
  accountHandlers({
    ...parts,
    users: { ...parts.users, ...userStore(db, clock, macs) },
    addressesOf: (userId, sessions) => addressesOfSessions(db, userId, sessions),
    summaryOf: (userId) => accountSummaryOf(db, userId),
    personalDataOf: (userId) => personalDataOf(db, userId),
  });
