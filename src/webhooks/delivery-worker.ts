/**
 * Sends events to their endpoints, in polls. The worker serves each endpoint independently, so that none waits for
 * another. It records the endpoint's new events from the ledger, then claims, sends and reports the due deliveries,
 * several concurrently.
 */
import type { Logger } from 'pino';
import type { WebhookReceiver, WebhooksFile } from '../../policies/webhooks-schema.ts';
import { StoreUnavailable, Unavailable } from '../engine/errors.ts';
import type { AttemptOutcome } from '../lifecycles/webhook-delivery/attempt.ts';
import { type WebhookDelivery, webhookIdOf } from '../lifecycles/webhook-delivery/entity.ts';
import {
  askDelivery,
  claimRequest,
  reportRequest,
  retryPolicyOf,
  type WebhookDeliveryPorts,
} from '../lifecycles/webhook-delivery/lifecycle.ts';
import { webhookAttempts } from '../system/observed.ts';
import { type Attempt, type Attempted, attempt } from './attempt.ts';
import { type BodyDeps, bodyOf } from './body.ts';
import { collect, type OutboxDeps } from './outbox.ts';

export type DeliveryWorkerDeps = BodyDeps &
  OutboxDeps &
  WebhookDeliveryPorts & {
    /**
     * Deliveries of this endpoint whose next attempt is due, the longest due first. `after`: null for the first of
     * them.
     */
    readonly due: (receiver: string, limit: number, after: DueDelivery | null) => Promise<readonly DueDelivery[]>;
    readonly webhooks: () => WebhooksFile;
    /** The newest first. Null: the server cannot read them now. */
    readonly secretsOf: (receiver: WebhookReceiver) => Promise<readonly string[] | null>;
    readonly now: () => Date;
    /** Of a clock that only goes forward. */
    readonly milliseconds: () => number;
    /**
     * From 0 to 1. It spreads the attempts, so that the nodes do not all contact a recovered endpoint at the same
     * moment.
     */
    readonly chance: () => number;
    readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
    readonly attempt?: (asked: Attempt) => Promise<Attempted>;
    /** For people: the delivery has its outcome already. */
    readonly record: (ended: EndedAttempt) => Promise<void>;
  };

/** `milliseconds`: how long it took. */
export type EndedAttempt = Attempted &
  Pick<WebhookDelivery, 'id' | 'eventId'> & { readonly at: Date; readonly milliseconds: number };

/** `at`: its next attempt, as the database writes it. Only the database reads it. */
export type DueDelivery = { readonly id: string; readonly at: string };

export type DeliveryWorker = {
  /**
   * Call it about every second. It ends when no delivery is due. It skips endpoints that an earlier poll still serves.
   */
  readonly round: () => Promise<void>;
  /** Ends the running attempts. An unreported claim expires, and the delivery is attempted again. */
  readonly close: () => Promise<void>;
};

/** Of an endpoint, and of a node. */
const AT_ONCE = 8;
export function openDeliveryWorker(deps: DeliveryWorkerDeps): DeliveryWorker {
  const closing = new AbortController();
  const busy = new Map<string, Promise<void>>();
  /** By endpoint: the defective delivery that the worker has logged. Polls are frequent, and one log line is enough. */
  const told = new Map<string, string>();
  const tellOfDefects = ({ name }: WebhookReceiver, [defect]: readonly Defect[]) => {
    if (defect && told.get(name) !== defect.id)
      deps.logger.warn({ receiver: name, deliveryId: defect.id, err: defect.error }, 'a delivery is skipped');
    if (defect) told.set(name, defect.id);
    else told.delete(name);
  };
  const serveOnce = (receiver: WebhookReceiver): Promise<void> => {
    const serving = serve(deps, receiver, closing.signal)
      .then((defects) => tellOfDefects(receiver, defects))
      .catch((error: unknown) =>
        deps.logger.warn({ receiver: receiver.name, err: error }, 'webhook deliveries failed; the next poll retries'),
      )
      .finally(() => busy.delete(receiver.name));
    busy.set(receiver.name, serving);
    return serving;
  };
  return {
    round: async () => {
      if (closing.signal.aborted) return;
      const free = deps.webhooks().receivers.filter(({ name }) => !busy.has(name));
      await Promise.all(free.map(serveOnce));
    },
    close: async () => {
      closing.abort();
      await Promise.all(busy.values());
    },
  };
}

/** A delivery that cannot even be attempted, such as a forged row. It blocks no other delivery of its endpoint. */
type Defect = { readonly id: string; readonly error: unknown };

/** @returns the first delivery that could not be attempted, if any. @throws Unavailable, StoreUnavailable */
async function serve(
  deps: DeliveryWorkerDeps,
  receiver: WebhookReceiver,
  closing: AbortSignal,
): Promise<readonly Defect[]> {
  await collect(deps, receiver, deps.webhooks().giveUpAfterSeconds);
  let first: readonly Defect[] = [];
  let last: DueDelivery | null = null;
  while (!closing.aborted) {
    const secrets = await deps.secretsOf(receiver);
    if (secrets === null) {
      deps.logger.error({ receiver: receiver.name }, 'the secret of a receiver cannot be read; its events wait');
      break;
    }
    // Forward only: a delivery that could not be attempted stays due, and would be the only result.
    const due = await deps.due(receiver.name, AT_ONCE, last);
    last = due.at(-1) ?? null;
    if (last === null) break;
    const defects = await Promise.all(due.map(({ id }) => deliverOrTell(deps, receiver, id, secrets, closing)));
    const found = defects.filter((defect) => defect !== null);
    for (const { error } of found) if (isAboutAll(error)) throw error;
    if (first.length === 0) first = found;
  }
  return first;
}

/** The database or the signing device is unavailable: the next delivery would fail too. */
function isAboutAll(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return !error.isUnexpected;
  if (!(error instanceof Unavailable) || error.reason === 'too_many_conflicts') return false;
  return !(error.cause instanceof StoreUnavailable) || isAboutAll(error.cause);
}

const deliverOrTell = (...[deps, receiver, id, secrets, closing]: Parameters<typeof deliver>): Promise<Defect | null> =>
  deliver(deps, receiver, id, secrets, closing).then(
    () => null,
    (error: unknown) => ({ id, error }),
  );

async function deliver(
  deps: DeliveryWorkerDeps,
  receiver: WebhookReceiver,
  id: string,
  secrets: readonly string[],
  closing: AbortSignal,
): Promise<void> {
  const file = deps.webhooks();
  const policy = retryPolicyOf(file, deps.chance());
  // The signing device may fail, which uses up no attempt: the event waits.
  const stored = receiver.format === 'set' ? await deps.deliveries.load(id) : null;
  const signed = stored && (await bodyOf(receiver, stored.delivery, deps));
  const claimed = await askDelivery(deps, id, claimRequest(policy));
  if (claimed?.nextAttemptAt == null) return;
  const body = signed ?? (await bodyOf(receiver, claimed, deps));
  const timeout = AbortSignal.timeout(file.timeoutSeconds * 1000);
  const at = deps.now();
  const began = deps.milliseconds();
  const { outcome, status } = await (deps.attempt ?? attempt)({
    url: receiver.url,
    id: webhookIdOf(claimed),
    body,
    secrets,
    allowPrivateNetwork: receiver.allowPrivateNetwork,
    at,
    signal: AbortSignal.any([timeout, closing]),
  });
  const milliseconds = Math.round(deps.milliseconds() - began);
  // An attempt that this node itself aborted has no outcome.
  if (closing.aborted && outcome !== 'delivered') return;
  webhookAttempts.publish(() => ({ receiver: receiver.name, outcome }));
  const after = await askDelivery(deps, id, reportRequest(policy, { outcome, claim: claimed.nextAttemptAt }));
  if (after === null) return;
  tellOf(deps.logger, after, outcome);
  await deps.record({ id, eventId: after.eventId, at, outcome, status, milliseconds });
}

function tellOf(logger: DeliveryWorkerDeps['logger'], delivery: WebhookDelivery, outcome: AttemptOutcome): void {
  const { id, receiver, eventType, eventId, attempts, abandonedReason } = delivery;
  const said = { receiver, deliveryId: id, eventId, eventType, attempts, outcome };
  if (delivery.state === 'abandoned') {
    logger.error({ ...said, reason: abandonedReason }, 'an event is dead-lettered: its endpoint did not accept it');
  } else if (outcome !== 'delivered') {
    logger.warn(
      { ...said, nextAttemptAt: delivery.nextAttemptAt },
      'an event was not delivered; the worker tries again',
    );
  }
}
