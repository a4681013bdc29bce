/** The process: runtime, keys, app, listen, graceful close. Configuration and environment are checked before anything opens. */

import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { withoutTls } from '../config/configuration-warnings.ts';
import type { Environment } from '../config/environment.ts';
import type { LastReload } from '../config/last-reload.ts';
import { sealKeys } from '../crypto/ledger-seal.ts';
import { rowMacs } from '../crypto/row-mac.ts';
import { buildApp } from '../http/app.ts';
import { databaseClock } from '../system/clock.ts';
import { deadlines } from '../system/deadlines.ts';
import { makeLogger } from '../system/logger.ts';
import { openRounds, type Rounds } from '../system/rounds.ts';
import { VERSION } from '../system/version.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { banner } from './banner.ts';
import { registerConsole } from './console.ts';
import type { Demo } from './demo-data.ts';
import { hasDemo } from './demo-operator.ts';
import { offerSetUp, operatorsBySetUp } from './first-operator.ts';
import { lowerHashingThreads } from './hashing-threads.ts';
import { liveConfiguration } from './live-configuration.ts';
import { mailWay } from './mail/way.ts';
import { nodeRounds, webhooksOf } from './rounds.ts';
import { openRuntime, type Runtime } from './runtime.ts';
import { secretsOf } from './secrets.ts';
import { type AppDeps, appDeps } from './wiring.ts';
import { boundYoungGeneration } from './young-generation.ts';

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
  const parts = { ...runtime, issuer: environment.issuer, db: database.drizzle };
  let openConsole = async (): Promise<void> => {};
  const operators = operatorsBySetUp(parts, configuration.current, logger, () => void openConsole());
  await operators.follow();
  const { configuration: current } = operators;
  progress('opening the signing keys');
  const secrets = await secretsOf(runtime);
  const mail = await mailWay(runtime, secrets, logger);
  const followSecrets = () => secrets.follow(() => Promise.allSettled([configuration.reload(), mail.follow()]));
  const deps = await appDeps({
    ...runtime,
    ...environment,
    logger,
    clock: databaseClock,
    configuration: current,
    lastReload: configuration.lastReload,
    mail,
    declaredOperators: () => configuration.current().operators.operators,
    operatorMade: operators.follow,
    secretNamed: secrets.named,
    // The change is committed: a failure here is one of the next round, and not of the request.
    secretChanged: () => Promise.allSettled([followSecrets()]),
  });
  const demo = await demoData(runtime, progress);
  openConsole = () =>
    registerConsole({ ...parts, configuration: current() }).catch((error: unknown) =>
      logger.error({ err: error }, 'the console could not be registered'),
    );
  await registerConsole({ ...parts, configuration: current() });
  const app = await buildApp({ ...deps, demo });
  logger.debug({ threads: await lowerHashingThreads() }, 'hashing threads give way');
  // Before the first request: a signal without a handler ends the process immediately.
  process.on('SIGHUP', () => void configuration.reload());
  const tracing = await traceTo(environment, logger);
  const beat = async () => void (await deps.databaseHealth.beat());
  const webhooks = webhooksOf(runtime, deps, secrets.named, logger);
  let rounds: Rounds | null = null;
  const stops: (() => void)[] = [];
  closeOnSignal(logger, async () => {
    for (const stop of stops) stop();
    const roundsHaveEnded = rounds?.close();
    // A request that never ends, such as a body that never arrives, must not keep the process alive.
    const deadline = setTimeout(() => app.server.closeAllConnections(), deadlines.closingMilliseconds);
    await app.close();
    clearTimeout(deadline);
    await deps.outbox?.close();
    await webhooks.close();
    await roundsHaveEnded;
    mail.close();
    await deps.heartbeat.leave();
    await database.close();
    await tracing?.close();
  });
  await app.listen({ host: environment.host, port: environment.port });
  const closeMetrics = await showMetrics(runtime, deps, configuration.lastReload, logger);
  const closeToCommands = await letCommandsIn(runtime, app.server.address(), logger);
  if (!environment.production) process.stdout.write(banner(environment, demo));
  logger.info({ issuer: environment.issuer, database: database.kind }, 'listening');
  const bootstrap = environment.bootstrapOperator;
  await offerSetUp({ ...parts, configuration: configuration.current(), bootstrap }, terminalOf(environment), logger);
  // Otherwise it is kept only when the process ends, and not after SIGKILL (src/cli/fast-loading.js).
  flushCompileCache();
  stops.push(boundYoungGeneration());

  rounds = openRounds(
    nodeRounds({
      runtime,
      configuration: current,
      logger,
      webhooks,
      outbox: deps.outbox,
      beat,
      keepKeys: deps.keepKeys,
      followOperators: operators.follow,
      followSecrets: async () => {
        await followSecrets();
        await mail.follow();
      },
    }),
    database.runAlone,
  );
  const followOperators = () =>
    operators
      .follow()
      .catch((error: unknown) => logger.warn({ err: error }, 'the operators by set-up are not followed'));
  // A new algorithm in the files gets a key immediately, before the next round.
  configuration.onReload(() => {
    void deps.keepKeys();
    void openConsole();
    void followOperators();
  });
  stops.push(configuration.watch(), closeToCommands, closeMetrics);
}

/** In production, standard output is the log, unless a person reads it. */
const terminalOf = ({ production }: Environment) => ({
  isTerminal: !production || process.stdout.isTTY === true,
  print: (lines: string) => void process.stdout.write(lines),
});

/** Null: traces are not configured. */
async function traceTo({ tracing }: Environment, logger: Logger): Promise<Tracing | null> {
  if (tracing === null) return null;
  const { openTracing } = await import('../tracing/tracing.ts');
  const deliveryChanged = (code: string | null) =>
    code === null
      ? logger.info('the collector accepts traces again')
      : logger.warn({ code }, 'traces are lost: the collector does not accept them. Check OTEL_EXPORTER_OTLP_ENDPOINT');
  return openTracing({ ...tracing, version: VERSION, deliveryChanged });
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
    seals: sealKeys(keys),
    queues: deps.queues,
    databaseHealth: deps.databaseHealth,
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

/** SIGTERM, SIGINT or an uncaught error: exits with 0 after a signal, 1 after an error. A second signal ends the process immediately. */
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
