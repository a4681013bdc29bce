import type { Lifetimes } from '../engine/lifetimes.ts';
import type { Outcome } from '../engine/outcome.ts';
import type { PresentingClient } from '../engine/ports.ts';
import type { EngineDeps } from '../engine/present.ts';
import type { TokenDeps, TokenOutcome, TokenResponse } from './grant-type.ts';

export const engineDeps = (deps: TokenDeps, lifetimesOf: (client: PresentingClient) => Lifetimes): EngineDeps => ({
  store: deps.store,
  random: deps.random.bytes,
  sleep: deps.sleep,
  lifetimesOf,
});

export const settled = (outcome: Outcome<TokenResponse>): TokenOutcome =>
  outcome.kind === 'issued'
    ? { kind: 'issued', response: outcome.issued }
    : { kind: 'refused', reason: outcome.reason, revoked: outcome.revoked };
