/**
 * Every word that a machine may say: events (what happened), effects (what to make true), reasons (why).
 * Machines are pure data; an effect is never executed by XState, the engine reads it and commits it.
 */

/** What states and arms cite: the section whose rule they keep. Declared to XState, so that a misspelt key does not compile. */
export type Meta = { readonly spec: string };

/** For arms that several states share: the compiler looks for unknown keys only where an object is written. */
export type SharedArm = {
  readonly guard?: unknown;
  readonly target?: string;
  readonly actions?: unknown;
  readonly description: string;
  readonly meta: Meta;
};

/** Why a presentation or an interaction was turned down. Closed: log, ledger and OAuth answers are keyed by it. */
export type RejectReason =
  | 'client_mismatch'
  | 'redirect_uri_mismatch'
  | 'code_verifier_mismatch'
  | 'authorization_code_expired'
  | 'authorization_code_reused'
  | 'refresh_token_expired'
  | 'refresh_token_reused'
  | 'chain_behind_token'
  | 'scope_exceeds_grant'
  | 'resource_exceeds_grant'
  | 'grant_revoked'
  | 'client_ended'
  | 'user_ended'
  | 'server_epoch_raised'
  | 'interaction_expired'
  | 'interaction_completed'
  | 'sign_in_required'
  | 'user_changed';

/** Why a chain ended by decision. */
export type RevocationReason =
  | 'authorization_code_reused'
  | 'refresh_token_reused'
  | 'chain_behind_token'
  | 'revocation_requested';

/** Why a signing key retired. */
export type KeyRetirementReason = 'tokens_expired' | 'revocation_requested';

export type AuthorizationCodeState = 'active' | 'used' | 'revoked';
export type RefreshTokenState = 'active' | 'used' | 'revoked';
export type GrantState = 'active' | 'revoked';
export type InteractionState = 'awaitingSignIn' | 'awaitingConsent' | 'approved' | 'denied';

/** OpenID Connect Core §3.1.2.1. */
export type Prompt = 'none' | 'login' | 'consent' | 'select_account';

/** Said to the client by redirect: RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6. */
export type AuthorizationRefusal = 'access_denied' | 'login_required' | 'consent_required';
export type SigningKeyState = 'published' | 'signing' | 'retiring' | 'retired';

/** What ended a grant without a row of its own being written: an epoch that moved on. `null`: nothing did. */
export type EndedBy = 'client' | 'user' | 'server' | null;

/** Instants are milliseconds since 1970 (UTC); `now` is the database's clock, read together with the row. */
type Instant = number;

export type AuthorizationCodeContext = {
  readonly clientId: string;
  readonly redirectUri: string;
  /** BASE64URL(SHA256(code_verifier)) from the authorization request, RFC 7636 §4.2. */
  readonly codeChallenge: string;
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
  /** S256 of the presented verifier; `null` when the verifier is not one (RFC 7636 §4.1). */
  readonly challengeOfVerifier: string | null;
  /** As sent; `null` when not sent, which means the resources of the grant (RFC 8707 §2.2). */
  readonly resources: readonly string[] | null;
};

export type RefreshTokenContext = {
  readonly clientId: string;
  readonly scope: readonly string[];
  readonly resources: readonly string[];
  readonly endsAt: Instant;
  readonly endedBy: EndedBy;
  /** The token is authentic, yet its chain never got that far: commits were lost (a restored backup, a failover). */
  readonly aheadOfChain: boolean;
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
  | 'revocationRequested';
export type GrantEvent = { readonly type: GrantEventType };

export type InteractionContext = {
  readonly endsAt: Instant;
  readonly scope: readonly string[];
  readonly resources: readonly string[];
  /** The person who signed in for this interaction, if someone did. */
  readonly userId: string | null;
  /** Since the interaction began the client was deleted, its grants were ended, or it lost this redirect URI or grant type. */
  readonly clientEnded: boolean;
  /** Confidential clients, and public ones with an https redirect; others could be impersonated (RFC 8252 §8.6). */
  readonly consentMayBeRemembered: boolean;
  /** The code that was issued has not been exchanged and has not ended. */
  readonly codeIsWaiting: boolean;
  /** What the client asked to be shown, or, with `none`, not to be. */
  readonly prompt: readonly Prompt[];
  /** How long ago the person may have signed in, in seconds; `null`: however long. */
  readonly maxAgeSeconds: number | null;
  /** Whom the client expects, by `id_token_hint`; `null`: anyone. */
  readonly hintedUserId: string | null;
};

type InteractionFacts = {
  readonly now: Instant;
  /** The person whose session the browser holds; `null` when it holds none. */
  readonly userId: string | null;
  /** When that person signed in; `null` when nobody has. */
  readonly signedInAt: Instant | null;
  /** What this person has allowed this client before; `null` when nothing. */
  readonly remembered: { readonly scope: readonly string[]; readonly resources: readonly string[] } | null;
};
export type InteractionEvent = {
  readonly type: 'requested' | 'signedIn' | 'accountChosen' | 'consented' | 'refused';
} & InteractionFacts;

/** One key, with what the policy of today makes of its instants. Infinity: not in this state. */
export type SigningKeyContext = {
  /** From then on a successor should be on its way. */
  readonly successorDueAt: Instant;
  /** From then on a successor that has been published for long enough takes over. */
  readonly signsUntil: Instant;
  /** By then the last token that it signed has expired, by every node's clock. */
  readonly publishedUntil: Instant;
};

/** Of the key's algorithm, as they stand in the same load. */
type SigningKeyFacts = {
  readonly now: Instant;
  readonly anotherSigns: boolean;
  /** The key that waits to sign; `ready`: published for so long that every cache holds it. */
  readonly successor: 'none' | 'published' | 'ready';
  /** False: the policy names this algorithm no longer. */
  readonly algorithmIsWanted: boolean;
  /** The operator does not want to wait for caches. */
  readonly atOnce: boolean;
};
export type SigningKeyEvent = {
  /** `signerStopped`: the signer of this algorithm stopped signing, in the same commit, and this key is its successor. */
  readonly type: 'timePassed' | 'rotationRequested' | 'revocationRequested' | 'signerStopped';
} & SigningKeyFacts;

/**
 * The effects, as XState wants them named. They do nothing here on purpose: the engine reads `{type, params}`
 * and makes it true in one guarded statement.
 */
export const effects = {
  /** Issue an access token and, where the client may refresh, the head of the chain. */
  issueTokens(): void {},
  /** The code becomes used: the chain of refresh tokens begins, at generation 0. */
  beginChain(): void {},
  /** Move the chain's head: the presented token becomes used, its successor is the new head. */
  rotate(): void {},
  /** Send this event to the grant's machine; only that machine writes `revoked`. */
  revokeGrant(_: unknown, _params: { event: GrantEventType }): void {},
  /** End the grant, and with it its code and every refresh token of the chain. */
  writeRevoked(_: unknown, _params: { reason: RevocationReason }): void {},
  /** Turn the request down; nothing is issued. */
  reject(_: unknown, _params: { reason: RejectReason }): void {},
  /** Show the sign-in page. */
  askSignIn(): void {},
  /** Show who is signed in, and let them go on or sign in as another. */
  askAccount(): void {},
  /** Bind the interaction to the person who signed in, and show the consent page. */
  askConsent(): void {},
  /** Approve: make the grant and its authorization code, and redirect with `code`. */
  issueCode(): void {},
  /** Remember what was allowed, so that the same request need not ask again. */
  rememberConsent(): void {},
  /** Redirect with this error. */
  refuseAuthorization(_: unknown, _params: { error: AuthorizationRefusal }): void {},
  /** Answer again what was answered before; nothing new is issued. */
  repeatAnswer(): void {},
  /** Make a key of the same algorithm and publish it: it waits to sign. */
  publishSuccessor(): void {},
  /** Send `signerStopped` to the key that waits, so that there is never none that signs. */
  startSuccessor(): void {},
  /** From now on the successor takes over as soon as it has been published for long enough. */
  hastenHandover(): void {},
  /** Sign what is issued from now on. */
  beginSigning(): void {},
  /** Sign no more: erase the private half, stay published. */
  stopSigning(): void {},
  /** Erase the private half and leave the JWKS, for good. */
  retire(_: unknown, _params: { reason: KeyRetirementReason }): void {},
};

/** The params are data, so that diagrams and tables can print them. */
export const reject = (reason: RejectReason) => ({ type: 'reject', params: { reason } }) as const;
export const revokeGrant = (event: GrantEventType) => ({ type: 'revokeGrant', params: { event } }) as const;
export const refuseAuthorization = (error: AuthorizationRefusal) =>
  ({ type: 'refuseAuthorization', params: { error } }) as const;
export const writeRevoked = (reason: RevocationReason) => ({ type: 'writeRevoked', params: { reason } }) as const;
export const retire = (reason: KeyRetirementReason) => ({ type: 'retire', params: { reason } }) as const;
