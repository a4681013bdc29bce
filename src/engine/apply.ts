/** What the effects make of the row: pure, so that the engine can check the outcome before it commits it. */

import type { Grant } from '../model/grant.ts';
import type { Effect } from './decide.ts';
import { InvariantViolation } from './errors.ts';

/** Drawn or computed once per request, before the decision. */
export type Draw = { readonly now: Date; readonly nonce: Uint8Array; readonly nextChainEndsAt: Date };

export function applyEffects(grant: Grant, effects: readonly Effect[], draw: Draw): Grant {
  return effects.reduce((row, effect) => applyEffect(row, effect, draw), grant);
}

function applyEffect(grant: Grant, effect: Effect, draw: Draw): Grant {
  switch (effect.type) {
    case 'beginChain':
      return moveHead(grant, 0n, draw);
    case 'rotate':
      if (grant.refreshGeneration === null) throw new InvariantViolation('rotate: the chain has not begun');
      return moveHead(grant, grant.refreshGeneration + 1n, draw);
    case 'writeRevoked':
      return { ...grant, state: 'revoked', revokedReason: effect.params.reason };
    default:
      return grant;
  }
}

function moveHead(grant: Grant, generation: bigint, draw: Draw): Grant {
  return {
    ...grant,
    refreshGeneration: generation,
    refreshNonce: draw.nonce,
    lastUsedAt: draw.now,
    chainEndsAt: draw.nextChainEndsAt,
  };
}
