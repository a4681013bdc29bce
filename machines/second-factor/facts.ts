import type { EndUser, Instant } from '../shared/facts.ts';

export type SecondFactorState = 'unconfirmed' | 'active' | 'removed';

export type SecondFactorContext = {
  /** When the set-up ends. */
  readonly setUpEndsAt: Instant;
  /** The time step (RFC 6238 §4) of the last code that was accepted; `null`: none. */
  readonly lastStep: number | null;
  /** The policy demands a second factor of the end-user. */
  readonly isDemanded: boolean;
  /** The end-user has another factor that is active. */
  readonly hasAnother: boolean;
  /** `null`: the server has not written this end-user. */
  readonly user: EndUser | null;
};

/**
 * `step`: the time step whose code was sent; `null`: that of no step in the window. `byPasswordAlone`: the browser has shown the
 * password, and nothing else.
 */
export type SecondFactorEvent =
  /** The first code, which shows that the app has the secret. */
  | {
      readonly type: 'confirmed';
      readonly now: Instant;
      readonly step: number | null;
      readonly byPasswordAlone: boolean;
    }
  /** A code at a sign-in. */
  | { readonly type: 'presented'; readonly step: number | null }
  | { readonly type: 'removalRequested'; readonly byPasswordAlone: boolean }
  /** `lost`: the end-user has shown the password and used a link that was sent to the verified address. */
  | { readonly type: 'removalRequestedByAdministrator' | 'lost' };
