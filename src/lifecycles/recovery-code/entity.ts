import type { RecoveryCodeState } from '../../../machines/recovery-code/facts.ts';
import { tableOf } from '../../engine/commit.ts';

/** One row of `recovery_codes`, without the hash. */
export type RecoveryCode = {
  readonly id: string;
  readonly userId: string;
  readonly state: RecoveryCodeState;
  readonly endedAt: Date | null;
};

export const RECOVERY_CODES = tableOf<RecoveryCode>('recoveryCodes');
