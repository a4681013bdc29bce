/** The end-user erases their account, through the machine of the registration, as an administrator would. */
import type { Configuration } from '../../config/configuration.ts';
import { changeUser, type UserStore } from '../../lifecycles/user/lifecycle.ts';
import { endUser } from '../../model/actor.ts';
import type { Session } from '../../model/session.ts';
import { usernameKey } from '../../oauth/username.ts';
import { scopeOfAdministrator } from '../../protocol/administrators.ts';

export type DeletionDeps = {
  readonly configuration: () => Configuration;
  readonly users: UserStore;
  /** Takes milliseconds. Waits between reloads after a lost commit. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

export type DeletionOutcome =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'refused'; readonly reason: DeletionRefusal }
  /** The session has ended. */
  | { readonly kind: 'signInRequired' };

/**
 * `is_administrator`: operators.yaml names the end-user. The next user with the free username would have the role
 * (SECURITY.md), so an operator removes the name from that file first.
 */
export type DeletionRefusal = 'username_differs' | 'is_administrator';

export const mayNotDelete = ({ configuration }: DeletionDeps, { username }: Session): boolean =>
  scopeOfAdministrator(configuration(), { kind: 'user', username }).length > 0;

/** @param typed the username, as the end-user typed it. Null: not sent. @throws Unavailable */
export async function deleteAccount(
  deps: DeletionDeps,
  session: Session,
  typed: string | null,
): Promise<DeletionOutcome> {
  const { userId, userEpoch, username } = session;
  if (mayNotDelete(deps, session)) return { kind: 'refused', reason: 'is_administrator' };
  if (typed === null || usernameKey(typed.trim()) !== usernameKey(username)) {
    return { kind: 'refused', reason: 'username_differs' };
  }
  const changed = await changeUser(deps, {
    id: userId,
    actor: endUser(userId),
    change: { type: 'deletionRequested' },
    // Every event that ends this session in the user's name raises the epoch.
    expects: ({ user }) => user?.epoch === userEpoch,
  });
  return { kind: changed.kind === 'done' ? 'deleted' : 'signInRequired' };
}
