/** The console's connection to this server's own endpoints: as for every other client, but without a network. */
import type { Received, Sent } from '../management/client/transport.ts';

export type SentByConsole = Sent & {
  /** The address of the browser, for the ledger entry of a change. */
  readonly address: string;
};

/** The path is under the issuer. Never throws: a failure is a response with a status, as over a network. */
export type Send = (request: SentByConsole) => Promise<Received>;
