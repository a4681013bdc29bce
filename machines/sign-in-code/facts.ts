import type { EndUser, Instant } from '../shared/facts.ts';

/** Why a code from a mail did not sign in, or was not sent. */
export type SignInCodeRejectReason =
  | 'code_unknown'
  | 'code_mismatch'
  | 'code_expired'
  | 'code_used'
  | 'code_spent'
  | 'code_superseded'
  | 'code_is_anothers'
  | 'another_browser'
  | 'another_place'
  | 'not_offered'
  | 'user_ended'
  | 'sessions_ended'
  | 'address_mismatch';

export type SignInCodeState = 'unrequested' | 'requested' | 'active' | 'used' | 'spent' | 'superseded';

export type SignInCodeContext = {
  /** The earlier of the stored end and the end by the current policy. */
  readonly endsAt: Instant;
  /** False: the current policy offers no such code. */
  readonly isOffered: boolean;
  readonly wrongCodes: number;
  /** How many wrong codes leave the code valid, by the current policy. The next one ends it. */
  readonly wrongCodesAllowed: number;
  /** The end-user to whom it was sent; `null`: to none. */
  readonly userId: string | null;
  /** The epoch of that end-user when it was sent. */
  readonly userEpoch: bigint | null;
  /** The address that it was sent to, in the form in which addresses are compared. */
  readonly address: string | null;
  /** That end-user, or the end-user of the event, as stored now; `null`: there is none. */
  readonly user:
    | (EndUser & {
        readonly id: string;
        /** A new password raises it, and so does every other end of all sessions. */
        readonly epoch: bigint;
        /** Verified, like the address of the code; `null`: the end-user has none. */
        readonly verifiedAddress: string | null;
      })
    | null;
};

export type SignInCodeEvent =
  /** A browser asks for a code. The account is not looked up yet. */
  | { readonly type: 'requested' }
  /** The typed text was looked up, outside the time of the request. */
  | { readonly type: 'identified'; readonly now: Instant }
  /** A code was typed. */
  | {
      readonly type: 'presented';
      readonly now: Instant;
      /** The typed code is that of the row. */
      readonly isRight: boolean;
      /** It comes from the browser that asked. */
      readonly fromItsBrowser: boolean;
      /** It is for the same sign-in: that of the same interaction, or of none. */
      readonly fromItsPlace: boolean;
    }
  /** The same browser asked for a newer code in the same place, in the same commit. */
  | { readonly type: 'overtaken' };
