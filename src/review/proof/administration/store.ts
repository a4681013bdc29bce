/** One client or one end-user in memory, under the same contract as in Postgres (src/storage/client-store.ts, user-store.ts). */

import type { ClientCommit, ClientRow } from '../../../lifecycles/client/lifecycle.ts';
import type { UserCommit, UserRow } from '../../../lifecycles/user/lifecycle.ts';
import { drawn, drawnId } from '../identities.ts';
import type { Stored, Terms, Versioned } from './terms.ts';

export const CLIENT_ID = drawn('shop');
export const USER_ID = drawnId();
/** The username of somebody else. */
export const TAKEN = 'bob';

const versionOf = (row: object | null, version: number): string | null => (row === null ? null : String(version));

export function load({ client, user }: Stored, asked: Terms['asked'], now: Date): Terms['loaded'] {
  if (client !== null) {
    return { now, row: client.row, version: versionOf(client.row.client, client.version) };
  }
  if (user === null) throw new Error('The walk is about nothing.');
  const sent =
    asked.about === 'user' && asked.change.type === 'registrationRequested' ? asked.change.registration : null;
  return {
    now,
    row: user.row,
    version: versionOf(user.row.user, user.version),
    usernameOf: usernameOf(user.row, sent?.username ?? null),
  };
}

function usernameOf({ user }: UserRow, username: string | null): string | null {
  if (username === TAKEN) return 'somebody else';
  return username !== null && user?.username === username ? user.id : null;
}

type AnyCommit = ClientCommit | UserCommit;
type Fact = (before: Versioned<ClientRow | UserRow>, commit: AnyCommit) => boolean;

/** Every fact that the commit compares, by name, so that each can be left out to see what that would allow. */
export const ADMINISTRATION_GUARD: Readonly<Record<string, Fact>> = {
  rowIsAsLoaded: ({ row, version }, commit) => {
    const isThere = 'client' in row ? row.client !== null : row.user !== null;
    return commit.version === (isThere ? String(version) : null);
  },
};

/** @returns null when the guard did not hold: nothing changed. */
export function commitAdministration(
  { client, user }: Stored,
  commit: AnyCommit,
  guard = ADMINISTRATION_GUARD,
): Stored | null {
  const before = client ?? user;
  if (before === null || !Object.values(guard).every((fact) => fact(before, commit))) return null;
  const version = before.version + 1;
  if (client !== null && 'clientId' in commit.after) {
    return { client: { row: { ...client.row, client: commit.after }, version }, user };
  }
  if (user !== null && 'username' in commit.after) return { client, user: { row: { user: commit.after }, version } };
  throw new Error('The commit is about something else.');
}
