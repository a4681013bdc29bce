import type { Instant } from '../shared/facts.ts';

/** Why a signed proof with this `jti` was rejected. */
export type UsedJtiRejectReason = 'proof_expired' | 'proof_lives_too_long' | 'proof_from_future' | 'proof_reused';

export type UsedJtiContext = object;

export type UsedJtiEvent = {
  /** By the holder of the key: the signature is right. */
  readonly type: 'presented';
  readonly now: Instant;
  /** From then on no server accepts the proof (`exp`). */
  readonly endsAt: Instant;
  /** When it was signed, or counts from (`iat`, `nbf`); the later one. `null`: it does not say. */
  readonly beginsAt: Instant | null;
};
