import type { EndedBy, Instant, Proof } from '../shared/facts.ts';
import type { ProofDemanded } from '../shared/proof.ts';

export type RefreshTokenState = 'active' | 'used' | 'ahead' | 'revoked';

export type RefreshTokenContext = ProofDemanded & {
  readonly clientId: string;
  /** As it was granted. */
  readonly scope: readonly string[];
  /** The effective scope: the part of it that the client may have now; empty: nothing of use. */
  readonly scopeToday: readonly string[];
  /** The granted resources that tokens may still be for. */
  readonly resources: readonly string[];
  /** By the client's grant types and, where its policy asks for that, by `offline_access` in the effective scope. */
  readonly mayRefresh: boolean;
  readonly endsAt: Instant;
  /** Whether its successor is the head of the chain. */
  readonly isPredecessor: boolean;
  /** Until then, a proven retry gets the head again. `null`: the policy has no retry. */
  readonly retryEndsAt: Instant | null;
  readonly endedBy: EndedBy;
};

export type RefreshTokenEvent = {
  readonly type: 'presented';
  readonly now: Instant;
  readonly clientId: string;
  readonly proof: Proof;
  /** Whether the client authenticated by a key of its own, and not by a shared secret. */
  readonly clientProvesKey: boolean;
  /** As sent; `null` when not sent, which means the scope of the grant (RFC 6749 §6). */
  readonly scope: readonly string[] | null;
  readonly resources: readonly string[] | null;
};
