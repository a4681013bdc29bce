import { tableOf } from '../../engine/commit.ts';
import type { Row } from '../table.ts';
import type { recoveryCodes } from './table.ts';

/** One row of `recovery_codes`, without the hash. */
export type RecoveryCode = Row<typeof recoveryCodes, 'id' | 'userId' | 'state' | 'endedAt'>;

export const RECOVERY_CODES = tableOf<RecoveryCode>('recoveryCodes');
