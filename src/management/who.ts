/**
 * The caller and their scopes: those of the access token that the current role has too. The guard has checked the token. This file loads
 * its grant, its client and the role again, so that the server rejects a request as soon as one of them ends.
 */
import { hmacSha256 } from '../crypto/digest.ts';
import type { Access } from '../guard/outcome.ts';
import { type Actor, commandLine } from '../model/actor.ts';
import { subOf } from '../model/user.ts';
import { scopeOfAdministrator } from '../protocol/administrators.ts';
import { presentedAccessToken } from '../protocol/presented-access-token.ts';
import { findUserById, isAuthenticUser } from '../storage/users.ts';
import type { GuardDeps } from './deps.ts';

export type Me = {
  readonly kind: 'operator' | 'client';
  /** Of an operator as the database names the end-user, or of a client. */
  readonly id: string;
  /** Absent: the id, or a client. */
  readonly sub?: string;
  /** Null: a client. */
  readonly username: string | null;
  /** The scopes of the token that the current role has too. */
  readonly scopes: readonly string[];
};

/** @returns null when the token has ended. @throws StoreUnavailable */
export async function whoCalls(deps: GuardDeps, access: Access, token: string): Promise<Me | null> {
  const presented = await presentedAccessToken(deps, token);
  if (presented.kind === 'inactive') return null;
  const { grant } = presented;
  if (grant === null) {
    const { clientId } = access;
    const today = scopeOfAdministrator(deps.configuration(), { kind: 'client', clientId });
    return { kind: 'client', id: clientId, username: null, scopes: both(access.scopes, today) };
  }
  const user = await findUserById(deps.db, grant.userId);
  if (user === null || user.disabledAt !== null || !isAuthenticUser(user, deps.macs)) return null;
  const { id, username } = user;
  const sub = subOf(user);
  const today = scopeOfAdministrator(deps.configuration(), { kind: 'user', username });
  return { kind: 'operator', id, sub, username, scopes: both(access.scopes, today) };
}

const both = (token: readonly string[], role: readonly string[]): readonly string[] =>
  token.filter((scope) => role.includes(scope));

/** @param address one spelling for each network (src/http/address-key.ts). */
export const actorOf = (
  { keys, commandLineClient }: Pick<GuardDeps, 'keys' | 'commandLineClient'>,
  { kind, id }: Me,
  address: string,
): Actor => ({
  ...(kind === 'client' && id === commandLineClient ? commandLine : { kind, id }),
  addressHash: hmacSha256(keys.first.key('throttle'), 'administration\n', address).toString('base64url').slice(0, 22),
});
