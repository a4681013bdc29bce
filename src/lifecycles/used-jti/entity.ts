import { tableOf } from '../../engine/commit.ts';
import type { StoredRow } from '../table.ts';
import type { usedJtis } from './table.ts';

/** One row of `used_jtis`. */
export type UsedJti = StoredRow<typeof usedJtis>;

export const USED_JTIS = tableOf<UsedJti>('usedJtis');
