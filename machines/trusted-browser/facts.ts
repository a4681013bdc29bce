import type { EndedBy, Instant } from '../shared/facts.ts';

export type TrustedBrowserState = 'requested' | 'active' | 'ended';

/** Why the trust of a browser ended by decision. */
export type TrustEndReason = 'ended_by_user' | 'ended_by_administrator' | 'factors_changed' | 'trusted_again';

/** Why a browser is not trusted: the second factor is asked for. */
export type TrustedBrowserRejectReason =
  | 'trust_not_offered'
  | 'trust_unknown'
  | 'trust_expired'
  | 'trust_ended'
  | 'proof_is_demanded'
  | 'factor_removed'
  | 'user_ended'
  | 'server_epoch_raised';

export type TrustedBrowserContext = {
  /** Under the current policy, and never later than stored. Where the policy offers no trust: when it began. */
  readonly endsAt: Instant;
  /** The factor that was proven when it began is active. A recovery code never is. */
  readonly factorStands: boolean;
  /** The owner of the raised epoch that ended it. */
  readonly endedBy: EndedBy;
};

/** `proofIsDemanded`: the client demands several factors, or the end-user is an administrator. */
export type TrustedBrowserEvent =
  /**
   * `factorProven`: the end-user has proven a factor in this browser, and asked to trust it. `presented`: the browser sent its secret,
   * after the right password.
   */
  | { readonly type: 'factorProven' | 'presented'; readonly now: Instant; readonly proofIsDemanded: boolean }
  /** `trustedAgain`: the same browser gets another secret for this end-user. `factorsChanged`: a factor was added or removed. */
  | {
      readonly type:
        | 'endRequested'
        | 'endRequestedByAdministrator'
        | 'factorsChanged'
        | 'trustedAgain'
        | 'userDisabled'
        | 'passwordChanged'
        | 'serverRecovered';
    };
