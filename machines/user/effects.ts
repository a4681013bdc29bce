import { rejectWith, shared } from '../shared/effects.ts';
import type { UserRejectReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const userEffects = {
  raiseEpoch: shared.raiseEpoch,
  reject: rejectWith<UserRejectReason>(),
  /** Store the end-user as sent, under a `sub` that no end-user had before. */
  registerUser(): void {},
  /** Store the claims, the username and the password that were sent. */
  replaceRecord(): void {},
  /** Store the new hash of the same password. */
  replacePasswordHash(): void {},
  /** Store the hash of the new password. */
  replacePassword(): void {},
  /** The end-user can no longer sign in. */
  disableUser(): void {},
  /** The end-user may sign in again. */
  enableUser(): void {},
  /** Store the address as the end-user's verified address. */
  writeAddress(): void {},
  /** Drop the username, the password and every claim; the row stays, so that its `sub` is never given to another end-user. */
  eraseUser(): void {},
};
