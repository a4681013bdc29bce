/** The walk of the deliveries: nodes that claim, attempt and report, die and come late; an operator who repeats; an endpoint that goes. */
import type { Commit } from '../../engine/commit.ts';
import { commandLine } from '../../model/actor.ts';
import {
  type AskedOfAttempts,
  attempted,
  claimedUntil,
  type KnownOfAttempts,
  NOTHING_KNOWN,
  nameOfReport,
  POLICY,
} from '../../review/proof/attempts.ts';
import { askingFor, defineWalk, initialState } from '../../review/proof/define-walk.ts';
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
const ENDED = { nextAttemptAt: null, endedAt: after(-60) } as const;

const given = (says: string, change: Partial<WebhookDelivery>, known: Partial<KnownOfAttempts> = {}) =>
  initialState<Terms>(says, { webhookDeliveries: [{ ...NEW, ...change }] }, { ...NOTHING_KNOWN, ...known });
const underWay = (says: string, attempts: number, change: Partial<WebhookDelivery> = {}) =>
  given(says, { attempts, nextAttemptAt: after(30), ...change }, claimedUntil(after(30), attempts));

const attempts = attempted<Terms, WebhookDelivery>({
  rowIn: ({ webhookDeliveries: [delivery] }) => delivery,
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
    given('An event was recorded', {}),
    given(
      'An event waits for its second attempt',
      { attempts: 1, nextAttemptAt: after(5), lastOutcome: 'failed' },
      { claimed: 1 },
    ),
    given('The last attempt is due', { attempts: 2, lastOutcome: 'timed_out' }, { claimed: 2 }),
    underWay('A first attempt is under way', 1),
    underWay('The last attempt is under way', POLICY.maxAttempts),
    underWay('An event is nearly too old for another attempt', 2, { givesUpAt: after(70) }),
    given(
      'An event was delivered',
      { ...ENDED, attempts: 1, state: 'delivered', lastOutcome: 'delivered' },
      { claimed: 1, isConfirmed: true },
    ),
    given(
      'An event was given up',
      { ...ENDED, attempts: 3, state: 'abandoned', abandonedReason: 'attempts_used_up', lastOutcome: 'failed' },
      { claimed: 3 },
    ),
  ],
  load: ({ webhookDeliveries: [delivery] }, _, now) => ({ now, delivery }),
  asking: askingFor<Terms>({
    claim: {
      name: 'the claim',
      from: 'A node brings',
      request: () => claimRequest(POLICY),
    },
    report: {
      name: nameOfReport,
      from: 'A node brings',
      request: ({ outcome, claim }) => reportRequest(POLICY, { outcome, claim: new Date(claim) }),
    },
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
