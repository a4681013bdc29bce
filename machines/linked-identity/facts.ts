import type { WaysToSignIn } from '../shared/facts.ts';

/** Why a change of a linked identity was rejected. */
export type LinkedIdentityRejectReason = 'identity_unknown' | 'identity_removed' | 'last_way_to_sign_in';

/** Why a linked identity was removed. */
export type IdentityRemovalReason = 'removed_by_user' | 'removed_by_administrator' | 'user_deleted';

export type LinkedIdentityState = 'unlinked' | 'active' | 'removed';

export type LinkedIdentityEvent =
  | { readonly type: 'removalRequested'; readonly otherWays: WaysToSignIn }
  | { readonly type: 'linkRequested' | 'removalRequestedByAdministrator' | 'userDeleted' };
