/** The end-user views the linked identities of the account, and removes one. A federated sign-in adds one. */

import {
  type IdentityRemoved,
  type LinkedIdentityPorts,
  type LinkedIdentityStore,
  removeIdentity,
} from '../../lifecycles/linked-identity/lifecycle.ts';
import { isUuid } from '../../oauth/sub.ts';
import type { SessionDeps } from '../../protocol/browser-session.ts';

export type LinkedIdentitiesDeps = Pick<SessionDeps, 'configuration'> &
  LinkedIdentityPorts & { readonly identities: LinkedIdentityStore };

export type ShownIdentity = { readonly id: string; readonly label: string; readonly linkedAt: Date };

/** @throws StoreUnavailable */
export async function viewIdentities({ identities, configuration }: LinkedIdentitiesDeps, userId: string) {
  const { upstreams } = configuration();
  const linked = (await identities.list(userId)).map(
    ({ id, provider, issuer, linkedAt }): ShownIdentity => ({
      id,
      linkedAt,
      label: upstreams.find((one) => one.name === provider)?.label ?? new URL(issuer).host,
    }),
  );
  return { linked, places: upstreams.map(({ name, label }) => ({ name: `upstream:${name}`, label })) };
}

/** Repeating the request is always safe. @param id as sent. @returns null: the form names none. @throws Unavailable */
export const removeOwnIdentity = async (
  deps: LinkedIdentitiesDeps,
  userId: string,
  id: string | null,
): Promise<IdentityRemoved | null> =>
  id === null || !isUuid(id) ? null : removeIdentity(deps, { id, userId }, 'removalRequested');
