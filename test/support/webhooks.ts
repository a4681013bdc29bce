/** The delivery worker of a test app, with receivers as webhooks.yaml would name them. */
import { desc } from 'drizzle-orm';

import { type WebhooksFile, webhooksSchema } from '../../policies/webhooks-schema.ts';
import { webhookWorker } from '../../src/boot/webhooks.ts';
import { systemRandom } from '../../src/crypto/random.ts';
import type { WebhookDelivery } from '../../src/lifecycles/webhook-delivery/entity.ts';
import type { Drizzle } from '../../src/storage/database.ts';
import { transitions, webhookDeliveries, webhookReceivers } from '../../src/storage/schema.ts';
import { type WebhookStore, webhookStore } from '../../src/storage/webhooks.ts';
import { makeLogger } from '../../src/system/logger.ts';
import { type AttemptOptions, attempt } from '../../src/webhooks/attempt.ts';
import type { DeliveryWorker } from '../../src/webhooks/delivery-worker.ts';
import type { TestApp } from './app.ts';
import { WEBHOOK_SECRET } from './receiver.ts';

export type WrittenReceiver = { readonly name?: string; readonly url: string } & Readonly<Record<string, unknown>>;

export const webhooksFile = (receivers: readonly WrittenReceiver[], rest: object = {}): WebhooksFile =>
  webhooksSchema.parse({
    receivers: receivers.map((receiver) => ({
      name: 'crm',
      events: ['user', 'client', 'grant', 'factor', 'linked_identity', 'signing_key', 'session'],
      secretEnvironment: 'CRM_WEBHOOK_SECRET',
      allowPrivateNetwork: true,
      ...receiver,
    })),
    ...rest,
  });

export type TestDeliveryWorker = DeliveryWorker & {
  /** One round, as a node runs it: it may end before the ledger does. `round` repeats it until the end of the ledger. */
  readonly oneRound: DeliveryWorker['round'];
  readonly store: WebhookStore;
  readonly stored: () => Promise<readonly WebhookDelivery[]>;
  readonly logs: () => string;
};

export function deliveryWorkerOf(
  { database, clock, deps, issuer }: Pick<TestApp, 'database' | 'clock' | 'deps' | 'issuer'>,
  webhooks: WebhooksFile | (() => WebhooksFile),
  { secrets = [WEBHOOK_SECRET], ...options }: AttemptOptions & { readonly secrets?: readonly string[] | null } = {},
): TestDeliveryWorker {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const file = typeof webhooks === 'function' ? webhooks : () => webhooks;
  const worker = webhookWorker({
    db: database.drizzle,
    clock,
    random: systemRandom,
    issuer,
    configuration: () => ({ ...deps.configuration(), webhooks: file() }),
    keyRing: deps.keyRing,
    secretsOf: async () => secrets,
    logger: makeLogger({ level: 'trace', readable: false, destination }),
    attempt: (asked) => attempt(asked, options),
  });
  return {
    ...worker,
    oneRound: worker.round,
    // Transactions of other tests on the same server hold the feed back (docs/decisions/0032).
    round: async () => {
      const last = await lastLines(database.drizzle);
      do await worker.round();
      while (await isBehind(database.drizzle, file(), last));
    },
    store: webhookStore(database.drizzle, clock),
    stored: () => database.drizzle.select().from(webhookDeliveries).orderBy(webhookDeliveries.createdAt),
    logs: () => lines.join(''),
  };
}

type Line = { readonly recordedOn: number | null; readonly recordedIn: string; readonly position: bigint };

/** The last line of each recording node; of one Postgres, the last line. */
async function lastLines(db: Drizzle): Promise<readonly Line[]> {
  const { recordedOn, recordedIn, position } = transitions;
  return db
    .selectDistinctOn([recordedOn], { recordedOn, recordedIn, position })
    .from(transitions)
    .orderBy(recordedOn, desc(recordedIn), desc(position));
}

/** A receiver has a place behind which there is an older line. */
async function isBehind(db: Drizzle, { receivers }: WebhooksFile, lines: readonly Line[]): Promise<boolean> {
  const places = (await db.select().from(webhookReceivers)).filter((place) =>
    receivers.some(({ name }) => name === place.name),
  );
  return places.some(({ nodes, ...place }) =>
    lines.some(({ recordedOn, recordedIn, position }) => {
      const at = recordedOn === null ? place : nodes?.find(({ node }) => node === recordedOn);
      const [reached, line] = [BigInt(at?.recordedIn ?? 0), BigInt(recordedIn)];
      return reached < line || (reached === line && BigInt(at?.position ?? 0) < position);
    }),
  );
}
