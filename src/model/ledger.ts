/** One line of the ledger: a decision that changed what is stored (docs/decisions/0002). */
export type LedgerEntry = {
  readonly machine: string;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string | null;
  /** Of the chain's head afterwards; null: the line is about no chain. */
  readonly generation: bigint | null;
};
