/** Asking a grant to end: its machine decides, one statement that asks only for `state = 'active'` commits. */
import type { AnyStateMachine } from 'xstate';
import { grantMachine } from '../../machines/grant.machine.ts';
import type { GrantEventType } from '../../machines/vocabulary.ts';
import type { Grant } from '../model/grant.ts';
import { grantState } from '../model/grant.ts';
import { decideGrant, effectOf } from './decide.ts';
import { InvariantViolation, StoreUnavailable, Unavailable } from './errors.ts';
import type { GrantStore, Loaded, Revocation } from './ports.ts';

const MAX_ATTEMPTS = 5;

/**
 * @returns true when this call ended the grant; false when it had ended before.
 * @throws Unavailable when the store cannot be reached or does not settle; asking again is always safe.
 */
export async function revokeGrant(store: GrantStore, first: WithGrant, event: GrantEventType): Promise<boolean> {
  const { id: grantId, clientId } = first.grant;
  const steps = revoking(first, event);
  let next = steps.next();
  while (!next.done) {
    const step = next.value;
    next =
      step.kind === 'load'
        ? steps.next(await reached(store.load({ clientId, grantId })))
        : steps.next(await reached(store.revoke(step.revocation)));
  }
  return next.value;
}

type WithGrant = Pick<Loaded, 'now'> & { readonly grant: Grant };
export type RevokingStep =
  | { readonly kind: 'revoke'; readonly revocation: Revocation }
  /** Someone else ended it, or Postgres saw a conflict: the row tells which. */
  | { readonly kind: 'load' };

/** The same without a world, as `presenting` in present.ts. */
export function* revoking(
  first: WithGrant,
  event: GrantEventType,
  machine: AnyStateMachine = grantMachine,
): Generator<RevokingStep, boolean, boolean | Pick<Loaded, 'now' | 'grant'>> {
  let { grant, now } = first;
  const { id: grantId, clientId } = grant;
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const decision = decideGrant(machine, grantState(grant), event);
    const reason = effectOf(decision, 'writeRevoked')?.params.reason;
    const { machine: name, from, to } = decision;
    // As for a presentation: the row that its effects make must be what the machine says.
    if (to !== (reason === undefined ? from : 'revoked')) {
      throw new InvariantViolation(`${name}: ${event} in ${from} leads to ${to}, its effects do not`);
    }
    if (reason === undefined) return false;
    const entry = { machine: name, event, from, to, reason, generation: grant.refreshGeneration };
    const revocation = { grantId, now, reason, clientId, policy: null, entries: [entry] };
    if ((yield { kind: 'revoke', revocation }) === true) return true;
    const loaded = yield { kind: 'load' };
    if (typeof loaded === 'boolean' || !loaded.grant) return false;
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
