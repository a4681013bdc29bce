/** The authorization code: the first half of a grant's row. */

import type { AuthorizationCodeContext, AuthorizationCodeEvent } from '../../../machines/authorization-code/facts.ts';
import { authorizationCodeMachine } from '../../../machines/authorization-code/machine.ts';
import { authorizationCodeState, type Bytes, endedBy } from '../../model/grant.ts';
import { codeEndsAt } from '../../model/lifetimes.ts';
import {
  moveHead,
  type PresentationFacts,
  type PresentationLifecycle,
  type PresentationPolicy,
  type PresentationRequest,
  presentationParts,
  presentationRequest,
} from '../presentation.ts';

export const authorizationCodeLifecycle: PresentationLifecycle<PresentationFacts> = {
  machine: authorizationCodeMachine,
  stateOf: authorizationCodeState,
  contextOf: (grant, { lifetimes, today, proofRequired, certificateRequired }): AuthorizationCodeContext => ({
    clientId: grant.clientId,
    boundTo: grant.dpopJkt,
    proofRequired,
    certificateRequired,
    redirectUri: grant.redirectUri,
    codeChallenge: grant.codeChallenge,
    scopeToday: today.scope,
    resources: today.resources,
    endsAt: codeEndsAt(grant, lifetimes),
    endedBy: endedBy(grant),
  }),
  changes: { beginChain: (grant, facts) => moveHead(grant, 0n, facts) },
  ...presentationParts((grant, { lifetimes }) => codeEndsAt(grant, lifetimes)),
};

/** The parameters that the client sent with the code. */
export type PresentedCode = Omit<AuthorizationCodeEvent, 'type' | 'now'>;

export const authorizationCodeRequest = <Issued>(
  presented: PresentedCode,
  policy: PresentationPolicy<Issued>,
  nonce: Bytes,
): PresentationRequest<PresentationFacts, Issued> =>
  presentationRequest(
    authorizationCodeLifecycle,
    policy,
    nonce,
    {},
    (now): AuthorizationCodeEvent => ({
      type: 'presented',
      now: now.getTime(),
      ...presented,
    }),
  );
