/** The process: runtime, keys, app, listen, graceful close. Configuration and environment are checked before anything opens. */
import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { KEY_POLL_SECONDS } from '../../policies/schema.ts';
import { isLoopback } from '../config/environment.ts';
import { buildApp } from '../http/app.ts';
import { housekeeper } from '../storage/housekeeping.ts';
import { keepLedgerPartitions } from '../storage/ledger-partitions.ts';
import { databaseClock } from '../system/clock.ts';
import { deadlines } from '../system/deadlines.ts';
import { makeLogger } from '../system/logger.ts';
import { banner } from './banner.ts';
import type { Demo } from './demo-data.ts';
import { liveConfiguration } from './live-configuration.ts';
import { openRuntime, type Runtime } from './runtime.ts';
import { appDeps } from './wiring.ts';

const TIDY_EVERY_MILLISECONDS = 60_000;

/** Listens until SIGTERM or SIGINT; then finishes the requests in flight, and closes. */
export async function start(env: NodeJS.ProcessEnv): Promise<void> {
  const progress = progressOf(env);
  const runtime = await openRuntime(env, progress);
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
  const configuration = await liveConfiguration(runtime, logger, env);
  const { current } = configuration;
  // Before the first line of the ledger is written: lines in the default partition stay there.
  await keepLedgerPartitions(database.drizzle, databaseClock);
  progress('opening the signing keys');
  const deps = await appDeps({ ...runtime, ...environment, logger, clock: databaseClock, configuration: current });
  const demo = await demoData(runtime, progress);
  const app = await buildApp({ ...deps, demo });
  await app.listen({ host: environment.host, port: environment.port });
  if (!environment.production) process.stdout.write(banner(environment, demo));
  logger.info({ issuer: environment.issuer, database: database.kind }, 'listening');
  // Otherwise it is kept only when the process ends, and not after SIGKILL (src/cli/fast-loading.js).
  flushCompileCache();
  // What a request makes lives for milliseconds. V8 would let its space grow to 134 MB under load; this keeps it as large as the
  // start made it (docs/performance.md).
  setFlagsFromString('--semi-space-growth-factor=1');

  const tidying = tidyRegularly(runtime, logger);
  const keeping = regularly(deps.keepKeys, KEY_POLL_SECONDS * 1000);
  // An algorithm that is new in the files has a key at once, not only at the next round.
  configuration.onReload(() => void deps.keepKeys());
  const unwatch = configuration.watch();
  process.on('SIGHUP', () => void configuration.reload());
  closeOnSignal(logger, async () => {
    clearInterval(tidying);
    clearInterval(keeping);
    unwatch();
    // A request that never ends, such as a body that never arrives, must not keep the process alive.
    const deadline = setTimeout(() => app.server.closeAllConnections(), deadlines.closingMilliseconds);
    await app.close();
    clearTimeout(deadline);
    await database.close();
  });
}

/** Demo data exists only on the embedded database with a loopback HOST. */
async function demoData(runtime: Runtime, progress: Progress): Promise<Demo | null> {
  if (runtime.database.kind !== 'embedded') return null;
  const { endDemo, makeDemo } = await import('./demo-data.ts');
  if (isLoopback(runtime.environment.host)) {
    progress('preparing the demo');
    return makeDemo(runtime);
  }
  await endDemo(runtime);
  return null;
}

function tidyRegularly({ database }: Runtime, logger: Logger): NodeJS.Timeout {
  const { tidy } = housekeeper(database.drizzle, databaseClock);
  const round = () =>
    tidy().then(
      (removed) => logger.debug({ removed }, 'tidied'),
      (error: unknown) => logger.warn({ err: error }, 'tidying failed; it is tried again'),
    );
  void round();
  return regularly(round, TIDY_EVERY_MILLISECONDS);
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
