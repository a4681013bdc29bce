import type { Instant } from '../shared/facts.ts';

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
  | 'username_taken';

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
  /** The end-user may sign in; true where the link makes the account. */
  readonly userStands: boolean;
  /** No password was set since the link was sent, and nothing else raised the epoch. */
  readonly epochStands: boolean;
  /** The address is that of the account; for a new password it is verified too. True where the link brings the address. */
  readonly addressStands: boolean;
  /** The password was set by a link in an e-mail after the oldest factor was added: a person who reads the mailbox may have set it. */
  readonly passwordIsFromMail: boolean;
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
      /** The username for the new account is that of another end-user. */
      readonly usernameIsTaken: boolean;
      /** The button was pressed in a browser in which the end-user has signed in with the password, a missing factor aside. */
      readonly passwordIsProven: boolean;
    }
  | {
      readonly type: 'requested';
      /** The link is asked for in a browser in which the end-user has signed in with the password, a missing factor aside. */
      readonly passwordIsProven: boolean;
    }
  /**
   * A newer link of the same purpose was sent, in the same commit. `goesElsewhere`: to another address.
   */
  | { readonly type: 'overtaken'; readonly goesElsewhere: boolean }
  /**
   * `otherUsed`: another link of the same purpose was used, in the same commit. `undone`: an older change of the address was undone,
   * in the same commit.
   */
  | { readonly type: 'otherUsed' | 'withdrawn' | 'undone' };
