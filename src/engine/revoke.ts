/** Asking a grant to end: its machine decides, one statement that asks only for `state = 'active'` commits. */
import { grantMachine } from '../../machines/grant.machine.ts';
import type { GrantEventType } from '../../machines/vocabulary.ts';
import { decideGrant, effectOf } from './decide.ts';
import { grantState } from './derive.ts';
import { StoreUnavailable, Unavailable } from './errors.ts';
import type { GrantStore, Loaded, LoadedGrant } from './ports.ts';

/**
 * @returns true when this call ended the grant; false when it had ended before.
 * @throws Unavailable when the store cannot be reached; asking again is always safe.
 */
export async function revokeGrant(
  store: GrantStore,
  loaded: Loaded & { readonly grant: LoadedGrant },
  event: GrantEventType,
): Promise<boolean> {
  const { grant, now } = loaded;
  const decision = decideGrant(grantMachine, grantState(grant), event);
  const revoked = effectOf(decision, 'writeRevoked');
  if (!revoked) return false;
  const { machine, from, to } = decision;
  const reason = revoked.params.reason;
  const entry = { machine, event, from, to, reason, generation: grant.refreshGeneration };
  try {
    return await store.revoke({
      grantId: grant.id,
      now,
      reason,
      clientId: grant.clientId,
      policy: null,
      entries: [entry],
    });
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new Unavailable(error.maybeCommitted ? 'commit_unknown' : 'store_unavailable', { cause: error });
  }
}
