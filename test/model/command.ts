import type { fc } from '@fast-check/vitest';
import type { Ledger } from './ledger.ts';
import { expectAgreement, type Reality } from './reality.ts';

export type Command = fc.AsyncCommand<Ledger, Reality>;

/** A command that compares ledger and row when it has run. */
export const command = (
  name: string,
  isPossible: (ledger: Readonly<Ledger>) => boolean,
  run: (ledger: Ledger, reality: Reality) => Promise<void>,
): Command => ({
  check: isPossible,
  run: async (ledger, reality) => {
    await run(ledger, reality);
    await expectAgreement(ledger, reality);
  },
  toString: () => name,
});

export const always = () => true;
