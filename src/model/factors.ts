/** What an end-user signs in with besides a password: authenticator apps, recovery codes, passkeys. */
import type { PasskeyState } from '../../machines/passkey/facts.ts';
import type { RecoveryCodeState } from '../../machines/recovery-code/facts.ts';
import type { SecondFactorState } from '../../machines/second-factor/facts.ts';
import type { Bytes } from './grant.ts';

/** What is loaded with a factor. */
export type FactorSurroundings = {
  /** The end-user is disabled or deleted. */
  readonly userEnded: boolean;
  /** The end-user has another factor that is active: a passkey, or an authenticator app. */
  readonly hasAnother: boolean;
};

/** An authenticator app. One row of `second_factors`. */
export type SecondFactor = {
  readonly id: string;
  readonly userId: string;
  readonly state: SecondFactorState;
  /** Sealed under the root secret, for this id; null: dropped. */
  readonly sealedSecret: string | null;
  /** The time step of the last code that was accepted; null: none. */
  readonly lastStep: number | null;
  readonly createdAt: Date;
  readonly confirmedAt: Date | null;
  readonly removedAt: Date | null;
};

export type RecoveryCode = {
  readonly id: string;
  readonly userId: string;
  readonly state: RecoveryCodeState;
  readonly endedAt: Date | null;
};

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

/** Of one end-user, active. */
export const MAX_PASSKEYS = 20;

/** From the secret to the first code. */
export const SET_UP_SECONDS = 1800;

/** Milliseconds since 1970. */
export const setUpEndsAt = ({ createdAt }: SecondFactor): number => createdAt.getTime() + SET_UP_SECONDS * 1000;
