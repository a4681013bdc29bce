/** The walk of the deliveries: nodes that claim, attempt and report, die and come late; an operator who repeats; an endpoint that goes. */
import type { Commit } from '../../engine/commit.ts';
import { commandLine } from '../../model/actor.ts';
import { type AskedOfAttempts, attempted, type KnownOfAttempts, POLICY } from '../../review/proof/attempts.ts';
import { askingFor, defineWalk } from '../../review/proof/define-walk.ts';
import { after, BEGAN_AT } from '../../review/proof/instants.ts';
import type { WebhookDelivery } from './entity.ts';
import {
  claimRequest,
  type LoadedWebhookDelivery,
  removeReceiverRequest,
  repeatRequest,
  reportRequest,
} from './lifecycle.ts';

type Asked = AskedOfAttempts<'delivered' | 'gone' | 'failed', { readonly kind: 'repeat' | 'removeReceiver' }>;
type Terms = {
  readonly stored: { readonly webhookDeliveries: readonly [WebhookDelivery] };
  readonly asked: Asked;
  readonly loaded: LoadedWebhookDelivery;
  readonly commit: Commit;
  readonly answer: WebhookDelivery | null;
  readonly known: KnownOfAttempts;
};

const FRESH: WebhookDelivery = {
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

const attempts = attempted<Terms, WebhookDelivery>({
  rowIn: ({ webhookDeliveries: [delivery] }) => delivery,
  storedWith: (delivery) => ({ webhookDeliveries: [delivery] }),
  fresh: FRESH,
  ended: { nextAttemptAt: null, endedAt: after(-60) },
  says: { it: 'An event', begins: 'An event was recorded' },
  claimRequest: () => claimRequest(POLICY),
  reportRequest: (report) => reportRequest(POLICY, report),
  outcomes: { arrived: 'delivered', refused: 'gone', failed: 'failed' },
  states: { arrived: 'delivered', givenUp: 'abandoned' },
  reasonIn: ({ abandonedReason }) => abandonedReason,
  withdrawal: { asked: { kind: 'removeReceiver' }, reason: 'receiver_removed' },
  refusal: 'receiver_gone',
  claimsEndTheTooOld: false,
  claimIn: (answer) => answer?.nextAttemptAt,
  otherRequests: [{ kind: 'repeat' }, { kind: 'removeReceiver' }],
  unserved: (then, { now }) => {
    const repeated = then({ kind: 'repeat' });
    const isRepeated =
      repeated.state === 'pending' && repeated.attempts === 0 && repeated.nextAttemptAt?.getTime() === now;
    return isRepeated ? null : 'an operator cannot repeat it';
  },
});

export const webhookDeliveries = defineWalk<Terms>({
  name: 'webhookDeliveries',
  of: 'deliveries of events',
  machines: ['webhookDelivery'],
  spec: 'Standard Webhooks 1.0.0',
  ...attempts.parts,
  initialStates: [
    ...attempts.initialStates,
    attempts.givenEnded(
      'An event was delivered',
      { attempts: 1, state: 'delivered', lastOutcome: 'delivered' },
      { claimed: 1, isConfirmed: true },
    ),
    attempts.givenEnded(
      'An event was given up',
      { attempts: 3, state: 'abandoned', abandonedReason: 'attempts_used_up', lastOutcome: 'failed' },
      { claimed: 3 },
    ),
  ],
  load: ({ webhookDeliveries: [delivery] }, _, now) => ({ now, delivery }),
  asking: askingFor<Terms>({
    ...attempts.kinds,
    repeat: {
      name: 'the repetition',
      from: 'An operator asks for',
      request: () => repeatRequest(POLICY, commandLine),
    },
    removeReceiver: {
      name: 'the end of the receiver',
      from: 'A node notices',
      request: () => removeReceiverRequest(POLICY),
    },
  }),
  whenCommitted: (known, asked, commit, stored) =>
    asked.kind === 'repeat'
      ? { ...known, lastClaim: null, claimed: 0, isConfirmed: false }
      : attempts.parts.whenCommitted(known, asked, commit, stored),
  invariants: [
    ...attempts.ofClaims({
      oneAtATime:
        'While the claim of a node lasts, no other node gets the same delivery, unless an operator repeats it.',
      claimed: 'A node attempts only what it has claimed, and its claim is stored.',
      bounded:
        'The server attempts an event as often as the configuration says, and not once more, until an operator repeats it.',
      pending: 'Only a delivery that is pending, and due, is attempted.',
    }),
    {
      name: 'confirmed-is-delivered',
      says: 'A delivery that an endpoint has confirmed stays delivered until an operator repeats it.',
      ...attempts.confirmedHasArrived,
    },
    {
      name: 'delivered-is-confirmed',
      says: 'Nothing is delivered that no receiver has confirmed.',
      ...attempts.arrivedIsConfirmed,
    },
    {
      name: 'given-up-for-its-reason',
      says: 'An event is given up for exactly the reason that is written down.',
      ...attempts.givenUpForItsReason,
    },
    {
      name: 'every-event-of-a-delivery-is-answered',
      says: 'Every event of a delivery is answered, in every state that can be reached.',
      ...attempts.everyEventIsAnswered,
    },
    {
      name: 'events-are-brought',
      says: 'A due delivery is attempted, a failed one is attempted again or dead-lettered, and the server obeys an operator. Nothing above holds because nothing works.',
      ...attempts.whatIsDueIsDone,
    },
  ],
  words: {
    ...attempts.words,
    commitNoun: () => 'the delivery',
    answer: (answer) => (answer === null ? 'nothing to do' : null),
    since: [BEGAN_AT, 'the record'],
    sender: 'nodes and operators',
  },
});
