/** The periodic jobs of a node, in one table (src/system/rounds.ts runs them). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { KEY_POLL_SECONDS } from '../../policies/schema.ts';
import type { Configuration } from '../config/configuration.ts';
import { EnvironmentError } from '../config/secret-variable.ts';
import { webhookSecretsOf } from '../config/webhook-secrets.ts';
import { removeIdentitiesOfDeletedUsers } from '../lifecycles/linked-identity/lifecycle.ts';
import { clientLogoStore } from '../storage/client-logos.ts';
import { housekeeper } from '../storage/housekeeping.ts';
import { identitiesOfDeletedUsers, linkedIdentityStore } from '../storage/linked-identities.ts';
import { rootSecretStore } from '../storage/root-secrets.ts';
import { databaseClock } from '../system/clock.ts';
import { cleanedUp } from '../system/observed.ts';
import type { Round } from '../system/rounds.ts';
import type { DeliveryWorker } from '../webhooks/delivery-worker.ts';
import { keepClientLogos } from './client-logos.ts';
import { ledgerRounds } from './ledger.ts';
import type { RunningOutbox } from './mail/outbox.ts';
import type { Runtime } from './runtime.ts';
import type { Secrets } from './secrets.ts';
import { followingIdentifiers } from './sign-in-addresses.ts';
import { countingLedger, countingResponses } from './statistics.ts';
import type { AppDeps } from './wiring.ts';

const MINUTE_MILLISECONDS = 60_000;
/** Again and again: a node whose list has another order still makes those of the older root secret. */
const RENEW_EVERY_MILLISECONDS = 3_600_000;
const BEAT_EVERY_MILLISECONDS = 15_000;
const SEND_EVERY_MILLISECONDS = 1000;
const CARRY_EVERY_MILLISECONDS = 1000;
/** How long another node knows nothing of an operator whom a set-up made, or of a configured secret. */
const FOLLOW_EVERY_MILLISECONDS = 2000;
/** How long a full segment waits to be sealed. */
const SEAL_EVERY_MILLISECONDS = 1000;

export type NodeRoundsDeps = {
  readonly runtime: Runtime;
  readonly configuration: () => Configuration;
  readonly logger: Logger;
  readonly webhooks: Webhooks;
  /** Null: no mails are sent. */
  readonly outbox: Pick<RunningOutbox, 'round'> | null;
  readonly beat: () => Promise<void>;
  readonly keepKeys: () => Promise<void>;
  readonly followOperators: () => Promise<void>;
  readonly followSecrets: () => Promise<void>;
};

export function nodeRounds({
  runtime,
  configuration,
  logger,
  webhooks,
  outbox,
  beat,
  keepKeys,
  followOperators,
  followSecrets,
}: NodeRoundsDeps): readonly Round[] {
  const warns = (words: string) => (error: unknown) => logger.warn({ err: error }, words);
  return [
    {
      name: 'housekeeping',
      of: 'all nodes',
      everyMilliseconds: MINUTE_MILLISECONDS,
      atStart: true,
      run: cleanUpIn(runtime, logger),
      onFailure: warns('housekeeping failed; the next round retries'),
    },
    {
      // A start needs no other server: the first round comes later.
      name: 'client_logos',
      of: 'all nodes',
      everyMilliseconds: MINUTE_MILLISECONDS,
      atStart: false,
      run: keepingLogos(runtime, logger),
      onFailure: warns('images of clients are not looked after'),
    },
    {
      // Nodes exclude each other segment by segment.
      name: 'ledger_sealing',
      of: 'this node',
      everyMilliseconds: SEAL_EVERY_MILLISECONDS,
      atStart: false,
      run: ledgerRounds(runtime, configuration, logger),
      onFailure: warns('ledger: sealing failed; the next round retries'),
    },
    {
      name: 'statistics',
      of: 'all nodes',
      everyMilliseconds: MINUTE_MILLISECONDS,
      atStart: true,
      run: countingLedger(runtime.database, databaseClock),
      onFailure: warns('the ledger is not counted for the overview; the next round retries'),
    },
    {
      name: 'response_statistics',
      of: 'this node',
      everyMilliseconds: MINUTE_MILLISECONDS,
      atStart: false,
      run: countingResponses(runtime.database, databaseClock),
      onFailure: warns('responses are not counted for the overview; the next round retries'),
    },
    {
      name: 'webhook_delivery',
      of: 'this node',
      everyMilliseconds: CARRY_EVERY_MILLISECONDS,
      atStart: false,
      run: webhooks.round,
      onFailure: warns('webhook deliveries failed; the next poll retries'),
    },
    ...(outbox === null
      ? []
      : [
          {
            name: 'mail_delivery',
            of: 'this node' as const,
            everyMilliseconds: SEND_EVERY_MILLISECONDS,
            // Mails may wait from before the start.
            atStart: true,
            run: outbox.round,
            onFailure: warns('the mail queue failed; the next poll retries'),
          },
        ]),
    {
      name: 'webhook_housekeeping',
      of: 'all nodes',
      everyMilliseconds: MINUTE_MILLISECONDS,
      atStart: true,
      run: webhooks.cleanUp,
      onFailure: warns('housekeeping of webhook deliveries failed; the next round retries'),
    },
    {
      name: 'heartbeat',
      of: 'this node',
      everyMilliseconds: BEAT_EVERY_MILLISECONDS,
      atStart: true,
      run: beat,
      onFailure: warns('the node could not be reported'),
    },
    {
      name: 'root_secrets',
      of: 'this node',
      everyMilliseconds: MINUTE_MILLISECONDS,
      atStart: true,
      run: followingRootSecrets(runtime, logger),
      onFailure: warns('the renewal of rows under the first root secret failed; the next round retries'),
    },
    {
      name: 'sign_in_addresses',
      of: 'all nodes',
      everyMilliseconds: MINUTE_MILLISECONDS,
      atStart: true,
      run: followingIdentifiers(runtime, configuration, logger),
      onFailure: warns('verified addresses are not looked after; the next round retries'),
    },
    {
      name: 'signing_keys',
      of: 'this node',
      everyMilliseconds: KEY_POLL_SECONDS * 1000,
      atStart: false,
      run: keepKeys,
      onFailure: warns('the round of signing keys failed; the next round retries'),
    },
    {
      name: 'operators',
      of: 'this node',
      everyMilliseconds: FOLLOW_EVERY_MILLISECONDS,
      atStart: false,
      run: followOperators,
      onFailure: warns('the operators by set-up are not followed; the next round retries'),
    },
    {
      name: 'secrets',
      of: 'this node',
      everyMilliseconds: FOLLOW_EVERY_MILLISECONDS,
      atStart: false,
      run: followSecrets,
      onFailure: warns('configured secrets are not followed; the next round retries'),
    },
  ];
}

function cleanUpIn({ database }: Runtime, logger: Logger): Round['run'] {
  const { cleanUp } = housekeeper(database.drizzle, databaseClock);
  const identities = linkedIdentityStore(database.drizzle, databaseClock);
  return async (signal) => {
    // First, so that the same round cleans up the removed identities.
    const ofDeleted = await identitiesOfDeletedUsers(database.drizzle);
    await removeIdentitiesOfDeletedUsers({ identities, sleep: (milliseconds) => sleep(milliseconds) }, ofDeleted);
    const { removed, passBeganAt } = await cleanUp(signal);
    cleanedUp.publish(() => ({ removed, passBeganAt }));
    logger.debug({ removed }, 'cleaned up');
  };
}

/** While several root secrets are listed: renews rows under the first, so that the older ones can go. */
function followingRootSecrets({ database, keys, random }: Runtime, logger: Logger): Round['run'] {
  let renewalDueAt = 0;
  const rootSecrets = rootSecretStore(database.drizzle, databaseClock);
  return async () => {
    await rootSecrets.report(keys.first.id);
    if (keys.byId.size === 1 || performance.now() < renewalDueAt) return;
    const { renewUnderFirst } = await import('./renewal.ts');
    const rows = await renewUnderFirst({ db: database.drizzle, clock: databaseClock, keys, random });
    logger.info({ rows }, 'rows renewed under the first root secret');
    renewalDueAt = performance.now() + RENEW_EVERY_MILLISECONDS;
  };
}

function keepingLogos({ database }: Runtime, logger: Logger): Round['run'] {
  const logos = clientLogoStore(database.drizzle, databaseClock);
  return async () => {
    const { fetchImage } = await import('../images/fetch-image.ts');
    await keepClientLogos({ logos, fetchImage, logger });
  };
}

/** Null: the file cannot be read, so the events wait. */
async function unlessUnreadable(secret: Promise<string | null>): Promise<string | null> {
  try {
    return await secret;
  } catch (error) {
    if (error instanceof EnvironmentError) return null;
    throw error;
  }
}

export type Webhooks = {
  readonly round: () => Promise<void>;
  readonly cleanUp: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Without a receiver nothing of it is loaded, but once in a minute what is left from earlier receivers is looked after. */
export function webhooksOf(
  { database, environment, random }: Runtime,
  deps: AppDeps,
  secretNamed: Secrets['named'],
  logger: Logger,
): Webhooks {
  const { configuration, keyRing } = deps;
  let opened: Promise<DeliveryWorker> | null = null;
  const open = async () => {
    const { webhookWorker } = await import('./webhooks.ts');
    return webhookWorker({
      db: database.drizzle,
      clock: databaseClock,
      random,
      issuer: environment.issuer,
      configuration,
      keyRing,
      secretsOf: async (receiver) => {
        const { secretEnvironment: name } = receiver;
        const secret = name === undefined ? null : await unlessUnreadable(secretNamed(name));
        return webhookSecretsOf(receiver, name === undefined || secret === null ? {} : { [name]: secret });
      },
      logger,
    });
  };
  return {
    round: async () => {
      if (configuration().webhooks.receivers.length === 0) return;
      opened ??= open();
      // Not awaited: the delivery worker serves each receiver by itself and none twice, and a slow receiver keeps no other waiting.
      void (await opened).round();
    },
    cleanUp: async () => {
      const { cleanUpWebhooks } = await import('./webhooks.ts');
      await cleanUpWebhooks(database.drizzle, databaseClock, configuration());
    },
    close: async () => (await opened)?.close(),
  };
}
