import type { EndUser, Instant } from '../shared/facts.ts';

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

/** Where an end-user signs in, or links an account at an identity provider to their own. */
export type ExternalSignInPurpose = 'signIn' | 'link';

/** The policy's answer about the identity and the sign-in at the provider. */
export type Admission = 'admitted' | 'not_admitted' | 'sign_in_too_old';

export type ExternalSignInContext = {
  readonly endsAt: Instant;
  readonly beganAt: Instant;
  readonly purpose: ExternalSignInPurpose;
  /** The end-user who began to link; of a sign-in, the end-user whom the answer named. `null`: none so far. */
  readonly userId: string | null;
  /** The epoch of that end-user when the answer was recorded. `null`: no answer so far, or it named no end-user. */
  readonly userEpoch: bigint | null;
  /** Of the sign-ins that were used in the same browser for the same request: when the last of them began. `null`: none was used. */
  readonly lastUsedBeganAt: Instant | null;
};

type Answer = {
  readonly now: Instant;
  /** False: it comes through a browser, and not through the browser that began. */
  readonly fromItsBrowser: boolean;
  /** False: the answer names no end-user yet. */
  readonly namesUser: boolean;
  /** The end-user that the answer names, as stored; `null`: none. */
  readonly user: (EndUser & { readonly id: string; readonly epoch: bigint }) | null;
  /** The usernames that a just-in-time user may get; none where the policy registers no end-users. */
  readonly freeUsernames: readonly string[];
};

export type ExternalSignInEvent =
  /** The identity provider named the end-user who signed in. */
  | ({ readonly type: 'answerReceived' } & Answer)
  /** The identity provider answered that no end-user signed in. */
  | ({ readonly type: 'refusalReceived' } & Pick<Answer, 'now' | 'fromItsBrowser'>)
  /** The browser continues with the answer. */
  | ({
      readonly type: 'browserReturned';
      readonly admission: Admission;
      /** The end-user who is signed in in the browser that returns; `null`: none is, or the sign-in links nothing. */
      readonly sessionUserId: string | null;
      /** The identity at the provider, and the end-user that it is linked to. `null`: the answer names none. */
      readonly identity: { readonly linkedTo: string | null } | null;
    } & Answer);
