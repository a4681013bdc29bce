/** Asking a grant to end: its machine decides, one statement that asks only for `state = 'active'` commits. */
import { grantMachine } from '../../machines/grant.machine.ts';
import type { GrantEventType } from '../../machines/vocabulary.ts';
import { decideGrant, effectOf } from './decide.ts';
import { grantState } from './derive.ts';
import { StoreUnavailable, Unavailable } from './errors.ts';
import type { GrantStore, Loaded, LoadedGrant } from './ports.ts';

const MOST_TRIES = 5;

/**
 * @returns true when this call ended the grant; false when it had ended before.
 * @throws Unavailable when the store cannot be reached or does not settle; asking again is always safe.
 */
export async function revokeGrant(
  store: GrantStore,
  first: Loaded & { readonly grant: LoadedGrant },
  event: GrantEventType,
): Promise<boolean> {
  let { grant, now } = first;
  const { id: grantId, clientId } = grant;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const decision = decideGrant(grantMachine, grantState(grant), event);
    const reason = effectOf(decision, 'writeRevoked')?.params.reason;
    if (reason === undefined) return false;
    const { machine, from, to } = decision;
    const entry = { machine, event, from, to, reason, generation: grant.refreshGeneration };
    if (await reached(store.revoke({ grantId, now, reason, clientId, policy: null, entries: [entry] }))) return true;
    // Someone else ended it, or Postgres saw a conflict: the row tells which.
    const loaded = await reached(store.load({ clientId, grantId }));
    if (!loaded.grant) return false;
    ({ now, grant } = { now: loaded.now, grant: loaded.grant });
  }
  throw new Unavailable('too_many_conflicts');
}

async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new Unavailable(error.maybeCommitted ? 'commit_unknown' : 'store_unavailable', { cause: error });
  }
}
