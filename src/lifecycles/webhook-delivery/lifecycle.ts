/** The delivery of an event to an endpoint: a node claims it, attempts it, and reports the outcome to the machine. */
import type { WebhookDeliveryContext, WebhookDeliveryEvent } from '../../../machines/webhook-delivery/facts.ts';
import { webhookDeliveryMachine } from '../../../machines/webhook-delivery/machine.ts';
import { type Commit, type CommitStore, update } from '../../engine/commit.ts';
import type { Lifecycle } from '../../engine/lifecycle.ts';
import { type Request, runFound, type Sleeping } from '../../engine/run.ts';
import type { Actor } from '../../model/actor.ts';
import type { AttemptOutcome } from './attempt.ts';
import { WEBHOOK_DELIVERIES, type WebhookDelivery } from './entity.ts';

/** How a receiver is tried. Durations are in seconds. */
export type RetryPolicy = {
  readonly maxAttempts: number;
  /** From the record of the event, or from its repetition. */
  readonly giveUpAfterSeconds: number;
  /** The longest time of an attempt, with the time to record its outcome. */
  readonly claimSeconds: number;
  /** The wait after each attempt; after the last of the list it stays the same. */
  readonly waitsSeconds: readonly number[];
};

/** The time to record the outcome of an attempt. */
const REPORT_SECONDS = 30;
/**
 * The schedule that Standard Webhooks recommends, with two more attempts within the first minutes. An endpoint that restarts fails
 * twice in a row, and needs no wait of five minutes for that.
 */
const WAITS_SECONDS = [5, 20, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
/** Of each wait, longer or shorter. */
const SPREAD = 0.1;

/** @param chance from 0 to 1: deliveries that failed together are not tried together. */
export const retryPolicyOf = (
  {
    maxAttempts,
    giveUpAfterSeconds,
    timeoutSeconds,
  }: Pick<RetryPolicy, 'maxAttempts' | 'giveUpAfterSeconds'> & { readonly timeoutSeconds: number },
  chance = 0.5,
): RetryPolicy => ({
  maxAttempts,
  giveUpAfterSeconds,
  claimSeconds: timeoutSeconds + REPORT_SECONDS,
  waitsSeconds: WAITS_SECONDS.map((seconds) => seconds * (1 - SPREAD + 2 * SPREAD * chance)),
});

export type WebhookDeliveryFacts = {
  readonly now: Date;
  readonly policy: RetryPolicy;
  /** Of the attempt that is reported; null: none is. */
  readonly outcome: AttemptOutcome | null;
  readonly actor?: Actor | undefined;
};

/** The columns that a commit expects unchanged in an attempted row: no other node has attempted it since. */
export const AS_ATTEMPTED = ['state', 'attempts', 'nextAttemptAt'] as const;

export type LoadedWebhookDelivery = { readonly now: Date; readonly delivery: WebhookDelivery };

export type WebhookDeliveryStore = {
  /** Null: not found, or removed. */
  readonly load: (id: string) => Promise<LoadedWebhookDelivery | null>;
  /** False: a fact that the commit depends on no longer held, and nothing changed. */
  readonly commit: CommitStore;
};

const seconds = (from: Date, count: number): Date => new Date(from.getTime() + count * 1000);

/** After the ended attempts of the delivery. */
export const retryAt = (
  { attempts }: Pick<WebhookDelivery, 'attempts'>,
  { waitsSeconds }: Pick<RetryPolicy, 'waitsSeconds'>,
  now: Date,
): Date => {
  return seconds(now, waitsSeconds[Math.min(attempts, waitsSeconds.length) - 1] ?? 0);
};

/** As of a mail. */
type Attempted = Pick<WebhookDelivery, 'attempts' | 'nextAttemptAt' | 'givesUpAt'>;
type Attempts = { readonly now: Date; readonly policy: Pick<RetryPolicy, 'maxAttempts' | 'claimSeconds'> };

export const attemptsOf = (
  { nextAttemptAt, givesUpAt, attempts }: Attempted,
  { policy }: Attempts,
): WebhookDeliveryContext => ({
  nextAttemptAt: nextAttemptAt?.getTime() ?? null,
  givesUpAt: givesUpAt.getTime(),
  attemptsLeft: policy.maxAttempts - attempts,
});

export const claimed = <Row extends Attempted>(row: Row, { now, policy }: Attempts): Row => ({
  ...row,
  attempts: row.attempts + 1,
  nextAttemptAt: seconds(now, policy.claimSeconds),
});

const ended = { nextAttemptAt: null } as const;

export const webhookDeliveryLifecycle: Lifecycle<WebhookDelivery, WebhookDeliveryFacts, Commit> = {
  machine: webhookDeliveryMachine,
  stateOf: ({ state }) => state,
  contextOf: attemptsOf,
  answers: {},
  changes: {
    claimDelivery: claimed,
    retryDelivery: (row, { now, policy, outcome }) => ({
      ...row,
      nextAttemptAt: retryAt(row, policy, now),
      lastOutcome: outcome,
    }),
    recordDelivery: (row, { now, outcome }) => ({
      ...row,
      ...ended,
      state: 'delivered',
      endedAt: now,
      abandonedReason: null,
      lastOutcome: outcome,
    }),
    abandonDelivery: (row, { now, outcome }, { reason }) => ({
      ...row,
      ...ended,
      state: 'abandoned',
      endedAt: now,
      abandonedReason: reason,
      lastOutcome: outcome ?? row.lastOutcome,
    }),
    repeatDelivery: (row, { now, policy }) => ({
      ...row,
      state: 'pending',
      attempts: 0,
      nextAttemptAt: now,
      givesUpAt: seconds(now, policy.giveUpAfterSeconds),
      endedAt: null,
      abandonedReason: null,
    }),
  },
  notAudited: ['claimDelivery', 'retryDelivery'],
  ledgerFacts: ({ userId }, { actor }) => ({
    ...(userId !== null && { userId }),
    ...(actor && { actor }),
  }),
  commitOf: ({ before, after }, { now }, entries) => ({
    now,
    requires: [],
    writes: [update(WEBHOOK_DELIVERIES, before, after, AS_ATTEMPTED)],
    entries,
  }),
};

type DeliveryRequest<Answer> = Request<LoadedWebhookDelivery, WebhookDelivery, WebhookDeliveryFacts, Commit, Answer>;

/** `claim`: the `nextAttemptAt` that the claim of the reported attempt set. */
export type AttemptReport = { readonly outcome: AttemptOutcome; readonly claim: Date };

const reported = (
  { outcome, claim }: AttemptReport,
  { now, delivery }: LoadedWebhookDelivery,
  policy: RetryPolicy,
): WebhookDeliveryEvent => {
  if (outcome === 'delivered') return { type: 'succeeded' };
  if (outcome === 'gone') return { type: 'goneAnswered' };
  return { type: 'failed', claim: claim.getTime(), retryAt: retryAt(delivery, policy, now).getTime() };
};

const request = <Answer>(
  policy: RetryPolicy,
  eventAt: (loaded: LoadedWebhookDelivery) => WebhookDeliveryEvent,
  answer: DeliveryRequest<Answer>['answer'],
  { report = null, actor }: { readonly report?: AttemptReport | null; readonly actor?: Actor | undefined } = {},
): DeliveryRequest<Answer> => ({
  lifecycle: webhookDeliveryLifecycle,
  read: (loaded) => ({
    row: loaded.delivery,
    facts: { now: loaded.now, policy, outcome: report?.outcome ?? null, actor },
    event: eventAt(loaded),
  }),
  answer,
});

/** The answer: the delivery as this node attempts it; null: it is not this node's to attempt. */
export const claimRequest = (policy: RetryPolicy) =>
  request<WebhookDelivery | null>(
    policy,
    ({ now }) => ({ type: 'claimed', now: now.getTime() }),
    ({ before, after }) => (after === before || after.state !== 'pending' ? null : after),
  );

export const reportRequest = (policy: RetryPolicy, report: AttemptReport) =>
  request<WebhookDelivery>(
    policy,
    (loaded) => reported(report, loaded, policy),
    ({ after }) => after,
    { report },
  );

export const removeReceiverRequest = (policy: RetryPolicy) =>
  request<WebhookDelivery>(
    policy,
    () => ({ type: 'receiverRemoved' }),
    ({ after }) => after,
  );

export const repeatRequest = (policy: RetryPolicy, actor: Actor) =>
  request<WebhookDelivery>(
    policy,
    () => ({ type: 'repeatRequested' }),
    ({ after }) => after,
    { actor },
  );

export type WebhookDeliveryPorts = Sleeping & {
  readonly deliveries: WebhookDeliveryStore;
};

/**
 * Housekeeping removes only ended deliveries, and those leave nothing to decide.
 * @returns null: the delivery is not found. @throws Unavailable, StoreUnavailable
 */
export const askDelivery = <Answer>(
  { deliveries, sleep }: WebhookDeliveryPorts,
  id: string,
  asked: DeliveryRequest<Answer>,
): Promise<Answer | null> => runFound({ load: () => deliveries.load(id), commit: deliveries.commit, sleep }, asked);
