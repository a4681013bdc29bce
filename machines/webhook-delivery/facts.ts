import type { Instant } from '../shared/facts.ts';

/** Why the server no longer sends an event to its endpoint. */
export type AbandonReason = 'attempts_used_up' | 'too_old' | 'receiver_gone' | 'receiver_removed';

export type WebhookDeliveryState = 'pending' | 'delivered' | 'abandoned';

/** The facts about a delivery: when it may be attempted, how often still, and until when. */
export type WebhookDeliveryContext = {
  /** No node attempts it before; while an attempt is under way, how long it has. `null`: it has ended. */
  readonly nextAttemptAt: Instant | null;
  /** Of its attempts since it was recorded, or since it was repeated last. */
  readonly attemptsLeft: number;
  readonly givesUpAt: Instant;
};

/** A node wants to attempt it. */
export type Claimed = { readonly type: 'claimed'; readonly now: Instant };

export type Failed = {
  readonly type: 'failed';
  /** The `nextAttemptAt` that the claim of the reported attempt set. */
  readonly claim: Instant;
  /** When the next attempt would be. */
  readonly retryAt: Instant;
};

export type WebhookDeliveryEvent =
  | Claimed
  | Failed
  | { readonly type: 'succeeded' | 'goneAnswered' | 'receiverRemoved' | 'repeatRequested' };
