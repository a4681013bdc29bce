/** The way of a request of the client, over a network or within a process. */
import type { Method } from '../operations.ts';

export type Sent = {
  readonly method: Method;
  /** Below the address of the API, with its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type Received = {
  readonly status: number;
  /** @param name in lower case. */
  readonly header: (name: string) => string | null;
  readonly text: string;
};

/** @throws without a response; the client passes the error on. */
export type Transport = (sent: Sent) => Promise<Received>;
