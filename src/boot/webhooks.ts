/** The delivery worker of this node, and the clean-up of deliveries. It is loaded where webhooks.yaml names a receiver. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { WebhookReceiver } from '../../policies/webhooks-schema.ts';
import type { Configuration } from '../config/configuration.ts';
import type { Random } from '../crypto/random.ts';
import { signSecurityEvent } from '../crypto/security-event-token.ts';
import type { KeyRing } from '../crypto/signing-keys.ts';
import { askDelivery, removeReceiverRequest, retryPolicyOf } from '../lifecycles/webhook-delivery/lifecycle.ts';
import type { Drizzle } from '../storage/database.ts';
import { webhookStore } from '../storage/webhooks.ts';
import type { Clock } from '../system/clock.ts';
import type { Attempt } from '../webhooks/attempt.ts';
import { type DeliveryWorker, openDeliveryWorker } from '../webhooks/delivery-worker.ts';

export type WebhookParts = {
  readonly db: Drizzle;
  readonly clock: Clock;
  readonly random: Random;
  readonly issuer: string;
  readonly configuration: () => Configuration;
  readonly keyRing: KeyRing;
  readonly secretsOf: (receiver: WebhookReceiver) => Promise<readonly string[] | null>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly attempt?: (asked: Attempt) => ReturnType<typeof import('../webhooks/attempt.ts')['attempt']>;
};

const waiting = { sleep: (milliseconds: number) => sleep(milliseconds) };

export function webhookWorker({ db, clock, configuration, keyRing, random, ...parts }: WebhookParts): DeliveryWorker {
  const store = webhookStore(db, clock);
  return openDeliveryWorker({
    ...parts,
    ...waiting,
    random,
    outbox: store,
    deliveries: store.deliveries,
    due: store.due,
    record: store.recordAttempt,
    milliseconds: () => performance.now(),
    webhooks: () => configuration().webhooks,
    sign: (claims) => signSecurityEvent(keyRing.signerOf(algorithmOf(configuration())), claims),
    now: () => clock.fixedNow() ?? new Date(),
    chance: () => random.bytes(1).readUInt8() / 255,
  });
}

/** RS256 where there is such a key: every receiver of Security Event Tokens knows it (OpenID CAEP Interoperability Profile 1.0 §2.6). */
const algorithmOf = ({ signingKeys: { algorithms } }: Configuration) =>
  algorithms.find((alg) => alg === 'RS256') ?? algorithms[0] ?? 'RS256';

/** To be called about every minute, whether there are receivers or not. @throws StoreUnavailable, and what the first failure was. */
export async function cleanUpWebhooks(
  db: Drizzle,
  clock: Clock,
  { webhooks }: Pick<Configuration, 'webhooks'>,
): Promise<void> {
  const store = webhookStore(db, clock);
  await store.keep(webhooks.receivers.map(({ name }) => name));
  const failures: unknown[] = [];
  for (const id of await store.ofForgottenReceivers()) {
    // A row that cannot be read keeps no other.
    const removed = removeReceiverRequest(retryPolicyOf(webhooks));
    await askDelivery({ deliveries: store.deliveries, ...waiting }, id, removed).catch((error: unknown) =>
      failures.push(error),
    );
  }
  await store.removeOld(webhooks.keptSeconds);
  // A delivery ends at the latest so long after its first attempt, and its attempts stay as long as it does.
  await store.removeOldAttempts(webhooks.keptSeconds + webhooks.giveUpAfterSeconds);
  if (failures.length > 0) throw failures[0];
}
