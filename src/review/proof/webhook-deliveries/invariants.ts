/** What must hold of deliveries, each in a sentence, and how a violation of it is seen. */
import type { WebhookDelivery } from '../../../model/webhook.ts';
import type { Moment } from '../moment.ts';
import { runAlone, storedAfter } from '../moves.ts';
import type { Invariant, Walk } from '../walk.ts';
import { POLICY } from './initial-states.ts';
import { requestsAt } from './requests.ts';
import type { Asked, Terms } from './terms.ts';

type World = Moment<Terms>;
const machines = ['webhookDelivery'];
const SPEC = 'Standard Webhooks 1.0.0';

export const INVARIANTS: readonly Invariant<Terms>[] = [
  {
    name: 'one-attempt-at-a-time',
    says: 'While the claim of a node has not run out, no other node is given the same delivery, unless an operator repeats it.',
    spec: SPEC,
    machines,
    violation: (_, { known }, { commit, after }) => {
      if (!commit?.held || commit.asked.kind !== 'claim' || after.stored.delivery.state !== 'pending') return null;
      const begins = (after.stored.delivery.nextAttemptAt?.getTime() ?? 0) - POLICY.claimSeconds * 1000;
      return known.lastClaim !== null && begins < known.lastClaim ? 'two nodes attempt it at the same time' : null;
    },
  },
  {
    name: 'no-attempt-without-a-claim',
    says: 'A node attempts only what it has claimed, and its claim is stored.',
    spec: SPEC,
    machines,
    brokenAt: (_, { known: { answeredClaims, committedClaims } }) =>
      answeredClaims > committedClaims ? 'a node attempts what it has not claimed' : null,
  },
  {
    name: 'attempts-are-bounded',
    says: 'An event is attempted as often as the configuration says, and not once more, until an operator repeats it.',
    spec: SPEC,
    machines,
    brokenAt: (_, { known }) => (known.claimed > POLICY.maxAttempts ? `it was attempted ${known.claimed} times` : null),
  },
  {
    name: 'only-pending-is-attempted',
    says: 'Only a delivery that is pending, and due, is attempted.',
    spec: SPEC,
    machines,
    violation: (_, { stored: { delivery }, now }, { commit, after }) => {
      if (!commit?.held || commit.asked.kind !== 'claim' || after.stored.delivery.state !== 'pending') return null;
      const isDue = delivery.state === 'pending' && now >= (delivery.nextAttemptAt?.getTime() ?? 0);
      return isDue ? null : `it was ${delivery.state}, and was attempted before its time`;
    },
  },
  {
    name: 'confirmed-is-delivered',
    says: 'What a receiver has confirmed is delivered, whatever else was decided, until an operator repeats it.',
    spec: SPEC,
    machines,
    brokenAt: (_, { known, stored: { delivery } }) =>
      known.isConfirmed && delivery.state !== 'delivered' ? `it was confirmed, and is ${delivery.state}` : null,
  },
  {
    name: 'delivered-is-confirmed',
    says: 'Nothing is delivered that no receiver has confirmed.',
    spec: SPEC,
    machines,
    brokenAt: (_, { known, stored: { delivery } }) =>
      delivery.state === 'delivered' && !known.isConfirmed ? 'it is delivered, and nobody has confirmed it' : null,
  },
  {
    name: 'given-up-for-its-reason',
    says: 'An event is given up for exactly the reason that is written down.',
    spec: SPEC,
    machines,
    violation: (_, { stored: { delivery: before } }, { commit, after: { stored } }) => {
      const { delivery: after } = stored;
      if (!commit?.held || after.state !== 'abandoned' || before.state === 'abandoned') return null;
      return isReason(commit.asked, before, after.abandonedReason, commit.commit.now.getTime())
        ? null
        : `it was given up as ${after.abandonedReason}`;
    },
  },
  {
    name: 'every-event-of-a-delivery-is-answered',
    says: 'Every event of a delivery is answered, in every state that can be reached.',
    spec: SPEC,
    machines,
    violation: (_, __, { broken, happening: { ending } }) => {
      const isInCircles = ending?.kind === 'unavailable' && ending.reason === 'too_many_conflicts';
      return broken ?? (isInCircles ? 'a request went in circles' : null);
    },
    brokenAt: (walk, world) => {
      for (const asked of [...requestsAt(world.known), ...LATE]) {
        const ran = runAlone(walk, world, asked);
        if (ran.kind === 'broken') return ran.words;
      }
      return null;
    },
  },
  {
    name: 'events-are-brought',
    says: 'What is due is attempted, what failed is attempted again or given up, and an operator is obeyed. Nothing above holds because nothing works.',
    spec: SPEC,
    machines,
    brokenAt: (walk, world) => whatIsNotDone(walk, world),
  },
];

/** Of an attempt that is long over. */
const LATE: readonly Asked[] = (['delivered', 'gone', 'failed'] as const).map((outcome) => ({
  kind: 'report',
  outcome,
  claim: 0,
}));

const waitAfter = (attempts: number): number =>
  (POLICY.waitsSeconds[Math.min(attempts, POLICY.waitsSeconds.length) - 1] ?? 0) * 1000;
const isTooOld = ({ attempts, givesUpAt }: WebhookDelivery, now: number): boolean =>
  now + waitAfter(attempts) > givesUpAt.getTime();

/** Worked out from the policy, not by the machine that is on trial. */
function isReason(asked: Asked, before: WebhookDelivery, reason: string | null, now: number): boolean {
  if (asked.kind === 'removeReceiver') return reason === 'receiver_removed';
  if (asked.kind === 'report' && asked.outcome === 'gone') return reason === 'receiver_gone';
  const isUsedUp = before.attempts >= POLICY.maxAttempts;
  if (reason === 'attempts_used_up') return isUsedUp && (asked.kind === 'claim' || isFailure(asked));
  return reason === 'too_old' && isFailure(asked) && !isUsedUp && isTooOld(before, now);
}
const isFailure = (asked: Asked): boolean => asked.kind === 'report' && asked.outcome === 'failed';

function whatIsNotDone(walk: Walk<Terms>, world: World): string | null {
  const { delivery } = world.stored;
  const { state, nextAttemptAt, attempts } = delivery;
  const then = (asked: Asked) => storedAfter(walk, world, asked)?.delivery ?? delivery;
  const repeated = then({ kind: 'repeat' });
  const isRepeated =
    repeated.state === 'pending' && repeated.attempts === 0 && repeated.nextAttemptAt?.getTime() === world.now;
  if (!isRepeated) return 'an operator cannot repeat it';
  if (state !== 'pending' || nextAttemptAt === null) {
    const confirmed = then({ kind: 'report', outcome: 'delivered', claim: 0 });
    return confirmed.state === 'delivered' ? null : 'it has arrived, and is not delivered';
  }
  if (then({ kind: 'removeReceiver' }).state !== 'abandoned') return 'it waits for a receiver that is removed';
  const claim = nextAttemptAt.getTime();
  if (world.now >= claim) {
    const claimed = then({ kind: 'claim' });
    const isServed = attempts >= POLICY.maxAttempts ? claimed.state === 'abandoned' : claimed.attempts === attempts + 1;
    if (!isServed) return 'it is due, and is not attempted';
  }
  if (attempts === 0) return null;
  if (then({ kind: 'report', outcome: 'delivered', claim }).state !== 'delivered') return 'a confirmation is ignored';
  const failed = then({ kind: 'report', outcome: 'failed', claim });
  const isOver = attempts >= POLICY.maxAttempts || isTooOld(delivery, world.now);
  if (isOver) return failed.state === 'abandoned' ? null : 'it is never given up';
  const isLater = failed.state === 'pending' && failed.nextAttemptAt?.getTime() === world.now + waitAfter(attempts);
  return isLater ? overtakenIn(then, delivery) : 'a failed attempt is not followed by another';
}

/** A failure of an attempt that was claimed before. */
function overtakenIn(then: (asked: Asked) => WebhookDelivery, delivery: WebhookDelivery): string | null {
  const after = then({ kind: 'report', outcome: 'failed', claim: 0 });
  return after === delivery ? null : 'an attempt that was overtaken changes what a later attempt decides';
}
