import type { EndUser, WaysToSignIn } from '../shared/facts.ts';

export type PasskeyState = 'unregistered' | 'active' | 'removed';

export type PasskeyContext = {
  /** The signature counter as it was last sent; 0: the authenticator has none. */
  readonly counter: number;
  /** The policy demands a second factor of the end-user. */
  readonly isDemanded: boolean;
  /** The end-user has another factor that is active. */
  readonly hasAnother: boolean;
  readonly otherWays: WaysToSignIn;
  /** `null`: the server has not written this end-user. */
  readonly user: EndUser | null;
};

export type PasskeyEvent =
  | { readonly type: 'registered'; readonly byPasswordAlone: boolean }
  /** `counter`: of a signature that was verified; `null`: the signature is not of this passkey, for this site and challenge. */
  | { readonly type: 'presented'; readonly counter: number | null }
  | { readonly type: 'removalRequested'; readonly byPasswordAlone: boolean }
  /** `lost`: as of a second factor. */
  | { readonly type: 'renamed' | 'removalRequestedByAdministrator' | 'lost' };
