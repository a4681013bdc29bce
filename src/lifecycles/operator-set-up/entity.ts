/** The link that makes the first operator, and the right of that operator until operators.yaml names one. */
import type { OperatorSetUpEnd, OperatorSetUpState } from '../../../machines/operator-set-up/facts.ts';
import { tableOf } from '../../engine/commit.ts';
import type { Bytes } from '../../model/grant.ts';

/** One row of `operator_set_ups`. */
export type OperatorSetUp = {
  readonly id: string;
  readonly state: Exclude<OperatorSetUpState, 'unissued'>;
  /** SHA-256 of the secret. */
  readonly secretHash: Bytes;
  /** Whom the link is for; null: its user chooses the username. */
  readonly username: string | null;
  /** The `sub` of the operator; null: it was not used. */
  readonly userId: string | null;
  /** Of the server, when the link was issued. */
  readonly serverEpoch: bigint;
  readonly createdAt: Date;
  readonly endsAt: Date;
  readonly endedReason: OperatorSetUpEnd | null;
};

export const OPERATOR_SET_UPS = tableOf<OperatorSetUp>('operatorSetUps');

/** A day: the address may have to become reachable first. */
export const SET_UP_LINK_SECONDS = 86_400;

/** Drawn before it is asked for; the rest follows from the load. */
export type NewOperatorSetUp = Pick<OperatorSetUp, 'id' | 'secretHash' | 'username'>;
