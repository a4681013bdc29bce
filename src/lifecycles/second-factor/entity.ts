/** An authenticator app, and the facts that a load brings with each factor. */
import type { SecondFactorState } from '../../../machines/second-factor/facts.ts';
import { tableOf } from '../../engine/commit.ts';
import type { RegisteredUser } from '../../model/user.ts';

/** The facts that a load brings with a factor. */
export type FactorSurroundings = {
  /** Null: the server has not written this end-user. */
  readonly user: Pick<RegisteredUser, 'disabledAt'> | null;
  /** The end-user has another factor that is active: a passkey, or an authenticator app. */
  readonly hasAnother: boolean;
};

/** An authenticator app. One row of `second_factors`. */
export type SecondFactor = {
  readonly id: string;
  readonly userId: string;
  readonly state: SecondFactorState;
  /** Sealed under the root secret, for this id; null: dropped. */
  readonly sealedSecret: string | null;
  /** The time step of the last code that was accepted; null: none. */
  readonly lastStep: number | null;
  readonly createdAt: Date;
  readonly confirmedAt: Date | null;
  readonly removedAt: Date | null;
};

export const SECOND_FACTORS = tableOf<SecondFactor>('secondFactors');

/** From the secret to the first code. */
export const SET_UP_SECONDS = 1800;

/** Milliseconds since 1970. */
export const setUpEndsAt = ({ createdAt }: SecondFactor): number => createdAt.getTime() + SET_UP_SECONDS * 1000;
