import type { EndedBy, Instant } from '../shared/facts.ts';

/** Why a browser is not signed in although it has a session cookie. */
export type SessionRejectReason =
  | SessionEndReason
  | 'second_factor_required'
  | 'factor_removed'
  | 'user_ended'
  | 'server_epoch_raised';

/**
 * Why a session ended by decision.
 *
 * `ended_by_user`: from the list of sessions. The guard `endedByUser` asks for the epoch of the end-user instead.
 */
export type SessionEndReason =
  | 'session_idle'
  | 'session_too_old'
  | 'signed_out'
  | 'ended_by_user'
  | 'ended_by_administrator'
  | 'signed_in_again'
  | 'second_factor_missing';

export type SessionState = 'awaitingSecondFactor' | 'active' | 'ended';

/** The facts at a sign-in; the server stores the session as active, or as awaiting a second factor. */
export type SignInFacts = {
  /** The sign-in showed several factors. */
  readonly isMultiFactor: boolean;
  /** Policy or client demand several factors of this sign-in, whether or not the account has them. */
  readonly isFactorDemanded: boolean;
  readonly hasApp: boolean;
  readonly hasPasskey: boolean;
  /** The policy asks an account with a passkey for it after a single factor. */
  readonly passkeyCounts: boolean;
  /** A link in a mail has set the current password. */
  readonly passwordIsFromMail: boolean;
  /** The secret of a trusted browser stands in for the second factor of this sign-in. */
  readonly browserIsTrusted: boolean;
};

export type SessionContext = {
  /** When it ends, used or not. */
  readonly endsAt: Instant;
  /** When it ends unless it is used before. */
  readonly idleEndsAt: Instant;
  /** From then on a use is recorded, and the idle time counts from it. */
  readonly useDueAt: Instant;
  /** When a session that awaits a second factor ends. */
  readonly factorDueAt: Instant;
  readonly signIn: SignInFacts;
  /** The factor that is added; false: it was removed since it was proven. `null`: none is added, or none that can be removed. */
  readonly factorStands: boolean | null;
  readonly endedBy: EndedBy;
  /** Why it ended by decision; `null`: it has not ended so. */
  readonly endReason: SessionEndReason | null;
};

export type SessionEvent = {
  /**
   * `signedIn`: the session is about to be stored. `used`: a request came with its cookie. `factorAdded`: an additional factor was proven
   * in it. `signedInAgain`: another session replaced it in the same browser.
   */
  readonly type:
    | 'signedIn'
    | 'used'
    | 'factorAdded'
    | 'signOutRequested'
    | 'endRequested'
    | 'endRequestedByAdministrator'
    | 'signedInAgain'
    | 'userDisabled'
    | 'passwordChanged'
    | 'serverRecovered';
  readonly now: Instant;
};
