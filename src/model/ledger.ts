import type { Actor } from './actor.ts';

/** One line of the ledger: a decision that changed what is stored. People read it; no decision depends on it. */
export type LedgerEntry = {
  readonly machine: string;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string | null;
  /** The head's generation afterwards; null: the line is not about a chain. */
  readonly generation: bigint | null;
  /** Scope tokens that were granted, but left out of these tokens, since they are above the client's ceiling of today; null: none. */
  readonly scopeWithheld?: string | null;
  /** The `kid` of the key that the line is about. */
  readonly signingKeyId?: string;
  /** The `sid` of the session that the line is about. */
  readonly sessionId?: string;
  /** The client that the line is about, where it is about no grant. */
  readonly clientId?: string;
  /** The `sub` of the end-user that the line is about, where it is about no grant. */
  readonly userId?: string;
  /** Who asked for it, where somebody did so for others. */
  readonly actor?: Actor;
  /** The names of the fields that were changed, as records have them; never their values. */
  readonly fields?: readonly string[];
};
