/** The link that makes the first operator, and the right of that operator until operators.yaml names one. */
import { tableOf } from '../../engine/commit.ts';
import type { StoredRow } from '../table.ts';
import type { operatorSetUps } from './table.ts';

/** One row of `operator_set_ups`. */
export type OperatorSetUp = StoredRow<typeof operatorSetUps>;

export const OPERATOR_SET_UPS = tableOf<OperatorSetUp>('operatorSetUps');

/** A day: the address may have to become reachable first. */
export const SET_UP_LINK_SECONDS = 86_400;

/** Drawn before it is asked for; the rest follows from the load. */
export type NewOperatorSetUp = Pick<OperatorSetUp, 'id' | 'secretHash' | 'username'>;
