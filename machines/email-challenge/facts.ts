import type { PasskeyState } from '../passkey/facts.ts';
import type { EndUser, Instant } from '../shared/facts.ts';

/** Why a link from an e-mail did nothing, or was not sent. */
export type EmailChallengeRejectReason =
  | 'link_unknown'
  | 'link_expired'
  | 'link_used'
  | 'link_superseded'
  | 'not_offered'
  | 'user_ended'
  | 'password_changed'
  | 'address_mismatch'
  | 'password_from_mail'
  | 'password_not_proven'
  | 'username_taken'
  | 'address_taken'
  | 'passkey_not_offered'
  | 'passkey_is_registered';

/** Why a link from an e-mail ended without being used. */
export type SupersededReason = 'newer_link_sent' | 'another_link_used' | 'withdrawn' | 'change_undone';

export type EmailChallengeState = 'unsent' | 'active' | 'used' | 'superseded';

/** The use that a link from an e-mail is valid for. */
export type EmailChallengePurpose =
  | 'verify_address'
  | 'reset_password'
  | 'change_address'
  | 'undo_change'
  | 'lost_factors'
  | 'sign_up'
  | 'invitation';

export type EmailChallengeContext = {
  readonly purpose: EmailChallengePurpose;
  readonly endsAt: Instant;
  /** False: the current policy does not offer this way to sign up. */
  readonly isOffered: boolean;
  /** False: the current policy makes no account with a passkey instead of a password. */
  readonly passkeyIsOffered: boolean;
  /** The address that it was sent to, in the form in which addresses are compared. */
  readonly address: string;
  /** The end-user that it was sent for; `null`: the link makes the account. */
  readonly userId: string | null;
  /** The epoch of that end-user when it was sent. */
  readonly userEpoch: bigint | null;
  /** That end-user as stored now; `null`: there is none. */
  readonly user:
    | (EndUser & {
        /** A new password raises it, and so does every other end of all sessions. */
        readonly epoch: bigint;
        /** Like the address of the link; `null`: the end-user has none. */
        readonly address: string | null;
        readonly addressIsVerified: boolean;
        /** When a link in an e-mail set the current password; `null`: it came otherwise. */
        readonly passwordByLinkAt: Instant | null;
      })
    | null;
  /** When the oldest active factor of the end-user was added; `null`: there is none. */
  readonly oldestFactorAt: Instant | null;
  /** How many newer links of the same purpose were sent to the same person. */
  readonly newerLinks: number;
  /** How many newer links leave a link of this purpose active. */
  readonly newerLinksAllowed: number;
};

export type EmailChallengeEvent =
  /** The button on the link's page was pressed; opening the link is no event. */
  | {
      readonly type: 'used';
      readonly now: Instant;
      /** The end-user who has the username that was chosen for the new account; `null`: it is free, or none was chosen. */
      readonly usernameOf: string | null;
      /**
       * The end-user who signs in by the address that the link makes the verified one, or has it as the username. `null`: it is free, the
       * link makes none verified, or addresses identify no end-user.
       */
      readonly addressOf: string | null;
      /** The button was pressed in a browser in which the end-user has signed in with the password, a missing factor aside. */
      readonly passwordIsProven: boolean;
    }
  /** As `used`, with a passkey instead of a password for the new account. */
  | {
      readonly type: 'usedWithPasskey';
      readonly now: Instant;
      readonly usernameOf: string | null;
      readonly addressOf: string | null;
      readonly passkey: PasskeyState;
    }
  | {
      readonly type: 'requested';
      /** The link is asked for in a browser in which the end-user has signed in with the password, a missing factor aside. */
      readonly passwordIsProven: boolean;
    }
  /** A newer link of the same purpose was sent to this address, in the same commit. */
  | { readonly type: 'overtaken'; readonly newerAddress: string }
  /**
   * `otherUsed`: another link of the same purpose was used, in the same commit. `undone`: an older change of the address was undone,
   * in the same commit.
   */
  | { readonly type: 'otherUsed' | 'withdrawn' | 'undone' };
