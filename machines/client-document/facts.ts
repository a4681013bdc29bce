import type { Instant } from '../shared/facts.ts';

/** Why a request whose `client_id` is a URL does not continue. */
export type ClientDocumentRejectReason =
  | 'document_client_deleted'
  | 'document_origin_refused'
  | 'document_failed_before'
  | 'document_unreachable'
  | 'document_malformed'
  | 'document_drops_key'
  | 'too_many_client_documents';

export type ClientDocumentState = 'unseen' | 'known' | 'stale' | 'refused';

export type ClientDocumentContext = {
  /** Under the rules of this server, documents of this origin count. */
  readonly originIsAllowed: boolean;
  /** An operator registered a client of this id. */
  readonly isVetted: boolean;
  /** An administrator deleted the client of this id. */
  readonly isDeleted: boolean;
  /** The client as it is registered authenticates with a key. */
  readonly hasKey: boolean;
  /** When the last valid document came. Null: none has come. */
  readonly fetchedAt: Instant | null;
  /** Until then the document needs no fetch. Null: none has come, or the rules name another policy since. */
  readonly freshUntil: Instant | null;
  /** When the last fetch failed. Null: none has failed since the last valid document. */
  readonly failedAt: Instant | null;
  /** The other documents that are stored. */
  readonly othersStored: number;
  readonly mostStored: number;
};

export type ClientDocumentEvent =
  /** An authorization request, or a pushed one, names the URL as its `client_id`. */
  | { readonly type: 'named'; readonly now: Instant }
  /** The origin sent a valid document. `hasKey`: the client authenticates with a key, by this document. */
  | { readonly type: 'described'; readonly hasKey: boolean }
  /** The origin sent no document. */
  | { readonly type: 'unreachable'; readonly now: Instant }
  /** The origin sent a document that breaks a rule. */
  | { readonly type: 'malformed' };
