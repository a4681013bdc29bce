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

/** A field of the record that administrators write. */
export type UserField = 'username' | 'password' | 'claims';

export type UserContext = {
  /** The `sub`. */
  readonly id: string;
  /** As stored; `null`: there is no end-user. */
  readonly passwordHash: string | null;
};

/** `expectationHolds`, false: the stored user differs from the one that the request expects (RFC 9110 §13.1). */
export type UserEvent =
  | {
      readonly type: 'registrationRequested';
      readonly expectationHolds: boolean;
      /** The end-user who has the username that was sent, or signs in by it as the verified address; `null`: it is free. */
      readonly usernameOf: string | null;
      /**
       * The end-user who signs in by the verified address that was sent, or has it as the username. `null`: it is free, the stored one,
       * or addresses identify no end-user.
       */
      readonly addressOf: string | null;
      /** The fields in which the sent record differs from the stored one. */
      readonly differing: readonly UserField[];
    }
  /** `passwordChangeRequested`: by the end-user, who has proved their identity. */
  | {
      readonly type: 'passwordChangeRequested' | 'disableRequested' | 'enableRequested' | 'deletionRequested';
      readonly expectationHolds: boolean;
    }
  /** At a sign-in, the right password was hashed again as this version hashes. `checkedHash`: the hash that it was right for. */
  | { readonly type: 'passwordRehashed'; readonly checkedHash: string }
  | { readonly type: UserEventByLink };
