import type { PasskeyState } from '../../../machines/passkey/facts.ts';
import { BOUNDS } from '../../../machines/passkey/guards.ts';
import { tableOf } from '../../engine/commit.ts';
import type { Bytes } from '../../model/grant.ts';

/** One row of `passkeys`. */
export type Passkey = {
  readonly id: string;
  readonly userId: string;
  readonly state: PasskeyState;
  /** As the end-user named it. */
  readonly name: string;
  readonly credentialId: Bytes;
  /** COSE; null: dropped. */
  readonly publicKey: Bytes | null;
  readonly counter: number;
  /** WebAuthn §6.1: it may be copied to other devices of the end-user, so it is no key of one piece of hardware. */
  readonly backupEligible: boolean;
  readonly transports: readonly string[];
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly removedAt: Date | null;
};

/**
 * In the id of a passkey that never signs in by itself: the system that registered it had it as a second factor (docs/decisions/0080). A
 * random id has another version.
 */
export const SECOND_FACTOR_MARK = '2fa';
export const isSecondFactorOnly = ({ id }: Pick<Passkey, 'id'>): boolean => id.startsWith(`8${SECOND_FACTOR_MARK}`, 14);

export const PASSKEYS = tableOf<Passkey>('passkeys');

/** Of one end-user, active. */
export const MAX_PASSKEYS = BOUNDS.activePasskeys;
