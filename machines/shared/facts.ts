/** Why a code or a refresh token was rejected. A closed union, like those below: log, ledger and OAuth errors are keyed by it. */
export type TokenRejectReason =
  | 'client_mismatch'
  | 'redirect_uri_mismatch'
  | 'code_verifier_mismatch'
  | 'dpop_proof_invalid'
  | 'dpop_nonce_missing'
  | 'dpop_proof_missing'
  | 'dpop_key_mismatch'
  | 'client_certificate_missing'
  | 'authorization_code_expired'
  | 'authorization_code_reused'
  | 'refresh_token_expired'
  | 'refresh_token_reused'
  | 'newer_token_issued'
  | 'chain_behind_token'
  | 'refresh_not_allowed'
  | 'grant_has_nothing_left'
  | 'scope_exceeds_grant'
  | 'resource_exceeds_grant'
  | 'grant_revoked'
  | 'client_ended'
  | 'user_ended'
  | 'server_epoch_raised';

/** Why a passkey, or a code of an authenticator app was rejected, or a factor was not removed. */
export type FactorRejectReason =
  | 'user_ended'
  | 'code_mismatch'
  | 'code_reused'
  | 'set_up_too_late'
  | 'factor_unconfirmed'
  | 'factor_removed'
  | 'factor_is_demanded'
  | 'factor_not_proven'
  | 'last_way_to_sign_in'
  | 'passkey_unknown'
  | 'passkey_is_registered'
  | 'too_many_passkeys'
  | 'signature_mismatch'
  | 'signature_counter_fell_back';

/** Why a change of a client or an end-user by an administrator was rejected. */
export type AdministrationRejectReason =
  | 'client_unknown'
  | 'client_is_declared'
  | 'client_is_public'
  | 'too_many_secrets'
  | 'last_secret'
  | 'secret_unknown'
  | 'user_unknown'
  | 'username_taken'
  | 'address_taken'
  | 'changed_meanwhile';

/** The keys that the sender of a request proves: by DPoP (RFC 9449 §4), and by its TLS client certificate (RFC 8705 §3). */
export type Proof = {
  /** The thumbprint of the key that signed it, for this request. `null`: the request has no proof, or an invalid one. */
  readonly key: string | null;
  /** `null`: the proof is valid, or the request has none. */
  readonly problem: 'invalid' | 'nonceMissing' | null;
  /** The thumbprint of the certificate. `null`: none, or the client is not registered for tokens that are bound to one. */
  readonly certificate: string | null;
};

export type EpochOwner = 'client' | 'user' | 'server';

/** The owner of the raised epoch that ended a grant or a session without a write to its row. `null`: no epoch was raised. */
export type EndedBy = EpochOwner | null;

/** The end-user of a factor, a link or a sign-in. A deleted end-user is disabled too. */
export type EndUser = { readonly disabledAt: Instant | null };

/** The ways to sign in that an end-user has besides the one that an event is about. */
export type WaysToSignIn = {
  readonly password: boolean;
  readonly passkeys: number;
  readonly linkedIdentities: number;
};

/** Instants are milliseconds since 1970 (UTC); `now` is the database's clock, read together with the row. */
export type Instant = number;
