/**
 * The effects that several machines have. The functions are empty on purpose: XState never executes an effect; the engine reads
 * `{type, params}` and commits it in one guarded statement.
 */

import type { GrantEventType } from '../grant/facts.ts';
import type { EpochOwner } from './facts.ts';

export const shared = {
  /** Issue an access token and, where the client may refresh, the head of the chain. */
  issueTokens(): void {},
  /** Send this event to the grant's machine: only that machine writes `revoked`. */
  revokeGrant(_: unknown, _params: { event: GrantEventType }): void {},
  /** Raise the owner's epoch: every grant or session that was made under an older epoch ends, without a write to its row. */
  raiseEpoch(_: unknown, _params: { of: EpochOwner }): void {},
  /** The factor was proven. */
  accept(): void {},
  /** Drop the secret of the factor, for good. */
  removeFactor(): void {},
  /** Count an attempt, and keep other nodes from it until it must be over. */
  claimDelivery(): void {},
  /** Wait until the next attempt. */
  retryDelivery(): void {},
  /** The receiver has the event; the relay has the mail. */
  recordDelivery(): void {},
};

/** Reject the request with one of these reasons; nothing is issued. */
export const rejectWith =
  <Reason extends string>() =>
  (_: unknown, _params: { reason: Reason }): void => {};

/** The params are data, so that diagrams and tables can print them. */
export const reject = <const Reason extends string>(reason: Reason) =>
  ({ type: 'reject', params: { reason } }) as const;

export const revokeGrant = (event: GrantEventType) => ({ type: 'revokeGrant', params: { event } }) as const;

export const raiseEpoch = (of: EpochOwner) => ({ type: 'raiseEpoch', params: { of } }) as const;
