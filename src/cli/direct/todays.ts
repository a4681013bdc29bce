/** What lists for administrators depend on today. */
import type { Configuration } from '../../config/configuration.ts';
import type { Drizzle } from '../../storage/database.ts';
import type { LifetimesOf } from '../../storage/grant-list.ts';
import { findUserForSignIn } from '../../storage/users.ts';
import { noSuch } from '../failure.ts';

/** The lifetimes of the policy that a client has today. */
export const lifetimesToday =
  ({ policies }: Pick<Configuration, 'policies'>): LifetimesOf =>
  ({ policy: name }) => {
    const policy = policies.get(name);
    return policy ? { name, ...policy } : null;
  };

/** @returns the `sub`. @throws CommandRefused when nobody has this username. */
export async function userIdOf(db: Drizzle, username: string): Promise<string> {
  const user = await findUserForSignIn(db, username);
  if (user === null) throw noSuch('user', username);
  return user.id;
}
