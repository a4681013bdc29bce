/** A code in a mail: the browser that asked for it, and the end-user to whom it was sent. */
import { tableOf } from '../../engine/commit.ts';
import type { StoredRow } from '../table.ts';
import type { signInCodes } from './table.ts';

/** One row of `sign_in_codes`. Only a keyed hash of the code is stored. */
export type SignInCode = StoredRow<typeof signInCodes>;

export const SIGN_IN_CODES = tableOf<SignInCode>('signInCodes');

/** Whether a typed code counts: as the right one, or as a wrong one. */
export const isOpen = ({ state }: Pick<SignInCode, 'state'>): boolean => state === 'requested' || state === 'active';

/** The place of a sign-in without a client. */
export const DIRECT = 'direct';

/** Drawn and known before it is asked for; the rest follows from the load. */
export type NewSignInCode = Pick<SignInCode, 'id' | 'codeHash' | 'sealedAccount' | 'browserHash' | 'place'>;
