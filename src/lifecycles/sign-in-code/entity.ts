/** A code in a mail: the browser that asked for it, and the end-user to whom it was sent. */

import type { SignInCodeState } from '../../../machines/sign-in-code/facts.ts';
import { tableOf } from '../../engine/commit.ts';
import type { Bytes } from '../../model/grant.ts';

/** One row of `sign_in_codes`. Only a keyed hash of the code is stored. */
export type SignInCode = {
  readonly id: string;
  /** The hash is under a key from the root secret. */
  readonly codeHash: Bytes;
  /** The key of the account in the throttle, sealed: of the typed text, which may be anything. */
  readonly sealedAccount: string;
  /** SHA-256 of the cookie of the browser that asked. */
  readonly browserHash: Bytes;
  /** The id of the interaction in which it was asked for, or `DIRECT`. */
  readonly place: string;
  readonly state: Exclude<SignInCodeState, 'unrequested'>;
  readonly wrongCodes: number;
  /** Null: it was sent to no end-user. */
  readonly userId: string | null;
  /** The end-user's epoch when it was sent. */
  readonly userEpoch: bigint | null;
  /** The verified address that it was sent to. */
  readonly address: string | null;
  readonly createdAt: Date;
  readonly endsAt: Date;
};

export const SIGN_IN_CODES = tableOf<SignInCode>('signInCodes');

/** Whether a typed code counts: as the right one, or as a wrong one. */
export const isOpen = ({ state }: Pick<SignInCode, 'state'>): boolean => state === 'requested' || state === 'active';

/** The place of a sign-in without a client. */
export const DIRECT = 'direct';

/** Drawn and known before it is asked for; the rest follows from the load. */
export type NewSignInCode = Pick<SignInCode, 'id' | 'codeHash' | 'sealedAccount' | 'browserHash' | 'place'>;
