/**
 * Sends mails after the answer, in the memory of this process: a mail that cannot be delivered is tried again a few times while the
 * process lives, and is lost with it. Nothing depends on a mail: a person who waits for a link asks again (docs/decisions/0039).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ComposedMail } from '../../http/views/mail.ts';
import type { Mail, Outbox } from '../../people/mail/mail.ts';
import { withinTime } from '../../system/request-time.ts';

/** Thrown by a delivery. The message names neither the address nor anything of the mail. */
export class NotDelivered extends Error {
  /** Trying again would be refused again. */
  readonly isFinal: boolean;
  readonly code: string;
  constructor(code: string, isFinal: boolean) {
    super(`The mail was not delivered: ${code}.`);
    this.name = 'NotDelivered';
    this.code = code;
    this.isFinal = isFinal;
  }
}

export type Deliver = (mail: ComposedMail) => Promise<void>;

export type OutboxOptions = {
  readonly deliver: Deliver;
  readonly compose: (mail: Mail) => Promise<ComposedMail>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** How long each further attempt waits, in milliseconds. */
  readonly waits?: readonly number[];
  /** For tests. Milliseconds; ends early with the signal. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly maxWaiting?: number;
};

export type RunningOutbox = Outbox & {
  /** Everything that was asked for so far has been done, or given up. */
  readonly idle: () => Promise<void>;
  /** No further attempts; what is on its way may arrive. */
  readonly close: () => Promise<void>;
};

const SECOND = 1000;
const WAITS_MILLISECONDS = [5 * SECOND, 60 * SECOND, 300 * SECOND, 900 * SECOND] as const;
/** Mails and lookups together. A server that is asked for more drops them, and says so. */
const MAX_WAITING = 1000;
/** Lookups that run at once: requests come first. */
const AT_ONCE = 2;

export function openOutbox({
  deliver,
  compose,
  logger,
  waits = WAITS_MILLISECONDS,
  sleep: wait = unhurried,
  maxWaiting = MAX_WAITING,
}: OutboxOptions): RunningOutbox {
  const closing = new AbortController();
  const lookups: (() => Promise<void>)[] = [];
  const mails = new Set<Promise<void>>();
  let running = 0;
  let whenIdle: (() => void)[] = [];

  const isFull = () => lookups.length + mails.size >= maxWaiting;
  const settle = () => {
    if (running > 0 || lookups.length > 0 || mails.size > 0) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
  };

  function next(): void {
    while (running < AT_ONCE) {
      const work = lookups.shift();
      if (work === undefined) break;
      running++;
      // In a turn of its own, so that the answer goes first.
      setImmediate(() => {
        work()
          .catch((error: unknown) => logger.error({ err: error }, 'the work after an answer failed; nothing was sent'))
          .finally(() => {
            running--;
            next();
          });
      });
    }
    settle();
  }

  async function tryToDeliver(mail: Mail): Promise<void> {
    const { kind } = mail.content;
    const composed = await compose(mail);
    for (let attempt = 1; ; attempt++) {
      try {
        await deliver(composed);
        logger.info({ kind, attempt }, 'mail sent');
        return;
      } catch (error) {
        const { code, isFinal } = error instanceof NotDelivered ? error : { code: 'unknown', isFinal: false };
        const pause = waits[attempt - 1];
        if (isFinal || pause === undefined || closing.signal.aborted) {
          logger.error({ kind, attempt, code }, 'mail given up');
          return;
        }
        logger.warn({ kind, attempt, code }, 'mail not delivered; it is tried again');
        await wait(pause, closing.signal);
      }
    }
  }

  return {
    later: (work) => {
      if (isFull()) return logger.error({}, 'too much waits to be sent: dropped');
      // Not within the time of the request that asked.
      lookups.push(() => withinTime(null, work));
      next();
    },
    send: (mail) => {
      const { kind } = mail.content;
      if (isFull()) return logger.error({ kind }, 'too much waits to be sent: dropped');
      const sending = withinTime(null, () => tryToDeliver(mail))
        .catch((error: unknown) => logger.error({ kind, err: error }, 'mail given up'))
        .finally(() => {
          mails.delete(sending);
          settle();
        });
      mails.add(sending);
    },
    idle: () =>
      new Promise((resolve) => {
        whenIdle.push(resolve);
        settle();
      }),
    close: async () => {
      closing.abort();
      await Promise.all(mails);
    },
  };
}

const unhurried = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { ref: false, signal }).catch(() => {});
