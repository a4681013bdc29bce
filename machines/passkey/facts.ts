export type PasskeyState = 'unregistered' | 'active' | 'removed';

export type PasskeyContext = {
  /** The signature counter as it was last sent; 0: the authenticator has none. */
  readonly counter: number;
  readonly isDemanded: boolean;
  readonly hasAnother: boolean;
  /** The end-user has no password, no other passkey and no linked identity. */
  readonly isLastWay: boolean;
  /** The end-user has as many active passkeys as there may be. */
  readonly isFull: boolean;
  readonly userEnded: boolean;
};

export type PasskeyEvent =
  | { readonly type: 'registered'; readonly byPasswordAlone: boolean }
  /** `counter`: of a signature that was verified; `null`: the signature is not of this passkey, for this site and challenge. */
  | { readonly type: 'presented'; readonly counter: number | null }
  | { readonly type: 'removalRequested'; readonly byPasswordAlone: boolean }
  /** `lost`: as of a second factor. */
  | { readonly type: 'renamed' | 'removalRequestedByAdministrator' | 'lost' };
