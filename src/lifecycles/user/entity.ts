import { tableOf } from '../../engine/commit.ts';
import type { RegisteredUser } from '../../model/user.ts';
import type { RowVersion } from '../client/lifecycle.ts';

/** `version`: of a row that was loaded. */
export const USERS = tableOf<RegisteredUser & { readonly version?: RowVersion }>('users');
