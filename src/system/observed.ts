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
/** `unanswered`: no answer within the limit of a statement. `replaced`: a connection was silent or read-only, and the pool was opened anew. */
export type PoolTrouble = { readonly trouble: 'unanswered' | 'replaced' };
/** `removed`: grants. */
export type Tidied = { readonly removed: number };
/** `receiver`: as webhooks.yaml names it. `outcome`: a word of src/model/webhook.ts. */
export type WebhookAttempt = { readonly receiver: string; readonly outcome: string };

const told = <Message extends object>(name: string) => {
  const known = channel(`statehouse:${name}`);
  return {
    /** @param make is called only when somebody listens. */
    tell: (make: () => Message): void => {
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

export const begunRequests = told<BegunRequest>('request-begun');
export const answeredRequests = told<AnsweredRequest>('request');
export const sentBatches = told<SentBatch>('batch');
export const poolTroubles = told<PoolTrouble>('pool');
export const tidied = told<Tidied>('tidied');
export const webhookAttempts = told<WebhookAttempt>('webhook-attempt');
let traceIdOf: (time: RequestTime) => string | null = () => null;

/** For the line of a request in the log. @param find null: no request is traced any more. */
export function tellTraceIds(find: ((time: RequestTime) => string | null) | null): void {
  traceIdOf = find ?? (() => null);
}

/** Null: the request is not traced. */
export const traceIdIn = (time: RequestTime): string | null => traceIdOf(time);
