import { policyOf } from '../config/configuration.ts';
import type { Outcome } from '../engine/outcome.ts';
import type { EngineDeps } from '../engine/present.ts';
import type { TokenDeps, TokenOutcome, TokenResponse } from './grant-type.ts';

export const engineDeps = (deps: TokenDeps): EngineDeps => ({
  store: deps.store,
  random: deps.random.bytes,
  sleep: deps.sleep,
  lifetimesOf: (client) => policyOf(deps.configuration(), client),
});

export const settled = (outcome: Outcome<TokenResponse>): TokenOutcome =>
  outcome.kind === 'issued'
    ? { kind: 'issued', response: outcome.issued }
    : { kind: 'refused', reason: outcome.reason, revoked: outcome.revoked };
