/** An authorization request that a client pushed, for a browser to bring its `request_uri` (RFC 9126). */
import type { PushedRequestState } from '../../../machines/pushed-request/facts.ts';
import { tableOf } from '../../engine/commit.ts';
import type { Bytes } from '../../model/grant.ts';

/** One row of `pushed_requests`. */
export type PushedRequest = {
  /** It follows from the `request_uri`. Its interaction and the grant of that have the same id. */
  readonly id: string;
  readonly clientId: string;
  /** SHA-256 of the random part of the `request_uri`. */
  readonly handleHash: Bytes;
  /** The parameters, under a key from the root secret; empty once the client has its answer. */
  readonly sealed: string;
  readonly state: Exclude<PushedRequestState, 'unpushed'>;
  readonly createdAt: Date;
  readonly endsAt: Date;
};

export const PUSHED_REQUESTS = tableOf<PushedRequest>('pushedRequests');

/** Drawn and known before it is received; the rest follows from the load. */
export type NewPushedRequest = Pick<PushedRequest, 'id' | 'clientId' | 'handleHash' | 'sealed'> & {
  readonly lifetimeSeconds: number;
};
