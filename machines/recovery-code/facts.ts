export type RecoveryCodeState = 'active' | 'used' | 'replaced';

export type RecoveryCodeContext = { readonly userEnded: boolean };

export type RecoveryCodeEvent = { readonly type: 'presented' | 'newCodesRequested' };
