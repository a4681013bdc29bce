/**
 * The messages that modules publish about their work, for metrics and traces: channels of Node's diagnostics_channel.
 * Without a subscriber, the module does not even make the message. Labels have few values: no ids, no addresses, and no
 * text from a caller.
 */
import { channel } from 'node:diagnostics_channel';
import type { RequestTime } from './request-time.ts';

export type BegunRequest = {
  /** Identifies the request in later messages. */
  readonly time: RequestTime;
  readonly method: string;
  /** W3C Trace Context from a trusted proxy. Null: none. */
  readonly traceparent: string | null;
};

export type AnsweredRequest = {
  readonly time: RequestTime;
  readonly method: string;
  /** The pattern of the route. Null: no route. */
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
  /** The reason of the refusal or failure, as in the log. Null: none. */
  readonly reason: string | null;
};
/** A token request that a client repeats after the end of its chain, answered from memory. `reason`: of the rejection. */
export type RepeatedRequest = { readonly reason: string };
export type SentBatch = { readonly name: string; readonly items: number };
/** The database rejected a statement, or did not answer. `code`: SQLSTATE, or of the driver. Null: none. */
export type FailedStatement = Error & { readonly code: string | null };
/**
 * `unanswered`: no answer within the limit of a statement. `no_connection`: no connection was free in time. `replaced`:
 * a connection was silent or read-only, and the server opened the pool again.
 */
export type PoolTrouble = { readonly trouble: 'unanswered' | 'no_connection' | 'replaced' };
/**
 * `removed`: the number of grants. `passBeganAt`: the start of the last complete pass over all grants, in milliseconds
 * of `performance.now()`. Null: none yet.
 */
export type CleanedUp = { readonly removed: number; readonly passBeganAt: number | null };
/** A run of a periodic job (src/system/rounds.ts). `elsewhere`: another node ran it. */
export type RoundRun = {
  readonly round: string;
  readonly outcome: 'completed' | 'failed' | 'elsewhere';
  readonly seconds: number;
  /** The run took longer than its interval. */
  readonly overran: boolean;
};
/** `dropped`: the queue was full, or the server could not store a notice. */
export type HandledMail = {
  readonly purpose: 'notice' | 'link';
  readonly outcome: 'sent' | 'givenUp' | 'dropped';
};
/** An export to the collector of traces. */
export type ExportedSpans = { readonly outcome: 'delivered' | 'failed'; readonly spans: number };
/** A check of a new password that can fail. `skipped`: it did not finish in time, and the other rules decided alone. */
export type PasswordCheck = { readonly check: 'score' | 'breached'; readonly outcome: 'made' | 'skipped' };
/** `receiver`: the name in webhooks.yaml. `outcome`: a word of src/lifecycles/webhook-delivery/entity.ts. */
export type WebhookAttempt = { readonly receiver: string; readonly outcome: string };

const channelOf = <Message extends object>(name: string) => {
  const known = channel(`statehouse:${name}`);
  return {
    /** @param make called only with a subscriber. */
    publish: (make: () => Message): void => {
      if (known.hasSubscribers) known.publish(make());
    },
    /** @returns a function that removes the listener. */
    listen: (listener: (message: Message) => void): (() => void) => {
      const heard = (message: unknown) => listener(message as Message);
      known.subscribe(heard);
      return () => void known.unsubscribe(heard);
    },
  };
};

export const begunRequests = channelOf<BegunRequest>('request-begun');
export const answeredRequests = channelOf<AnsweredRequest>('request');
export const repeatedRequests = channelOf<RepeatedRequest>('repeated-request');
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

/** For the log line of a request. @param find null: tracing has ended. */
export function tellTraceIds(find: ((time: RequestTime) => string | null) | null): void {
  traceIdOf = find ?? (() => null);
}

/** Null: the request has no trace. */
export const traceIdIn = (time: RequestTime): string | null => traceIdOf(time);
