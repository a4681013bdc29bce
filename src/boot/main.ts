/** The process: runtime, keys, app, listen, graceful close. Configuration and environment are checked before anything opens. */

import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { KEY_POLL_SECONDS } from '../../policies/schema.ts';
import { withoutTls } from '../config/configuration-warnings.ts';
import type { Environment } from '../config/environment.ts';
import type { LastReload } from '../config/last-reload.ts';
import { secretVariable } from '../config/secret-variable.ts';
import { webhookSecretsOf } from '../config/webhook-secrets.ts';
import { rowMacs } from '../crypto/row-mac.ts';
import { buildApp } from '../http/app.ts';
import { removeIdentitiesOfDeletedUsers } from '../lifecycles/linked-identity.ts';
import { clientLogoStore } from '../storage/client-logos.ts';
import { housekeeper } from '../storage/housekeeping.ts';
import { keepLedgerPartitions } from '../storage/ledger-partitions.ts';
import { identitiesOfDeletedUsers, linkedIdentityStore } from '../storage/linked-identities.ts';
import { databaseClock } from '../system/clock.ts';
import { deadlines } from '../system/deadlines.ts';
import { makeLogger } from '../system/logger.ts';
import { tidied } from '../system/observed.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { Courier } from '../webhooks/courier.ts';
import { banner } from './banner.ts';
import { keepClientLogos } from './client-logos.ts';
import { registerConsole } from './console.ts';
import type { Demo } from './demo-data.ts';
import { hasDemo } from './demo-operator.ts';
import { lowerHashingThreads } from './hashing-threads.ts';
import { heartbeatOf, versionOfPackage } from './heartbeat.ts';
import { ledgerRounds } from './ledger.ts';
import { liveConfiguration } from './live-configuration.ts';
import { mailWay } from './mail/way.ts';
import { openRuntime, type Runtime } from './runtime.ts';
import { type AppDeps, appDeps } from './wiring.ts';

const TIDY_EVERY_MILLISECONDS = 60_000;
/** Again and again: a node whose list has another order still makes those of the older root secret. */
const RENEW_MACS_EVERY_MILLISECONDS = 3_600_000;
/** What is in no stretch yet can still be changed unseen. */
const SEAL_EVERY_MILLISECONDS = 60_000;
const BEAT_EVERY_MILLISECONDS = 15_000;
const CARRY_EVERY_MILLISECONDS = 1000;

/** Listens until SIGTERM or SIGINT; then finishes the requests in flight, and closes. */
export async function start(env: NodeJS.ProcessEnv): Promise<void> {
  const progress = progressOf(env);
  const runtime = await openRuntime(env, progress, { serves: true });
  const { environment, database } = runtime;
  const logger = makeLogger({ level: environment.logLevel, readable: !environment.production });
  try {
    await serve(runtime, logger, env, progress);
  } catch (error) {
    await database.close();
    throw error;
  }
}

type Progress = (words: string) => void;

/** The lines after the first one, which src/cli/statehouse.js prints. In production, standard output is the log: JSON lines only. */
const progressOf = (env: NodeJS.ProcessEnv): Progress =>
  env['NODE_ENV']?.trim() === 'production' ? () => {} : (words) => void process.stdout.write(`  ${words}\n`);

async function serve(runtime: Runtime, logger: Logger, env: NodeJS.ProcessEnv, progress: Progress): Promise<void> {
  const { environment, database } = runtime;
  if (environment.production) for (const warning of withoutTls(environment)) logger.warn(warning);
  const configuration = await liveConfiguration(runtime, logger, env);
  const { current } = configuration;
  // Before the first line of the ledger is written: lines in the default partition stay there.
  await keepLedgerPartitions(database.drizzle, databaseClock);
  progress('opening the signing keys');
  const mail = await mailWay(runtime);
  const deps = await appDeps({
    ...runtime,
    ...environment,
    logger,
    clock: databaseClock,
    configuration: current,
    lastReload: configuration.lastReload,
    mail,
    environmentVariable: (name) => secretVariable(env, name) ?? undefined,
  });
  const demo = await demoData(runtime, progress);
  const openConsole = () =>
    registerConsole({ ...runtime, issuer: environment.issuer, db: database.drizzle, configuration: current() });
  await openConsole();
  const app = await buildApp({ ...deps, demo });
  logger.debug({ threads: await lowerHashingThreads() }, 'hashing threads give way');
  // Before anybody can be answered: a signal that finds no handler ends the process as it is.
  process.on('SIGHUP', () => void configuration.reload());
  const tracing = await traceTo(environment);
  const { beat, leave } = heartbeatOf(database, runtime.random, logger);
  const webhooks = webhooksOf(runtime, deps, logger, env);
  const stops: (() => void)[] = [];
  closeOnSignal(logger, async () => {
    for (const stop of stops) stop();
    // A request that never ends, such as a body that never arrives, must not keep the process alive.
    const deadline = setTimeout(() => app.server.closeAllConnections(), deadlines.closingMilliseconds);
    await app.close();
    clearTimeout(deadline);
    await deps.outbox?.close();
    await webhooks.close();
    mail?.close();
    await leave();
    await database.close();
    await tracing?.close();
  });
  await app.listen({ host: environment.host, port: environment.port });
  const closeMetrics = await showMetrics(runtime, deps, configuration.lastReload, logger);
  const closeToCommands = await letCommandsIn(runtime, app.server.address(), logger);
  if (!environment.production) process.stdout.write(banner(environment, demo));
  logger.info({ issuer: environment.issuer, database: database.kind }, 'listening');
  // Otherwise it is kept only when the process ends, and not after SIGKILL (src/cli/fast-loading.js).
  flushCompileCache();
  // What a request makes lives for milliseconds. V8 would let its space grow to 134 MB under load; this keeps it as large as the
  // start made it (docs/performance.md).
  setFlagsFromString('--semi-space-growth-factor=1');

  void beat();
  void webhooks.tidy();
  // An algorithm that is new in the files has a key at once, not only at the next round.
  configuration.onReload(() => {
    void deps.keepKeys();
    void openConsole().catch((error: unknown) => logger.error({ err: error }, 'the console could not be registered'));
  });
  const rounds = [
    tidyRegularly(runtime, logger),
    keepLogosRegularly(runtime, logger),
    regularly(ledgerRounds(runtime, current, logger), SEAL_EVERY_MILLISECONDS),
    regularly(webhooks.round, CARRY_EVERY_MILLISECONDS),
    regularly(webhooks.tidy, TIDY_EVERY_MILLISECONDS),
    regularly(beat, BEAT_EVERY_MILLISECONDS),
    regularly(deps.keepKeys, KEY_POLL_SECONDS * 1000),
  ];
  stops.push(
    ...rounds.map((round) => () => clearInterval(round)),
    configuration.watch(),
    closeToCommands,
    closeMetrics,
  );
}

/** Null: nobody asked for traces. */
async function traceTo({ tracing }: Environment): Promise<Tracing | null> {
  if (tracing === null) return null;
  const { openTracing } = await import('../tracing/tracing.ts');
  return openTracing({ ...tracing, version: versionOfPackage() });
}

/** @returns a function that ends it. */
async function showMetrics(
  { environment, database, keys }: Runtime,
  deps: AppDeps,
  lastReload: () => LastReload | null,
  logger: Logger,
): Promise<() => void> {
  if (environment.metrics === null) return () => {};
  const signingKeys = () => deps.configuration().signingKeys;
  const { metricsOf } = await import('./metrics.ts');
  const { port, close } = await metricsOf({
    ...environment.metrics,
    database,
    macs: rowMacs(keys),
    queues: deps.queues,
    signingKeys,
    lastReload,
  });
  logger.info({ host: environment.metrics.host, port }, 'metrics');
  return close;
}

/** Commands go to any other database by themselves. @returns a function that shuts them out. */
async function letCommandsIn(
  runtime: Runtime,
  bound: AddressInfo | string | null,
  logger: Logger,
): Promise<() => void> {
  if (runtime.database.kind !== 'embedded') return () => {};
  const { openToCommands } = await import('./command-line-access.ts');
  return openToCommands(runtime, bound, logger);
}

/** Demo data exists only on the embedded database with a loopback HOST. */
async function demoData(runtime: Runtime, progress: Progress): Promise<Demo | null> {
  if (runtime.database.kind !== 'embedded') return null;
  const { endDemo, makeDemo } = await import('./demo-data.ts');
  if (hasDemo(runtime)) {
    progress('preparing the demo');
    return makeDemo(runtime);
  }
  await endDemo(runtime);
  return null;
}

/** While several root secrets are listed: afterwards the older may be dropped, as far as rows are concerned. */
async function renewMacs({ database, keys }: Runtime, logger: Logger): Promise<void> {
  const { renewRowMacs } = await import('../storage/renew-row-macs.ts');
  const rows = await renewRowMacs(database.drizzle, rowMacs(keys));
  logger.info({ rows }, 'the MACs of rows are those of the newest root secret');
}

function tidyRegularly(runtime: Runtime, logger: Logger): NodeJS.Timeout {
  const { database, keys } = runtime;
  let renewalDueAt = 0;
  const { tidy } = housekeeper(database.drizzle, databaseClock);
  const identities = linkedIdentityStore(database.drizzle, databaseClock);
  const tidyAll = async () => {
    // First: what is removed now is tidied in the same round.
    const ofDeleted = await identitiesOfDeletedUsers(database.drizzle);
    if (keys.byId.size > 1 && performance.now() >= renewalDueAt) {
      await renewMacs(runtime, logger);
      renewalDueAt = performance.now() + RENEW_MACS_EVERY_MILLISECONDS;
    }
    await removeIdentitiesOfDeletedUsers({ identities, sleep: (milliseconds) => sleep(milliseconds) }, ofDeleted);
    return tidy();
  };
  const round = () =>
    tidyAll().then(
      (removed) => {
        tidied.tell(() => ({ removed }));
        logger.debug({ removed }, 'tidied');
      },
      (error: unknown) => logger.warn({ err: error }, 'tidying failed; it is tried again'),
    );
  void round();
  return regularly(round, TIDY_EVERY_MILLISECONDS);
}

type Webhooks = {
  readonly round: () => Promise<void>;
  readonly tidy: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Without a receiver nothing of it is loaded, but once in a minute what is left from earlier receivers is looked after. */
function webhooksOf(
  { database, environment, random }: Runtime,
  deps: AppDeps,
  logger: Logger,
  env: NodeJS.ProcessEnv,
): Webhooks {
  const { configuration, keyRing } = deps;
  let opened: Promise<Courier> | null = null;
  const open = async () => {
    const { webhookCourier } = await import('./webhooks.ts');
    return webhookCourier({
      db: database.drizzle,
      clock: databaseClock,
      random,
      issuer: environment.issuer,
      configuration,
      keyRing,
      secretsOf: (receiver) => webhookSecretsOf(receiver, env),
      logger,
    });
  };
  return {
    round: async () => {
      if (configuration().webhooks.receivers.length === 0) return;
      opened ??= open();
      await (await opened).round();
    },
    tidy: async () => {
      try {
        const { tidyWebhooks } = await import('./webhooks.ts');
        await tidyWebhooks(database.drizzle, databaseClock, configuration());
      } catch (error) {
        logger.warn({ err: error }, 'deliveries are not tidied; it is tried again');
      }
    },
    close: async () => (await opened)?.close(),
  };
}

function keepLogosRegularly({ database }: Runtime, logger: Logger): NodeJS.Timeout {
  const logos = clientLogoStore(database.drizzle, databaseClock);
  // A start needs no other server: the first round comes later.
  const round = async () => {
    const { fetchImage } = await import('../images/fetch-image.ts');
    await keepClientLogos({ logos, fetchImage, logger });
  };
  const quietly = () =>
    round().catch((error: unknown) => logger.warn({ err: error }, 'images of clients are not looked after'));
  return regularly(quietly, TIDY_EVERY_MILLISECONDS);
}

/** @param round logs its own failures and never rejects. */
function regularly(round: () => Promise<void>, milliseconds: number): NodeJS.Timeout {
  const timer = setInterval(() => void round(), milliseconds);
  timer.unref();
  return timer;
}

/** SIGHUP reloads. The others keep their default action: after a fault it is not safe to run JavaScript. */
const NOT_CLOSING = [
  'SIGHUP',
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGSEGV',
  'SIGUSR2',
] satisfies closeWithGrace.AllEvents[];

/** SIGTERM, SIGINT or an uncaught error: exits with 0 after a signal, 1 after an error. A second signal ends at once. */
function closeOnSignal(logger: Logger, close: () => Promise<void>): void {
  closeWithGrace(
    {
      delay: deadlines.hangingMilliseconds,
      skip: NOT_CLOSING,
      // Given only an error, pino would log its message, which may contain the parameters of a statement.
      logger: {
        error: (problem) =>
          typeof problem === 'string' ? logger.error(problem) : logger.error({ err: problem }, 'closing failed'),
      },
    },
    async ({ signal, err }) => {
      if (err) logger.fatal({ err }, 'uncaught error; closing: finishing the requests in flight');
      else logger.info({ signal }, 'closing: finishing the requests in flight');
      await close();
    },
  );
}
