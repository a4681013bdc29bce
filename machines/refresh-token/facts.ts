import type { EndedBy, Instant } from '../shared/facts.ts';

export type RefreshTokenState = 'active' | 'used' | 'ahead' | 'revoked';

export type RefreshTokenContext = {
  readonly clientId: string;
  /** As it was granted. */
  readonly scope: readonly string[];
  /** What the client may have of it, under its ceiling of today; empty: nothing of use. */
  readonly scopeToday: readonly string[];
  /** What tokens may be for today, of what was granted. */
  readonly resources: readonly string[];
  /** By the client's grant types and, where its policy asks for that, by `offline_access` in the scope of today. */
  readonly mayRefresh: boolean;
  readonly endsAt: Instant;
  readonly endedBy: EndedBy;
};

export type RefreshTokenEvent = {
  readonly type: 'presented';
  readonly now: Instant;
  readonly clientId: string;
  /** As sent; `null` when not sent, which means the scope of the grant (RFC 6749 §6). */
  readonly scope: readonly string[] | null;
  readonly resources: readonly string[] | null;
};
