/** What sign-ins leave in the ledger: who, when, from where. Facts beside the machines: nothing is decided by them. */
import type { RefusedSignIn } from '../lifecycles/session/sign-in.ts';
import type { SignInOrigin } from '../model/ledger.ts';

export type SignInLedger = {
  /** From where this request came, and the keyed hash of the account. */
  readonly originOf: (username: string | null) => SignInOrigin;
  /** Bounded: beyond some lines a minute the log alone has them. @throws StoreUnavailable */
  readonly refused: (line: RefusedSignIn) => Promise<void>;
};
