/**
 * How easily a password is guessed, as zxcvbn scores it from 0 to 4. zxcvbn knows common passwords and their variants,
 * patterns of keyboards, repetitions, sequences and dates. A thread scores one password at a time. The first password
 * starts it, and it ends after an idle time.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { boundedQueue } from '../../system/bounded-queue.ts';
import { deadlines } from '../../system/deadlines.ts';
import { passwordChecks } from '../../system/observed.ts';
import { millisecondsLeft } from '../../system/request-time.ts';

export type Scored = {
  readonly password: string;
  /** The names of the end-user and the service, which add no strength to the password. */
  readonly names: readonly string[];
};

/** Null: there is no score. It took too long, the queue was full, or the thread failed. */
export type Scorer = (asked: Scored) => Promise<number | null>;

/** The longer the password, the longer a check takes. */
const CHARACTERS = 64;
const NAMES = 40;
const WAITING = 16;
const IDLE_MILLISECONDS = 60_000;
const THREAD_MEGABYTES = 128;

/** @param ask scores one password. The queue calls it again after its answer. */
export function scorer(ask: Scorer): Scorer {
  const queue = boundedQueue({
    running: 1,
    waiting: WAITING,
    waitingPerLine: WAITING,
    perTicket: WAITING + 1,
    waitMilliseconds: deadlines.passwordScoreMilliseconds,
  });
  return async ({ password, names }) => {
    const late = AbortSignal.timeout(millisecondsForScore());
    const asked = { password: begin(password.normalize('NFKC')), names: names.slice(0, NAMES).map(begin) };
    const place = { line: 'passwords', ticket: 'passwords', signal: late };
    const score = await Promise.race([
      queue.run(place, () => ask(asked)).then((queued) => (queued.kind === 'done' ? queued.value : null)),
      once(late, 'abort').then(() => null),
    ]);
    passwordChecks.publish(() => ({ check: 'score', outcome: score === null ? 'skipped' : 'made' }));
    return score;
  };
}

const millisecondsForScore = (): number => {
  const left = millisecondsLeft() - deadlines.afterOtherServersMilliseconds;
  return Math.max(0, Math.ceil(Math.min(deadlines.passwordScoreMilliseconds, left)));
};

const begin = (text: string): string => [...text].slice(0, CHARACTERS).join('');

/** @param script of the thread. */
export function scoreThread(script: URL): Scorer {
  let worker: Worker | null = null;
  let answer: ((score: number | null) => void) | null = null;
  let idle: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(script, {
      execArgv: [],
      // The thread gets no environment variables, which contain the secrets.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES },
    });
    const ended = () => {
      if (worker !== started) return;
      worker = null;
      settle(null);
    };
    started.on('message', settle);
    started.on('error', ended);
    started.on('exit', ended);
    return started;
  }

  function settle(score: number | null): void {
    const waiting = answer;
    answer = null;
    // A command can end while the thread is idle.
    worker?.unref();
    idle = setTimeout(() => {
      const unused = worker;
      worker = null;
      void unused?.terminate();
    }, IDLE_MILLISECONDS);
    idle.unref();
    waiting?.(score);
  }

  return (asked) =>
    new Promise((resolve) => {
      clearTimeout(idle);
      answer = resolve;
      worker ??= start();
      worker.ref();
      worker.postMessage(asked);
    });
}

export const scoreOf: Scorer = scorer(scoreThread(new URL('./score-worker.ts', import.meta.url)));
