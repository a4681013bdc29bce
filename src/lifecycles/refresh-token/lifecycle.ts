/** The refresh token: it names its place in the chain; its state follows from the grant's row. */

import type { RefreshTokenContext, RefreshTokenEvent } from '../../../machines/refresh-token/facts.ts';
import { refreshTokenMachine } from '../../../machines/refresh-token/machine.ts';
import { effectOf } from '../../engine/decide.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import { stepOf } from '../../engine/step.ts';
import {
  type AccessToday,
  type Bytes,
  type ChainPlace,
  endedBy,
  type Grant,
  refreshTokenState,
} from '../../model/grant.ts';
import { chainEndsAt, type Lifetimes, retryEndsAt } from '../../model/lifetimes.ts';
import { NO_PROOF } from '../../model/proof.ts';
import {
  moveHead,
  type PresentationFacts,
  type PresentationLifecycle,
  type PresentationPolicy,
  type PresentationRequest,
  presentationParts,
  presentationRequest,
} from '../presentation.ts';

/** Its place in the chain. `boundTo`: the thumbprint of the key to which the token is bound; absent: to its client alone. */
export type PresentedToken = ChainPlace & { readonly boundTo?: string };

export type RefreshTokenFacts = PresentationFacts & { readonly token: PresentedToken };

/** Milliseconds since 1970: of the head, and of a retry. */
const endOf = (grant: Grant, { lifetimes, token }: RefreshTokenFacts): number => {
  const end = chainEndsAt(grant, lifetimes);
  const isHead = grant.refreshGeneration === token.generation;
  return isHead ? end : Math.min(end, retryEndsAt(grant, lifetimes) ?? end);
};

export const refreshTokenLifecycle: PresentationLifecycle<RefreshTokenFacts> = {
  machine: refreshTokenMachine,
  stateOf: (grant, { token }) => refreshTokenState(grant, token),
  contextOf: (grant, { lifetimes, today, token, proofRequired, certificateRequired }): RefreshTokenContext => ({
    clientId: grant.clientId,
    boundTo: token.boundTo ?? null,
    proofRequired,
    certificateRequired,
    scope: grant.scope,
    scopeToday: today.scope,
    resources: today.resources,
    mayRefresh: today.mayRefresh,
    endsAt: chainEndsAt(grant, lifetimes),
    isPredecessor: grant.refreshGeneration === token.generation + 1n,
    retryEndsAt: retryEndsAt(grant, lifetimes),
    endedBy: endedBy(grant),
  }),
  changes: {
    rotate: (grant, facts) => {
      if (grant.refreshGeneration === null) throw new InvariantViolation('rotate: the chain is not started');
      return moveHead(grant, grant.refreshGeneration + 1n, facts);
    },
    // Nothing of it changes; but the head has to be the same when the entry is written.
    repeatHead: (grant) => ({ ...grant }),
  },
  ...presentationParts(endOf),
};

/** The parameters that the client sent with the token. */
export type PresentedRefreshToken = Omit<RefreshTokenEvent, 'type' | 'now'>;

export const refreshTokenRequest = <Issued>(
  token: PresentedToken,
  presented: PresentedRefreshToken,
  policy: PresentationPolicy<Issued>,
  nonce: Bytes,
): PresentationRequest<RefreshTokenFacts, Issued> =>
  presentationRequest(
    refreshTokenLifecycle,
    policy,
    nonce,
    { token },
    (now): RefreshTokenEvent => ({
      type: 'presented',
      now: now.getTime(),
      ...presented,
    }),
  );

/** The holder sends what its client needs. */
const NOTHING_DEMANDED = { proofRequired: false, certificateRequired: false };
const UNUSED_NONCE = new Uint8Array(16);

/**
 * Whether the server would exchange this token if its holder presented it now. The machine decides, so that no other code knows what makes a
 * token valid. Nothing is committed.
 */
export function refreshTokenWouldIssue(
  grant: Grant,
  token: PresentedToken,
  now: Date,
  lifetimes: Lifetimes,
  today: AccessToday,
): boolean {
  const event: RefreshTokenEvent = {
    type: 'presented',
    now: now.getTime(),
    clientId: grant.clientId,
    proof: { ...NO_PROOF, key: token.boundTo ?? null },
    // A retry exchanges nothing.
    clientProvesKey: false,
    scope: null,
    resources: null,
  };
  const policy = lifetimes.name;
  const facts = { now, policy, lifetimes, today, ...NOTHING_DEMANDED, nonce: UNUSED_NONCE, token };
  const { decisions } = stepOf(refreshTokenLifecycle, grant, facts, event);
  return decisions.some((decision) => effectOf(decision, 'rotate') !== undefined);
}
