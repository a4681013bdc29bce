import { BOUNDS } from '../../../machines/passkey/guards.ts';
import { tableOf } from '../../engine/commit.ts';
import type { StoredRow } from '../table.ts';
import type { passkeys } from './table.ts';

/** One row of `passkeys`. */
export type Passkey = StoredRow<typeof passkeys>;

/**
 * In the id of a passkey that never signs in by itself: the system that registered it had it as a second factor (docs/decisions/0080). A
 * random id has another version.
 */
export const SECOND_FACTOR_MARK = '2fa';
export const isSecondFactorOnly = ({ id }: Pick<Passkey, 'id'>): boolean => id.startsWith(`8${SECOND_FACTOR_MARK}`, 14);

export const PASSKEYS = tableOf<Passkey>('passkeys');

/** Of one end-user, active. */
export const MAX_PASSKEYS = BOUNDS.activePasskeys;
