import type { AdministrationRejectReason } from '../shared/facts.ts';

/** Why an event did not change an end-user. */
export type UserRejectReason = AdministrationRejectReason | 'user_ended';

export type UserState = 'unregistered' | 'enabled' | 'disabled' | 'deleted';

export type UserEvent = {
  /**
   * `passwordChangeRequested`: by the end-user, who has shown who they are. `passwordRehashed`: at a sign-in, the right password was
   * hashed again as this version hashes. The last five come from a link in an e-mail (machines/email-challenge/machine.ts).
   */
  readonly type:
    | 'registrationRequested'
    | 'passwordChangeRequested'
    | 'disableRequested'
    | 'enableRequested'
    | 'deletionRequested'
    | 'passwordRehashed'
    | 'addressVerified'
    | 'addressChanged'
    | 'addressRestored'
    | 'passwordReset'
    | 'factorsLost';
  /** False: what is stored is not what the request is meant for (RFC 9110 §13.1). */
  readonly expectationHolds: boolean;
  /** The username that was sent is that of another end-user. */
  readonly usernameIsTaken: boolean;
  /** The record that was sent differs from what is stored. */
  readonly differs: boolean;
  /** The password that was sent is not the stored password. */
  readonly passwordDiffers: boolean;
  /** The stored hash is not the hash that the password was checked against. */
  readonly hashIsAnother: boolean;
};
