import type { AdministrationRejectReason } from '../shared/facts.ts';

/** Why an event did not change an end-user. */
export type UserRejectReason = AdministrationRejectReason | 'user_ended';

export type UserState = 'unregistered' | 'enabled' | 'disabled' | 'deleted';

/** A link in an e-mail was used. */
export type UserEventByLink =
  | 'addressVerified'
  | 'addressChanged'
  | 'addressRestored'
  | 'passwordReset'
  | 'factorsLost';

/** `expectationHolds`, false: the stored user differs from the one that the request expects (RFC 9110 §13.1). */
export type UserEvent =
  | {
      readonly type: 'registrationRequested';
      readonly expectationHolds: boolean;
      /** The username that was sent is that of another end-user. */
      readonly usernameIsTaken: boolean;
      /** The sent record differs from the stored one. */
      readonly differs: boolean;
      /** The password that was sent is not the stored password. */
      readonly passwordDiffers: boolean;
    }
  /** `passwordChangeRequested`: by the end-user, who has proved their identity. */
  | {
      readonly type: 'passwordChangeRequested' | 'disableRequested' | 'enableRequested' | 'deletionRequested';
      readonly expectationHolds: boolean;
    }
  /**
   * At a sign-in, the right password was hashed again as this version hashes. `hashIsAnother`: the stored hash is not the hash that
   * the password was checked against.
   */
  | { readonly type: 'passwordRehashed'; readonly hashIsAnother: boolean }
  | { readonly type: UserEventByLink };
