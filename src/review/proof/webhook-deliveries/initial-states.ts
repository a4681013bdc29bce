/** Where every exploration of the deliveries begins: an event that is new, under way, late, and over. */
import type { RetryPolicy } from '../../../lifecycles/webhook-delivery/lifecycle.ts';
import type { WebhookDelivery } from '../../../model/webhook.ts';
import type { InitialState } from '../walk.ts';
import type { Known, Terms } from './terms.ts';

/** Milliseconds since 1970; any instant would do. */
export const BEGAN_AT = Date.UTC(2030, 0, 1);

/** What the policy says matters to no decision but by when it falls due; the walk goes to each of those instants. */
export const POLICY: RetryPolicy = { maxAttempts: 3, giveUpAfterSeconds: 600, claimSeconds: 45, waitsSeconds: [5, 60] };

const after = (seconds: number): Date => new Date(BEGAN_AT + seconds * 1000);

const NEW: WebhookDelivery = {
  id: 'the delivery',
  receiver: 'crm',
  eventId: 'the event',
  eventType: 'user.disabled',
  userId: null,
  data: {},
  occurredAt: after(-1),
  state: 'pending',
  attempts: 0,
  nextAttemptAt: after(0),
  givesUpAt: after(POLICY.giveUpAfterSeconds),
  createdAt: after(0),
  endedAt: null,
  abandonedReason: null,
  lastOutcome: null,
};
const OVER = { nextAttemptAt: null, endedAt: after(-60) } as const;

const NOTHING_KNOWN: Known = {
  claims: [],
  lastClaim: null,
  claimed: 0,
  committedClaims: 0,
  answeredClaims: 0,
  isConfirmed: false,
};
const underWay = (attempts: number, until: number): [WebhookDelivery, Known] => [
  { ...NEW, attempts, nextAttemptAt: after(until) },
  { ...NOTHING_KNOWN, claims: [after(until).getTime()], lastClaim: after(until).getTime(), claimed: attempts },
];

const SITUATIONS: readonly (readonly [string, WebhookDelivery, Known])[] = [
  ['An event was recorded', NEW, NOTHING_KNOWN],
  [
    'An event waits for its second attempt',
    { ...NEW, attempts: 1, nextAttemptAt: after(5), lastOutcome: 'failed' },
    { ...NOTHING_KNOWN, claimed: 1 },
  ],
  [
    'The last attempt is due',
    { ...NEW, attempts: 2, nextAttemptAt: after(0), lastOutcome: 'timed_out' },
    { ...NOTHING_KNOWN, claimed: 2 },
  ],
  ['A first attempt is under way', ...underWay(1, 30)],
  ['The last attempt is under way', ...underWay(POLICY.maxAttempts, 30)],
  [
    'An event is nearly too old for another attempt',
    { ...underWay(2, 30)[0], givesUpAt: after(70) },
    underWay(2, 30)[1],
  ],
  [
    'An event was delivered',
    { ...NEW, ...OVER, attempts: 1, state: 'delivered', lastOutcome: 'delivered' },
    { ...NOTHING_KNOWN, claimed: 1, isConfirmed: true },
  ],
  [
    'An event was given up',
    { ...NEW, ...OVER, attempts: 3, state: 'abandoned', abandonedReason: 'attempts_used_up', lastOutcome: 'failed' },
    { ...NOTHING_KNOWN, claimed: 3 },
  ],
];

export const INITIAL_STATES: readonly InitialState<Terms>[] = SITUATIONS.map(([says, delivery, known]) => ({
  says: `${says}.`,
  now: BEGAN_AT,
  stored: { delivery },
  known,
}));
