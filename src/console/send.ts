/** The console's connection to this server's own endpoints: as for every other client, but without a network. */

export type Sent = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, under the issuer. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The address of the browser, for the ledger entry of a change. */
  readonly address: string;
};

export type Received = {
  readonly status: number;
  /** Names in lower case. */
  readonly header: (name: string) => string | null;
  readonly body: string;
};

/** Never throws: a failure is a response with a status, as over a network. */
export type Send = (request: Sent) => Promise<Received>;
