/** How the console reaches this server's own endpoints: as every other client does, but without a network. */

export type Sent = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, under the issuer. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Of the browser, so that the ledger says where a change was asked from. */
  readonly address: string;
};

export type Received = {
  readonly status: number;
  /** Names in lower case. */
  readonly header: (name: string) => string | null;
  readonly body: string;
};

/** Never throws: what fails is answered with a status, as over a network. */
export type Send = (request: Sent) => Promise<Received>;
