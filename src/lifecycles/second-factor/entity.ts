/** An authenticator app, and the facts that a load brings with each factor. */
import { tableOf } from '../../engine/commit.ts';
import type { RegisteredUser } from '../../model/user.ts';
import type { StoredRow } from '../table.ts';
import type { secondFactors } from './table.ts';

/** The facts that a load brings with a factor. */
export type FactorSurroundings = {
  /** Null: the server has not written this end-user. */
  readonly user: Pick<RegisteredUser, 'disabledAt'> | null;
  /** The end-user has another factor that is active: a passkey, or an authenticator app. */
  readonly hasAnother: boolean;
};

/** An authenticator app. One row of `second_factors`. */
export type SecondFactor = StoredRow<typeof secondFactors>;

export const SECOND_FACTORS = tableOf<SecondFactor>('secondFactors');

/** From the secret to the first code. */
export const SET_UP_SECONDS = 1800;

/** Milliseconds since 1970. */
export const setUpEndsAt = ({ createdAt }: SecondFactor): number => createdAt.getTime() + SET_UP_SECONDS * 1000;
