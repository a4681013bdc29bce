import type { RejectReason } from '../../machines/vocabulary.ts';

/** What the caller gets. A reuse has committed its revocation by the time it is `rejected`. */
export type Outcome<Issued> =
  | { readonly kind: 'issued'; readonly issued: Issued }
  | { readonly kind: 'rejected'; readonly reason: RejectReason; readonly revoked: boolean };
