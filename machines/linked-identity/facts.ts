/** Why a change of a linked identity was rejected. */
export type LinkedIdentityRejectReason = 'identity_unknown' | 'identity_removed' | 'last_way_to_sign_in';

/** Why a linked identity was removed. */
export type IdentityRemovalReason = 'removed_by_user' | 'removed_by_administrator' | 'user_deleted';

export type LinkedIdentityState = 'unlinked' | 'active' | 'removed';

export type LinkedIdentityEvent = {
  readonly type: 'linkRequested' | 'removalRequested' | 'removalRequestedByAdministrator' | 'userDeleted';
  /** The end-user has no other way to sign in. */
  readonly isLastWay: boolean;
};
