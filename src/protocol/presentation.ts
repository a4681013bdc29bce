/**
 * The part that a code and a refresh token share at the token endpoint: the current policy, the tokens, and the answer.
 */
import { type Configuration, policyOf } from '../config/configuration.ts';
import type { Outcome, PresentationPolicy } from '../lifecycles/presentation.ts';
import type { Presenter } from '../model/ledger.ts';
import { accessToday } from './access-today.ts';
import type { TokenDeps, TokenOutcome, TokenResponse } from './grant-type.ts';
import { type Binding, issueTokens } from './issue.ts';
import type { Narrowing } from './narrowing.ts';

/**
 * The policy and the effective access under a configuration: all that it says about a presentation.
 * @param username of `administratorNameOf`.
 */
export const rulesOf = (
  configuration: () => Configuration,
  username: string | null,
): Pick<PresentationPolicy<unknown>, 'lifetimesOf' | 'accessToday'> => ({
  lifetimesOf: (client) => policyOf(configuration(), client),
  accessToday: (grant, client) => accessToday(configuration(), grant, client, username),
});

/** @param username of `administratorNameOf`. */
export const waysOf = (
  deps: TokenDeps,
  narrowing: Narrowing,
  username: string | null,
  presenter: () => Presenter,
  binding: Binding,
): PresentationPolicy<TokenResponse> => ({
  ...rulesOf(deps.configuration, username),
  presenter,
  mint: (next, today, loaded) => issueTokens(deps, next, today, narrowing, loaded, binding),
});

export const settled = (outcome: Outcome<TokenResponse>): TokenOutcome =>
  outcome.kind === 'issued'
    ? { kind: 'issued', response: outcome.issued }
    : { kind: 'refused', reason: outcome.reason, revoked: outcome.revoked };
