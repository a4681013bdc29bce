import type { Instant } from '../shared/facts.ts';

/** Why a signing key retired. */
export type KeyRetirementReason = 'tokens_expired' | 'revocation_requested';

export type SigningKeyState = 'unpublished' | 'published' | 'signing' | 'retiring' | 'retired';

/** A key's instants under the current policy; Infinity where the key's state has no such instant. */
export type SigningKeyContext = {
  /** From then on a successor should be on its way. */
  readonly successorDueAt: Instant;
  /** From then on a successor that has been published for long enough takes over. */
  readonly signsUntil: Instant;
  /** By then the last token that it signed has expired, by every node's clock. */
  readonly publishedUntil: Instant;
};

/** About the key's algorithm, from the same load. */
type SigningKeyFacts = {
  readonly now: Instant;
  /** The `kid` of the key that signs; `null`: none does. */
  readonly signer: string | null;
  /** The key that waits to sign. `maySignAt`: from then on every cache holds it. `null`: none waits. */
  readonly successor: { readonly maySignAt: Instant } | null;
  /** False: the policy no longer names this algorithm. */
  readonly algorithmIsWanted: boolean;
  /** The operator does not want to wait for caches. */
  readonly atOnce: boolean;
};

export type SigningKeyEvent = {
  /**
   * `noKeySigns`, `successorNeeded`: a fresh key is created because its algorithm has no key, or because the signer asked for a successor.
   * `signerStopped`: the signer of this algorithm stopped signing, in the same commit, and this key is its successor.
   */
  readonly type:
    | 'noKeySigns'
    | 'successorNeeded'
    | 'timePassed'
    | 'rotationRequested'
    | 'revocationRequested'
    | 'signerStopped';
} & SigningKeyFacts;
