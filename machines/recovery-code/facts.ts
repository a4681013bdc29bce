import type { EndUser } from '../shared/facts.ts';

/** Why a recovery code was rejected. */
export type RecoveryCodeRejectReason = 'user_ended' | 'recovery_code_used' | 'recovery_code_replaced';

export type RecoveryCodeState = 'active' | 'used' | 'replaced';

export type RecoveryCodeContext = { readonly user: EndUser | null };

export type RecoveryCodeEvent = { readonly type: 'presented' | 'newCodesRequested' };
