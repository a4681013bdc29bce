/** What the effects make of the row: pure, so that the engine can check the outcome before it commits it. */
import type { Effect } from './decide.ts';
import { InvariantViolation } from './errors.ts';
import type { LoadedGrant } from './ports.ts';

/** Drawn or computed once per request, before the decision. */
export type Draw = { readonly now: Date; readonly nonce: Uint8Array; readonly nextChainEndsAt: Date };

export function applyEffects(grant: LoadedGrant, effects: readonly Effect[], draw: Draw): LoadedGrant {
  return effects.reduce((row, effect) => applyEffect(row, effect, draw), grant);
}

function applyEffect(grant: LoadedGrant, effect: Effect, draw: Draw): LoadedGrant {
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

function moveHead(grant: LoadedGrant, generation: bigint, draw: Draw): LoadedGrant {
  return {
    ...grant,
    refreshGeneration: generation,
    refreshNonce: draw.nonce,
    lastUsedAt: draw.now,
    chainEndsAt: draw.nextChainEndsAt,
  };
}
