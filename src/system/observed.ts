/**
 * What rooms tell about their work, for metrics and traces to follow: channels of Node's diagnostics_channel. Without a subscriber a
 * message is not even made. Labels are of few values: no ids, no addresses, nothing that a caller chose.
 */
import { channel } from 'node:diagnostics_channel';
import type { RequestTime } from './request-time.ts';

export type BegunRequest = {
  /** Stands for the request in what is told later. */
  readonly time: RequestTime;
  readonly method: string;
  /** W3C Trace Context, where a proxy that is trusted passed it on; null: none. */
  readonly traceparent: string | null;
};

export type AnsweredRequest = {
  readonly time: RequestTime;
  readonly method: string;
  /** Its pattern; null: no route. */
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
  /** Why it was refused or failed, as in the log; null: it was not. */
  readonly reason: string | null;
};
export type SentBatch = { readonly name: string; readonly items: number };
/** The database refused a statement, or did not answer. `code`: SQLSTATE, or of the driver; null: none. */
export type FailedStatement = { readonly code: string | null };
/**
 * `unanswered`: no answer within the limit of a statement. `no_connection`: none was free in time. `replaced`: a connection was silent
 * or read-only, and the pool was opened again.
 */
export type PoolTrouble = { readonly trouble: 'unanswered' | 'no_connection' | 'replaced' };
/** `removed`: grants. `passBeganAt`: when the last complete pass over all grants began, in milliseconds of `performance.now()`; null: none yet. */
export type CleanedUp = { readonly removed: number; readonly passBeganAt: number | null };
/** A periodic job (src/system/rounds.ts). `elsewhere`: another node ran it. */
export type RoundRun = {
  readonly round: string;
  readonly outcome: 'completed' | 'failed' | 'elsewhere';
  readonly seconds: number;
  /** It took longer than its interval. */
  readonly overran: boolean;
};
/** `dropped`: the queue was full, or a notice could not be stored. */
export type HandledMail = {
  readonly purpose: 'notice' | 'link';
  readonly outcome: 'sent' | 'givenUp' | 'dropped';
};
/** To the collector of traces. */
export type ExportedSpans = { readonly outcome: 'delivered' | 'failed'; readonly spans: number };
/** A check of a new password that can fail. `skipped`: it was not made in time, and the other rules decided alone. */
export type PasswordCheck = { readonly check: 'score' | 'breached'; readonly outcome: 'made' | 'skipped' };
/** `receiver`: as webhooks.yaml names it. `outcome`: a word of src/lifecycles/webhook-delivery/entity.ts. */
export type WebhookAttempt = { readonly receiver: string; readonly outcome: string };

const channelOf = <Message extends object>(name: string) => {
  const known = channel(`statehouse:${name}`);
  return {
    /** @param make is called only when somebody listens. */
    publish: (make: () => Message): void => {
      if (known.hasSubscribers) known.publish(make());
    },
    /** @returns a function that ends it. */
    listen: (listener: (message: Message) => void): (() => void) => {
      const heard = (message: unknown) => listener(message as Message);
      known.subscribe(heard);
      return () => void known.unsubscribe(heard);
    },
  };
};

export const begunRequests = channelOf<BegunRequest>('request-begun');
export const answeredRequests = channelOf<AnsweredRequest>('request');
export const sentBatches = channelOf<SentBatch>('batch');
export const failedStatements = channelOf<FailedStatement>('failed-statement');
export const poolTroubles = channelOf<PoolTrouble>('pool');
export const cleanedUp = channelOf<CleanedUp>('cleanedUp');
export const roundsRun = channelOf<RoundRun>('round');
export const webhookAttempts = channelOf<WebhookAttempt>('webhook-attempt');
export const exportedSpans = channelOf<ExportedSpans>('spans');
export const passwordChecks = channelOf<PasswordCheck>('password-check');
export const mailsHandled = channelOf<HandledMail>('mail');
let traceIdOf: (time: RequestTime) => string | null = () => null;

/** For the line of a request in the log. @param find null: no request is traced any more. */
export function tellTraceIds(find: ((time: RequestTime) => string | null) | null): void {
  traceIdOf = find ?? (() => null);
}

/** Null: the request is not traced. */
export const traceIdIn = (time: RequestTime): string | null => traceIdOf(time);
