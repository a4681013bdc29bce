/**
 * The vocabulary of the machines: events (what happened), effects (what to make true), reasons (why).
 * Machines are pure data: XState never executes an effect; the engine reads it and commits it.
 */

/** `spec`: the sections that demand, recommend or permit a state or an arm. Declared to XState, so that a misspelt key does not compile. */
export type Meta = { readonly spec?: string };

/** For arms that several states share: the compiler finds unknown keys only where an object literal is written. */
export type SharedArm = {
  readonly guard?: unknown;
  readonly target?: string;
  readonly actions?: unknown;
  readonly description: string;
  readonly meta?: Meta;
};

/** Why a code or a refresh token was rejected. A closed union, like those below: log, ledger and OAuth errors are keyed by it. */
export type TokenRejectReason =
  | 'client_mismatch'
  | 'redirect_uri_mismatch'
  | 'code_verifier_mismatch'
  | 'authorization_code_expired'
  | 'authorization_code_reused'
  | 'refresh_token_expired'
  | 'refresh_token_reused'
  | 'chain_behind_token'
  | 'refresh_not_allowed'
  | 'grant_has_nothing_left'
  | 'scope_exceeds_grant'
  | 'resource_exceeds_grant'
  | 'grant_revoked'
  | 'client_ended'
  | 'user_ended'
  | 'server_epoch_raised';

/** Why a step of an interaction was rejected. */
export type InteractionRejectReason =
  | 'interaction_expired'
  | 'interaction_completed'
  | 'client_ended'
  | 'sign_in_required'
  | 'user_changed';

/** Why a browser is not signed in although it has a session cookie. */
export type SessionRejectReason = SessionEndReason | 'user_ended' | 'server_epoch_raised';

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
  | 'changed_meanwhile';

export type RejectReason =
  | TokenRejectReason
  | InteractionRejectReason
  | SessionRejectReason
  | AdministrationRejectReason;

/** Why a chain ended by decision. */
export type RevocationReason =
  | 'authorization_code_reused'
  | 'refresh_token_reused'
  | 'chain_behind_token'
  | 'revocation_requested';

/** Why a session ended by decision. */
/** `ended_by_user`: from the list of sessions. The guard `endedByUser` asks for the epoch of the end-user instead. */
export type SessionEndReason = 'session_idle' | 'session_too_old' | 'signed_out' | 'ended_by_user' | 'signed_in_again';

/** Why a signing key retired. */
export type KeyRetirementReason = 'tokens_expired' | 'revocation_requested';

export type AuthorizationCodeState = 'active' | 'used' | 'revoked';
export type RefreshTokenState = 'active' | 'used' | 'ahead' | 'revoked';
export type GrantState = 'active' | 'revoked';
export type SessionState = 'active' | 'ended';
export type InteractionState = 'awaitingSignIn' | 'awaitingConsent' | 'approved' | 'denied';

/** OpenID Connect Core §3.1.2.1. */
export type Prompt = 'none' | 'login' | 'consent' | 'select_account';

/** Sent to the client by redirect: RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6. */
export type AuthorizationRefusal = 'access_denied' | 'login_required' | 'consent_required';
export type SigningKeyState = 'unpublished' | 'published' | 'signing' | 'retiring' | 'retired';

export type ClientState = 'unregistered' | 'registered' | 'deleted';
export type UserState = 'unregistered' | 'enabled' | 'disabled' | 'deleted';

export type EpochOwner = 'client' | 'user' | 'server';
/** Whose epoch was raised and ended a grant or a session without a write to its row. `null`: no epoch was raised. */
export type EndedBy = EpochOwner | null;

/** Instants are milliseconds since 1970 (UTC); `now` is the database's clock, read together with the row. */
type Instant = number;

export type AuthorizationCodeContext = {
  readonly clientId: string;
  readonly redirectUri: string;
  /** BASE64URL(SHA256(code_verifier)) from the authorization request, RFC 7636 §4.2. */
  readonly codeChallenge: string;
  /** What the client may have of the scope that was granted, under its ceiling of today; empty: nothing of use. */
  readonly scopeToday: readonly string[];
  /** What tokens may be for today, of what was granted. */
  readonly resources: readonly string[];
  readonly endsAt: Instant;
  readonly endedBy: EndedBy;
};

export type AuthorizationCodeEvent = {
  readonly type: 'presented';
  readonly now: Instant;
  /** The client that authenticated (or named itself, when public). */
  readonly clientId: string;
  /** As sent with the token request; `null` when it was not sent. */
  readonly redirectUri: string | null;
  /** S256 of the presented verifier; `null` when the verifier is malformed (RFC 7636 §4.1). */
  readonly challengeOfVerifier: string | null;
  /** As sent; `null` when not sent, which means the resources of the grant (RFC 8707 §2.2). */
  readonly resources: readonly string[] | null;
};

export type RefreshTokenContext = {
  readonly clientId: string;
  /** As it was granted. */
  readonly scope: readonly string[];
  /** What the client may have of it, under its ceiling of today; empty: nothing of use. */
  readonly scopeToday: readonly string[];
  /** What tokens may be for today, of what was granted. */
  readonly resources: readonly string[];
  /** By the client's grant types and, where its policy asks for that, by `offline_access` in the scope of today. */
  readonly mayRefresh: boolean;
  readonly endsAt: Instant;
  readonly endedBy: EndedBy;
};

export type RefreshTokenEvent = {
  readonly type: 'presented';
  readonly now: Instant;
  readonly clientId: string;
  /** As sent; `null` when not sent, which means the scope of the grant (RFC 6749 §6). */
  readonly scope: readonly string[] | null;
  readonly resources: readonly string[] | null;
};

export type GrantEventType =
  | 'authorizationCodeReused'
  | 'refreshTokenReused'
  | 'chainFellBehind'
  | 'revocationRequested'
  | 'clientDeleted'
  | 'userDisabled'
  | 'passwordChanged'
  | 'serverRecovered';
export type GrantEvent = { readonly type: GrantEventType };

export type InteractionContext = {
  readonly endsAt: Instant;
  readonly scope: readonly string[];
  readonly resources: readonly string[];
  /** The user who signed in for this interaction; `null` before that. */
  readonly userId: string | null;
  /** Since the interaction began the client was deleted (even if registered again), or lost this redirect URI or grant type. */
  readonly clientEnded: boolean;
  /** True for confidential clients and for public clients with an https redirect; others could be impersonated (RFC 8252 §8.6). */
  readonly consentMayBeRemembered: boolean;
  /** The code that was issued has not been exchanged, and neither its row nor its stored time says that it has ended. */
  readonly codeIsWaiting: boolean;
  /** What the client asked to show; `none`: nothing may be shown. */
  readonly prompt: readonly Prompt[];
  /** How long ago the user may have signed in, in seconds; `null`: no limit. */
  readonly maxAgeSeconds: number | null;
  /** The user that the client expects, from `id_token_hint`; `null`: any user. */
  readonly hintedUserId: string | null;
};

type InteractionFacts = {
  readonly now: Instant;
  /** The user who is signed in in this browser; `null`: none. */
  readonly userId: string | null;
  /** When that user signed in; `null` without a user. */
  readonly signedInAt: Instant | null;
  /** What this user has allowed this client before; `null`: nothing. */
  readonly remembered: { readonly scope: readonly string[]; readonly resources: readonly string[] } | null;
};
export type InteractionEvent = {
  /** `viewed`: the page was opened. `switchRequested`: it was opened to sign in as another user. */
  readonly type: 'requested' | 'viewed' | 'switchRequested' | 'signedIn' | 'accountChosen' | 'consented' | 'refused';
} & InteractionFacts;

export type SessionContext = {
  /** When it ends, used or not. */
  readonly endsAt: Instant;
  /** When it ends unless it is used before. */
  readonly idleEndsAt: Instant;
  /** From then on a use is recorded, and the idle time counts from it. */
  readonly useDueAt: Instant;
  readonly endedBy: EndedBy;
  /** Why it ended by decision; `null`: it has not ended so. */
  readonly endReason: SessionEndReason | null;
};

export type SessionEvent = {
  /** `used`: a request came with its cookie. `signedInAgain`: another session replaced it in the same browser. */
  readonly type:
    | 'used'
    | 'signOutRequested'
    | 'endRequested'
    | 'signedInAgain'
    | 'userDisabled'
    | 'passwordChanged'
    | 'serverRecovered';
  readonly now: Instant;
};

/** A key's instants under today's policy; Infinity where the key's state has no such instant. */
export type SigningKeyContext = {
  /** From then on a successor should be on its way. */
  readonly successorDueAt: Instant;
  /** From then on a successor that has been published for long enough takes over. */
  readonly signsUntil: Instant;
  /** By then the last token that it signed has expired, by every node's clock. */
  readonly publishedUntil: Instant;
};

/** About the key's algorithm, from the same load. */
type SigningKeyFacts = {
  readonly now: Instant;
  readonly anotherSigns: boolean;
  /** The key that waits to sign; `ready`: published for long enough that every cache holds it. */
  readonly successor: 'none' | 'published' | 'ready';
  /** False: the policy no longer names this algorithm. */
  readonly algorithmIsWanted: boolean;
  /** The operator does not want to wait for caches. */
  readonly atOnce: boolean;
};
export type SigningKeyEvent = {
  /**
   * `noKeySigns`, `successorNeeded`: a fresh key is created because its algorithm has no key, or because the signer asked for a successor.
   * `signerStopped`: the signer of this algorithm stopped signing, in the same commit, and this key is its successor.
   */
  readonly type:
    | 'noKeySigns'
    | 'successorNeeded'
    | 'timePassed'
    | 'rotationRequested'
    | 'revocationRequested'
    | 'signerStopped';
} & SigningKeyFacts;

export type ClientContext = {
  /** Configuration declares it, and it is changed there only. */
  readonly isDeclared: boolean;
  /** It authenticates with a secret. */
  readonly isConfidential: boolean;
  readonly liveSecrets: number;
};

export type ClientEvent = {
  /** `secretRequested`: in addition to the live secret. `secretReplacementRequested`: instead of every live secret. */
  readonly type:
    | 'registrationRequested'
    | 'secretRequested'
    | 'secretReplacementRequested'
    | 'secretRemovalRequested'
    | 'deletionRequested';
  /** False: what is stored is not what the request is meant for (RFC 9110 §13.1). */
  readonly expectationHolds: boolean;
  /** The request comes from the configuration files. */
  readonly byConfiguration: boolean;
  /** The registration that was sent differs from what is stored. */
  readonly differs: boolean;
  /** The secret that the request names is live. */
  readonly secretIsLive: boolean;
};

export type UserEvent = {
  readonly type: 'registrationRequested' | 'disableRequested' | 'enableRequested' | 'deletionRequested';
  /** False: what is stored is not what the request is meant for (RFC 9110 §13.1). */
  readonly expectationHolds: boolean;
  /** The username that was sent is that of another end-user. */
  readonly usernameIsTaken: boolean;
  /** The record that was sent differs from what is stored. */
  readonly differs: boolean;
  /** The password that was sent is not the stored password. */
  readonly passwordDiffers: boolean;
};

/**
 * The effects, declared to XState. The functions are empty on purpose: the engine reads `{type, params}` and commits it in one
 * guarded statement. An epoch is in the row of its owner: `raiseEpoch` of client or user changes a grant or a session by what
 * is read with it.
 */
export const effects = {
  /** Issue an access token and, where the client may refresh, the head of the chain. */
  issueTokens(): void {},
  /** The code becomes used: the chain of refresh tokens begins, at generation 0. */
  beginChain(): void {},
  /** Move the chain's head: the presented token becomes used, its successor is the new head. */
  rotate(): void {},
  /** Send this event to the grant's machine: only that machine writes `revoked`. */
  revokeGrant(_: unknown, _params: { event: GrantEventType }): void {},
  /** End the grant, and with it its code and every refresh token of the chain. */
  writeRevoked(_: unknown, _params: { reason: RevocationReason }): void {},
  /** Raise the owner's epoch: every grant or session that was made under an older epoch ends, without a write to its row. */
  raiseEpoch(_: unknown, _params: { of: EpochOwner }): void {},
  /** Reject the request; nothing is issued. */
  reject(_: unknown, _params: { reason: RejectReason }): void {},
  /** Show the sign-in page. */
  askSignIn(): void {},
  /** Show who is signed in, and let the end-user continue or sign in with another account. */
  askAccount(): void {},
  /** Bind the interaction to the user who signed in, and show the consent page. */
  askConsent(): void {},
  /** Show the consent page again. */
  showConsent(): void {},
  /** Approve: create the grant and its authorization code, and redirect with `code`. */
  issueCode(): void {},
  /** Remember what was allowed, so that the same request need not ask again. */
  rememberConsent(): void {},
  /** Approve without asking, only while the remembered consent stands. */
  relyOnConsent(): void {},
  /** Redirect with this error. */
  refuseAuthorization(_: unknown, _params: { error: AuthorizationRefusal }): void {},
  /** Redirect with this error at once. Nothing is stored of it: the request was answered before an end-user saw anything. */
  refuseSilently(_: unknown, _params: { error: AuthorizationRefusal }): void {},
  /** Repeat the earlier answer; nothing new is issued. */
  repeatAnswer(): void {},
  /** The browser is signed in. */
  admit(): void {},
  /** Record that the session was used now. */
  recordUse(): void {},
  /** End the session. */
  endSession(_: unknown, _params: { reason: SessionEndReason }): void {},
  /** Send `successorNeeded` to a fresh key of the same algorithm. */
  createSuccessor(): void {},
  /** Send `signerStopped` to the waiting key, so that an algorithm which the policy names always has a signer. */
  startSuccessor(): void {},
  /** From now on the successor takes over as soon as it has been published for long enough. */
  hastenHandover(): void {},
  /** Store the key and publish its public half. */
  publish(): void {},
  /** Sign all tokens from now on. */
  beginSigning(): void {},
  /** Stop signing: erase the private half and stay published. */
  stopSigning(): void {},
  /** Erase the private half and leave the JWKS, for good. */
  retire(_: unknown, _params: { reason: KeyRetirementReason }): void {},
  /** Store the client as it was sent; its grants from before a deletion stay ended. */
  registerClient(): void {},
  /** Store what was sent instead of what is stored; grants stay alive. */
  replaceRegistration(): void {},
  /** Store the keyed hash of one more secret. */
  addSecret(): void {},
  /** Store the keyed hash of one secret instead of all others. */
  replaceSecrets(): void {},
  /** Drop the keyed hash of the secret that was named. */
  removeSecret(): void {},
  /** Drop every secret; the row stays, so that its id never revives a grant. */
  deleteClient(): void {},
  /** Store the end-user as sent, under a `sub` that nobody had before. */
  registerUser(): void {},
  /** Store the claims, the username and the password that were sent. */
  replaceRecord(): void {},
  /** Nobody signs in as this end-user. */
  disableUser(): void {},
  /** The end-user may sign in again. */
  enableUser(): void {},
  /** Drop the username, the password and every claim; the row stays, so that its `sub` is never given to another end-user. */
  eraseUser(): void {},
};

/** An effect as data, as the engine reads it from a decision. */
export type Effect = {
  [Name in keyof typeof effects]: Parameters<(typeof effects)[Name]> extends [unknown, infer Params]
    ? { readonly type: Name; readonly params: Params }
    : { readonly type: Name };
}[keyof typeof effects];

/** The params are data, so that diagrams and tables can print them. */
export const reject = (reason: RejectReason) => ({ type: 'reject', params: { reason } }) as const;
export const revokeGrant = (event: GrantEventType) => ({ type: 'revokeGrant', params: { event } }) as const;
export const refuseAuthorization = (error: AuthorizationRefusal) =>
  ({ type: 'refuseAuthorization', params: { error } }) as const;
export const refuseSilently = (error: AuthorizationRefusal) => ({ type: 'refuseSilently', params: { error } }) as const;
export const writeRevoked = (reason: RevocationReason) => ({ type: 'writeRevoked', params: { reason } }) as const;
export const retire = (reason: KeyRetirementReason) => ({ type: 'retire', params: { reason } }) as const;
export const raiseEpoch = (of: EpochOwner) => ({ type: 'raiseEpoch', params: { of } }) as const;
export const endSession = (reason: SessionEndReason) => ({ type: 'endSession', params: { reason } }) as const;
