import type { Instant } from '../shared/facts.ts';

/** Why a step of a sign-in at another place was rejected. */
export type ExternalSignInRejectReason =
  | 'external_sign_in_expired'
  | 'external_sign_in_unanswered'
  | 'external_sign_in_answered'
  | 'external_sign_in_denied'
  | 'external_sign_in_used'
  | 'external_sign_in_overtaken'
  | 'another_browser'
  | 'not_admitted'
  | 'nobody_linked'
  | 'identity_linked_elsewhere'
  | 'user_ended';

export type ExternalSignInState = 'awaiting' | 'answered' | 'denied' | 'used';

export type ExternalSignInContext = {
  readonly endsAt: Instant;
  /** In the same browser, for the same request, a sign-in that began later has signed in already. */
  readonly isOvertaken: boolean;
};

/** The end-user that the answer names. `new`: the server has to register a just-in-time user. */
export type ExternalUser = 'known' | 'new' | 'ended' | 'unknown';

/** Of the identity at the provider: not linked, linked to this end-user, or linked to another. `none`: the answer names none. */
export type ExternalIdentityOwner = 'none' | 'unlinked' | 'linked' | 'linkedElsewhere';

/** `fromItsBrowser`, false: it comes through a browser, and not through the browser that began. */
export type ExternalSignInEvent =
  /** The identity provider named the end-user who signed in. */
  | {
      readonly type: 'answerReceived';
      readonly now: Instant;
      readonly fromItsBrowser: boolean;
      readonly user: ExternalUser;
    }
  /** The identity provider answered that no end-user signed in. */
  | { readonly type: 'refusalReceived'; readonly now: Instant; readonly fromItsBrowser: boolean }
  /** The browser continues with the answer. */
  | {
      readonly type: 'browserReturned';
      readonly now: Instant;
      readonly fromItsBrowser: boolean;
      /** False: the policy does not admit this identity, or the session that began the sign-in has ended. */
      readonly isAdmitted: boolean;
      readonly user: ExternalUser;
      readonly identity: ExternalIdentityOwner;
    };
