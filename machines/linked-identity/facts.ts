/** Why a change of a linked identity was rejected. */
export type LinkedIdentityRejectReason = 'identity_unknown' | 'identity_removed' | 'last_way_to_sign_in';

/** Why a linked identity was removed. */
export type IdentityRemovalReason = 'removed_by_user' | 'removed_by_administrator' | 'user_deleted';

export type LinkedIdentityState = 'unlinked' | 'active' | 'removed';

export type LinkedIdentityEvent =
  /** `hasAnotherWay`: the end-user has a password, a passkey or another linked identity. */
  | { readonly type: 'removalRequested'; readonly hasAnotherWay: boolean }
  | { readonly type: 'linkRequested' | 'removalRequestedByAdministrator' | 'userDeleted' };
