/** The sources of this process's metrics. Loaded only with a metrics port. */
import type { SigningKeyPolicy } from '../../policies/schema.ts';
import { keyLifetimes } from '../config/key-lifetimes.ts';
import type { LastReload } from '../config/last-reload.ts';
import type { SealVerifier } from '../crypto/ledger-seal.ts';
import type { RowMacs } from '../crypto/row-mac.ts';
import { type Metrics, openMetrics } from '../metrics/listener.ts';
import type { SigningKeyRow } from '../model/signing-key.ts';
import type { Database } from '../storage/database.ts';
import { ledgerDefaultEntries } from '../storage/ledger-partitions.ts';
import { sealStanding } from '../storage/ledger-seals.ts';
import { waitingMails } from '../storage/mails.ts';
import { overdueRows } from '../storage/overdue.ts';
import { ignoredSigningKeys, signingKeyStore } from '../storage/signing-keys.ts';
import { waitingEvents } from '../storage/webhook-list.ts';
import { databaseClock } from '../system/clock.ts';
import { VERSION } from '../system/version.ts';
import type { AppDeps } from './wiring.ts';

export type MetricsParts = {
  readonly host: string;
  readonly port: number;
  readonly database: Database;
  readonly macs: RowMacs;
  readonly seals: SealVerifier;
  readonly queues: AppDeps['queues'];
  readonly signingKeys: () => SigningKeyPolicy;
  readonly databaseHealth: AppDeps['databaseHealth'];
  readonly lastReload: () => LastReload | null;
};

/** @throws Error of the operating system when the port cannot be had. */
export const metricsOf = ({
  host,
  port,
  database,
  macs,
  seals,
  queues,
  signingKeys,
  databaseHealth,
  lastReload,
}: MetricsParts): Promise<Metrics> =>
  openMetrics({
    host,
    port,
    statementsInFlight: database.inFlight,
    standing: {
      version: VERSION,
      queues,
      overdue: () => overdueRows(database.drizzle, databaseClock),
      waitingEvents: () => waitingEvents(database.drizzle, databaseClock),
      waitingMails: () => waitingMails(database.drizzle, databaseClock),
      ledger: () => sealStanding(database.drizzle, databaseClock, seals),
      ledgerDefaultEntries: () => ledgerDefaultEntries(database.drizzle),
      keys: async () => {
        const { keys } = await signingKeyStore(database.drizzle, databaseClock, macs).load();
        return keys.flatMap((key) => {
          const since = SINCE[key.state](key);
          return since === null ? [] : { alg: key.alg, state: key.state, since: since.getTime() / 1000 };
        });
      },
      ignoredKeys: async () => (await ignoredSigningKeys(database.drizzle, macs)).length,
      signingLifetimeSeconds: () => keyLifetimes(signingKeys()).signingLifetimeSeconds,
      databaseAvailable: () => databaseHealth.last() === 'available',
      lastReloadAccepted: () => lastReload()?.accepted ?? null,
    },
  });

const SINCE: Readonly<Record<SigningKeyRow['state'], (key: SigningKeyRow) => Date | null>> = {
  unpublished: () => null,
  published: ({ createdAt }) => createdAt,
  signing: ({ beganSigningAt }) => beganSigningAt,
  retiring: ({ stoppedSigningAt }) => stoppedSigningAt,
  retired: () => null,
};
