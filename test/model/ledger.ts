/**
 * The model: the notes of an observer about one authorization. It is not the machine, so that the server is never compared with itself.
 */
export type Ledger = {
  now: number;
  /** Why the chain is dead; null while it lives. The first reason stays. */
  end: 'reuse' | 'epoch' | null;
  readonly startedAt: number;
  isCodeUsed: boolean;
  /** The number of the newest refresh token; null before the exchange. */
  newest: number | null;
  readonly used: Set<number>;
  lastUsedAt: number;
};

export const CODE_SECONDS = 60;
export const IDLE_SECONDS = 30 * 86_400;
export const ABSOLUTE_SECONDS = 180 * 86_400;

export const codeIsInTime = ({ now, startedAt }: Ledger) => now < startedAt + CODE_SECONDS * 1000;
export const chainEndsAt = ({ startedAt, lastUsedAt }: Ledger) =>
  Math.min(lastUsedAt + IDLE_SECONDS * 1000, startedAt + ABSOLUTE_SECONDS * 1000);

export function noteUse(ledger: Ledger, next: number): void {
  if (ledger.newest !== null) ledger.used.add(ledger.newest);
  ledger.newest = next;
  ledger.lastUsedAt = ledger.now;
}
