import type { Instant } from '../shared/facts.ts';

/** Why a pushed request was not stored, opened or answered. */
export type PushedRequestRejectReason =
  | 'too_many_pushed_requests'
  | 'pushed_request_unknown'
  | 'pushed_request_of_another_client'
  | 'pushed_request_expired'
  | 'pushed_request_used';

export type PushedRequestState = 'unpushed' | 'pushed' | 'used';

export type PushedRequestContext = {
  readonly clientId: string;
  readonly endsAt: Instant;
  /** The requests of the same client that can be opened, beside this one. */
  readonly othersOpen: number;
  readonly mostOpen: number;
};

export type PushedRequestEvent =
  /** Its client, which has authenticated, pushed it. */
  | { readonly type: 'received' }
  /** A browser brought its `request_uri` to the authorization endpoint, with this `client_id`. */
  | { readonly type: 'opened'; readonly now: Instant; readonly clientId: string }
  /** Its client gets the authorization response: a code or an error, in the same commit. */
  | { readonly type: 'answered' };
