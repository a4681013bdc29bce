/** The ledger entries of sign-ins: user, time and origin. They record facts beside the machines, and decide nothing. */
import type { RefusedSignIn } from '../lifecycles/session/sign-in.ts';
import type { SignInOrigin } from '../model/ledger.ts';

export type SignInLedger = {
  /** The origin of this request, and the keyed hash of the account. */
  readonly originOf: (username: string | null) => SignInOrigin;
  /** Bounded: beyond a number of entries a minute, only the log has them. @throws StoreUnavailable */
  readonly refused: (line: RefusedSignIn) => Promise<void>;
};
