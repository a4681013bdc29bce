/** Why a chain ended by decision. */
export type RevocationReason =
  | 'authorization_code_reused'
  | 'refresh_token_reused'
  | 'chain_behind_token'
  | 'revocation_requested'
  | 'ended_by_administrator';

export type GrantState = 'active' | 'revoked';

export type GrantEventType =
  | 'authorizationCodeReused'
  | 'refreshTokenReused'
  | 'chainFellBehind'
  | 'revocationRequested'
  | 'endRequestedByAdministrator'
  | 'clientDeleted'
  | 'userDisabled'
  | 'passwordChanged'
  | 'serverRecovered';

export type GrantEvent = { readonly type: GrantEventType };
