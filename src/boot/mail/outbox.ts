/**
 * The queue of mails, in the database, and the worker that empties it (docs/decisions/0059). A mail is stored after the commit of its
 * cause. Then a node claims it, attempts it and reports: this node or, when this node has died, another.
 *
 * Notices go before links, and the domains of recipients take turns. Where the queue of a purpose is full, the domain with the most mails in it
 * loses its newest. So a flood to one domain, or to a relay that refuses it, takes no room from others.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ComposedMail } from '../../http/views/mail.ts';
import type { QueuedMail } from '../../lifecycles/mail/entity.ts';
import {
  askMail,
  claimMailRequest,
  displaceMailRequest,
  MAIL_POLICY,
  type MailPolicy,
  type MailReport,
  reportMailRequest,
} from '../../lifecycles/mail/lifecycle.ts';
import { MAIL_PURPOSES } from '../../lifecycles/mail/purpose.ts';
import { type Contents, openContents, queuedMail, type SealDeps } from '../../people/mail/contents.ts';
import type { Mail, MailsWanted, Outbox } from '../../people/mail/mail.ts';
import type { DueMail, MailQueue } from '../../storage/mails.ts';
import { mailsHandled } from '../../system/observed.ts';
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

export type OutboxOptions = SealDeps & {
  readonly queue: MailQueue;
  readonly deliver: Deliver;
  readonly compose: (mail: Mail) => Promise<ComposedMail>;
  /** Answers a request of an unauthenticated user. The mail takes the place of the request, also in a full queue. */
  readonly answer: (wanted: MailsWanted, send: Outbox['send']) => Promise<void>;
  /** Whether the account was deleted: its erasure missed a mail that was stored after it. */
  readonly isErased: (userId: string) => Promise<boolean>;
  readonly now: () => Date;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly policy?: MailPolicy;
  readonly maxWaiting?: number;
};

export type RunningOutbox = Outbox & {
  /** To be called about every second: attempts what is due, also of other nodes. */
  readonly round: () => Promise<void>;
  /** Everything that was asked for so far has been attempted once. */
  readonly idle: () => Promise<void>;
  /** No further attempts; what is on its way may arrive. The rest waits in the database. */
  readonly close: () => Promise<void>;
};

/** Of each purpose. A server that is asked for more refuses some, and says so. */
const MAX_WAITING = 1000;
/** Lookups that run together: requests come first. */
const LOOKUPS_TOGETHER = 2;
/** As many as there are connections to the relay, so that mails wait in the queue, where their order is kept. */
const DELIVERIES_TOGETHER = 2;

export function openOutbox({
  queue,
  deliver,
  compose,
  answer,
  isErased,
  now,
  logger,
  policy = MAIL_POLICY,
  maxWaiting = MAX_WAITING,
  ...seal
}: OutboxOptions): RunningOutbox {
  const closing = new AbortController();
  const ports = { mails: queue.mails, sleep: (milliseconds: number) => sleep(milliseconds) };
  const later = lookups(logger, maxWaiting);
  const servedAt = new Map<string, number>();
  const working = new Set<Promise<void>>();
  let turn = 0;
  /** Something came since the queue was looked at last. */
  let isWanted = false;

  async function put(contents: Contents, most: number | null): Promise<boolean> {
    const mail = queuedMail(seal, contents, now());
    if (!(await queue.add(mail, most))) {
      const id = await queue.displaceable(mail);
      const displaced = id === null ? null : await askMail(ports, id, displaceMailRequest(policy));
      if (displaced === null || displaced.after !== displaced.before) dropped(mail.purpose, 'queue_full');
      if (displaced === null) return false;
      await queue.add(mail, null);
    }
    kick();
    return true;
  }

  function dropped(purpose: QueuedMail['purpose'], reason: QueuedMail['dropReason'], more: object = {}): void {
    const isFull = reason === 'queue_full';
    mailsHandled.publish(() => ({ purpose, outcome: isFull ? 'dropped' : 'givenUp' }));
    logger.error({ ...more, purpose, reason }, isFull ? 'mail dropped: the queue is full' : 'mail abandoned');
  }

  function kick(): void {
    isWanted = true;
    if (working.size >= DELIVERIES_TOGETHER || closing.signal.aborted) return;
    // Outside the time of the request that asks.
    const work = withinTime(null, empty)
      .catch((error: unknown) => logger.warn({ err: error }, 'the mail queue failed; the next poll retries'))
      .finally(() => working.delete(work));
    working.add(work);
  }

  async function empty(): Promise<void> {
    do {
      isWanted = false;
      for (let next = await take(); next !== null; next = await take()) {
        // There may be work for a second worker.
        kick();
        await attempt(next);
      }
    } while (isWanted && !closing.signal.aborted);
  }

  /** Null: nothing is due, or other workers have it. */
  async function take(): Promise<QueuedMail | null> {
    if (closing.signal.aborted) return null;
    const due = (await queue.due()).toSorted(inTurn);
    for (const domain of servedAt.keys()) if (!due.some((one) => one.domain === domain)) servedAt.delete(domain);
    for (const { id, domain } of due) {
      servedAt.set(domain, ++turn);
      const claimed = await askMail(ports, id, claimMailRequest(policy));
      if (claimed === null || claimed.after === claimed.before) continue;
      if (claimed.after.state === 'pending') return claimed.after;
      dropped(claimed.after.purpose, claimed.after.dropReason, { attempt: claimed.after.attempts });
    }
    return null;
  }

  const inTurn = (one: DueMail, other: DueMail): number =>
    MAIL_PURPOSES.indexOf(one.purpose) - MAIL_PURPOSES.indexOf(other.purpose) ||
    (servedAt.get(one.domain) ?? 0) - (servedAt.get(other.domain) ?? 0);

  async function attempt(mail: QueuedMail): Promise<void> {
    const { id, purpose, nextAttemptAt: claim } = mail;
    if (claim === null) return;
    const contents = openContents(seal.keys, mail, now());
    const kind = contents === null ? null : 'content' in contents ? contents.content.kind : contents.kind;
    const failure = await failureOf(contents);
    const outcome: MailReport['outcome'] = failure === null ? 'succeeded' : failure.isFinal ? 'refused' : 'failed';
    const reported = await askMail(ports, id, reportMailRequest(policy, { outcome, claim }));
    const said = { kind, attempt: mail.attempts };
    if (failure === null) {
      if (contents !== null && !('content' in contents)) return;
      mailsHandled.publish(() => ({ purpose, outcome: 'sent' }));
      return logger.info(said, 'mail sent');
    }
    const more = { ...said, code: failure.code, ...(failure.error !== undefined && { err: failure.error }) };
    // Its end-user was erased meanwhile, or a later attempt counts.
    if (reported === null || reported.after === reported.before) return;
    if (reported.after.state === 'dropped') return dropped(purpose, reported.after.dropReason, more);
    logger.warn(more, 'mail not delivered; a later attempt follows');
  }

  /** Null: the relay has it. */
  async function failureOf(contents: Contents | null): Promise<Failure | null> {
    // Another node may list the root secret.
    if (contents === null) return { code: 'unreadable', isFinal: false };
    let isComposed = true;
    try {
      if (!('content' in contents)) {
        await answer(contents, (mail) => put(mail, null));
        return null;
      }
      if (contents.userId !== null && (await isErased(contents.userId))) return { code: 'erased', isFinal: true };
      isComposed = false;
      const composed = await compose(contents);
      isComposed = true;
      await deliver(composed);
      return null;
    } catch (error) {
      if (error instanceof NotDelivered) return { code: error.code, isFinal: error.isFinal };
      // A mail for which there are no words would have none the next time.
      return { code: 'unknown', isFinal: !isComposed, error };
    }
  }

  async function idle(): Promise<void> {
    await later.idle();
    while (working.size > 0) {
      await Promise.all(working);
      await later.idle();
    }
  }

  return {
    send: (mail) => put(mail, maxWaiting),
    want: (wanted) => put(wanted, maxWaiting),
    later: later.run,
    // Not awaited: a slow relay keeps no round waiting.
    round: async () => kick(),
    idle,
    close: () => {
      closing.abort();
      return idle();
    },
  };
}

type Failure = { readonly code: string; readonly isFinal: boolean; readonly error?: unknown };

/** Looks up whom notices go to, some together, in the memory of this process: until a notice is in the queue, it is lost with the process. */
function lookups(logger: OutboxOptions['logger'], most: number) {
  const waiting: (() => Promise<void>)[] = [];
  let whenIdle: (() => void)[] = [];
  let running = 0;
  function look(): void {
    while (running < LOOKUPS_TOGETHER) {
      const work = waiting.shift();
      if (work === undefined) break;
      running++;
      // In a turn of its own, so that an answer that is ready goes first.
      setImmediate(() => {
        void work().finally(() => {
          running--;
          look();
        });
      });
    }
    if (running > 0) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
  }
  return {
    run: (work: () => Promise<unknown>): Promise<void> => {
      if (waiting.length >= most) {
        mailsHandled.publish(() => ({ purpose: 'notice', outcome: 'dropped' }));
        logger.error({ purpose: 'notice' }, 'mail dropped: the queue is full');
        return Promise.resolve();
      }
      return new Promise<void>((resolve) => {
        // Not within the time of the request that asked.
        waiting.push(async () => {
          await withinTime(null, work).catch((error: unknown) => {
            mailsHandled.publish(() => ({ purpose: 'notice', outcome: 'dropped' }));
            logger.error({ err: error }, 'the work after a response failed; no mail was sent');
          });
          resolve();
        });
        look();
      });
    },
    idle: () =>
      new Promise<void>((resolve) => {
        whenIdle.push(resolve);
        look();
      }),
  };
}
