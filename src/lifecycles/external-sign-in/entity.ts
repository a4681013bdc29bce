/** A browser that was redirected to sign in at another server, and the outcome. */
import { tableOf } from '../../engine/commit.ts';
import type { StoredRow } from '../table.ts';
import type { externalSignIns } from './table.ts';

export type { ExternalSignInKind, RequestedParameters } from './table.ts';

/** One row of `external_sign_ins`. */
export type ExternalSignIn = StoredRow<typeof externalSignIns>;

export const EXTERNAL_SIGN_INS = tableOf<ExternalSignIn>('externalSignIns');
