/**
 * The import of many end-users. Each record is planned and decided by itself; their statements are batched. All of libuv's threads
 * hash passwords. Imported records stay after a failure: the same import again finds them unchanged.
 */

import type { Random } from '../crypto/random.ts';
import { subOf } from '../model/user.ts';
import { userImportStore } from '../storage/user-import.ts';
import { findUsersNamed, takenSubs, usernameKey } from '../storage/users.ts';
import { databaseClock } from '../system/clock.ts';
import { ChangeRefused, type UserAdministrationDeps } from './administration.ts';
import { applyUserPlan, PasswordMissing, planFor, SubRefused, type UserPlan } from './register-user.ts';
import type { UserRecord } from './user-record.ts';

/** `words`: why this record was refused; the others are not concerned. */
export type PlacedUser =
  | ({ readonly kind: 'placed'; readonly changed: readonly string[] } & Pick<
      UserPlan,
      'outcome' | 'username' | 'disabled'
    > & { readonly sub: string })
  | { readonly kind: 'refused'; readonly words: string };

/** How many are under way at the same time. */
export const USERS_AT_ONCE = 500;

/**
 * @param records at most USERS_AT_ONCE, of different end-users.
 * @returns in the order of the records. @throws Unavailable
 */
export function userPlacing(deps: UserAdministrationDeps & { readonly random: Random }) {
  const together = { ...deps, users: userImportStore(deps.db, deps.clock ?? databaseClock, deps.macs) };
  return async (records: readonly UserRecord[]): Promise<readonly PlacedUser[]> => {
    const found = await findUsersNamed(
      deps.db,
      records.map(({ username }) => username),
    );
    const taken = await takenSubs(
      deps.db,
      records.flatMap(({ sub }) => sub ?? []),
    );
    const stored = new Map(found.map(({ usernameKey: key, ...user }) => [key, user]));
    return Promise.all(
      records.map(async (record): Promise<PlacedUser> => {
        try {
          const plan = await planFor(together, record, {
            stored: stored.get(usernameKey(record.username)) ?? null,
            taken,
          });
          await applyUserPlan(together, plan);
          const { outcome, username, changed, disabled } = plan;
          return { kind: 'placed', outcome, sub: subOf(plan), username, changed, disabled };
        } catch (error) {
          if ([PasswordMissing, SubRefused, ChangeRefused].some((kind) => error instanceof kind))
            return { kind: 'refused', words: (error as Error).message };
          throw error;
        }
      }),
    );
  };
}
