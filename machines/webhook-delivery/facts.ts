import type { Instant } from '../shared/facts.ts';

/** Why an event is not sent to its receiver any more. */
export type AbandonReason = 'attempts_used_up' | 'too_old' | 'receiver_gone' | 'receiver_removed';

export type WebhookDeliveryState = 'pending' | 'delivered' | 'abandoned';

/**
 * The effects, declared to XState. The functions are empty on purpose: the engine reads `{type, params}` and commits it in one
 * guarded statement. An epoch is in the row of its owner: `raiseEpoch` of client or user changes a grant or a session by what
 * is read with it.
 */
export type WebhookDeliveryContext = {
  /** No node attempts it before; while an attempt is under way, how long it has. `null`: it has ended. */
  readonly nextAttemptAt: Instant | null;
  /** Of its attempts since it was recorded, or since it was repeated last. */
  readonly attemptsLeft: number;
  readonly givesUpAt: Instant;
};

export type WebhookDeliveryEvent = {
  readonly type: 'claimed' | 'succeeded' | 'failed' | 'goneAnswered' | 'receiverRemoved' | 'repeatRequested';
  readonly now: Instant;
  /** What `nextAttemptAt` became when the attempt that is reported was claimed; `null`: no attempt is reported. */
  readonly claim: Instant | null;
  /** When the next attempt would be. */
  readonly retryAt: Instant;
};
