/** One line of the ledger: a decision that changed what is stored. People read it; no decision is taken from it. */
export type LedgerEntry = {
  readonly machine: string;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string | null;
  /** Of the chain's head afterwards; null: the line is about no chain. */
  readonly generation: bigint | null;
  /** The `kid` of the key that the line is about. */
  readonly signingKeyId?: string;
  /** The `sid` of the session that the line is about. */
  readonly sessionId?: string;
};
