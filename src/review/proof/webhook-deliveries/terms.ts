/** What the walk of the deliveries speaks of: an event on its way to a receiver, and the nodes that attempt it. */
import type { Commit } from '../../../engine/commit.ts';
import type { LoadedWebhookDelivery } from '../../../lifecycles/webhook-delivery/lifecycle.ts';
import type { WebhookDelivery } from '../../../model/webhook.ts';

export type Asked =
  | { readonly kind: 'claim' }
  /** `claim`: of the attempt that is reported. Milliseconds since 1970. */
  | { readonly kind: 'report'; readonly outcome: 'delivered' | 'gone' | 'failed'; readonly claim: number }
  | { readonly kind: 'repeat' }
  | { readonly kind: 'removeReceiver' };

export type Stored = { readonly delivery: WebhookDelivery };

export type Known = {
  /** Claims that nodes were given, and have not reported. */
  readonly claims: readonly number[];
  /** The last of them since the event was recorded or repeated; null: none. */
  readonly lastClaim: number | null;
  /** Claims that were committed since then. */
  readonly claimed: number;
  /** In all, and how many of them a node heard of. */
  readonly committedClaims: number;
  readonly answeredClaims: number;
  /** A report that the receiver has it was committed since then. */
  readonly isConfirmed: boolean;
};

export type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded: LoadedWebhookDelivery;
  readonly commit: Commit;
  readonly answer: WebhookDelivery | null;
  readonly known: Known;
};
