/** A rotation as the server commits it, without the request around it. */
import { randomBytes } from 'node:crypto';
import type { GrantStore, HeadMove } from '../../src/lifecycles/grant/lifecycle.ts';
import type { Grant } from '../../src/model/grant.ts';

const DAY_MILLISECONDS = 86_400_000;

/** @returns the grant with its new head. Of a code that waits: its exchange. */
export async function rotated({ commit }: Pick<GrantStore, 'commit'>, loaded: Grant): Promise<Grant> {
  const generation = loaded.refreshGeneration === null ? 0n : loaded.refreshGeneration + 1n;
  const machine = loaded.refreshGeneration === null ? ('authorizationCode' as const) : ('refreshToken' as const);
  const now = new Date();
  const later = new Date(now.getTime() + DAY_MILLISECONDS);
  const move: HeadMove = {
    ...{ loaded, now, generation, nonce: randomBytes(16), chainEndsAt: later, endsAt: later, policy: 'default' },
    entry: { machine, event: 'presented', from: 'active', to: 'used', reason: null, generation },
  };
  if (!(await commit({ kind: 'moveHead', move }))) throw new Error('not rotated');
  return { ...loaded, refreshGeneration: generation, refreshNonce: move.nonce };
}
