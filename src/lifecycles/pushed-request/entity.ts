/** An authorization request that a client pushed, for a browser to bring its `request_uri` (RFC 9126). */
import { tableOf } from '../../engine/commit.ts';
import type { StoredRow } from '../table.ts';
import type { pushedRequests } from './table.ts';

/** One row of `pushed_requests`. */
export type PushedRequest = StoredRow<typeof pushedRequests>;

export const PUSHED_REQUESTS = tableOf<PushedRequest>('pushedRequests');

/** Drawn and known before it is received; the rest follows from the load. */
export type NewPushedRequest = Pick<PushedRequest, 'id' | 'clientId' | 'handleHash' | 'sealed'> & {
  readonly lifetimeSeconds: number;
};
