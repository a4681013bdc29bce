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
  | 'factor_required'
  | 'user_changed';

/** Why a browser is not signed in although it has a session cookie. */
export type SessionRejectReason =
  | SessionEndReason
  | 'second_factor_required'
  | 'factor_removed'
  | 'user_ended'
  | 'server_epoch_raised';

/** Why a passkey, a code of an authenticator app or a recovery code was rejected, or a factor was not removed. */
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
  | 'recovery_code_used'
  | 'recovery_code_replaced'
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
  | 'changed_meanwhile';

/** Why a link from an e-mail did nothing, or was not sent. */
export type EmailChallengeRejectReason =
  | 'link_unknown'
  | 'link_expired'
  | 'link_used'
  | 'link_superseded'
  | 'not_offered'
  | 'user_ended'
  | 'password_changed'
  | 'address_mismatch'
  | 'password_from_mail'
  | 'password_not_proven'
  | 'username_taken';

/** Why a step of a sign-in at another place was rejected. */
export type ExternalSignInRejectReason =
  | 'external_sign_in_expired'
  | 'external_sign_in_unanswered'
  | 'external_sign_in_answered'
  | 'external_sign_in_denied'
  | 'external_sign_in_used'
  | 'external_sign_in_overtaken'
  | 'another_browser'
  | 'not_admitted'
  | 'nobody_linked'
  | 'identity_linked_elsewhere'
  | 'user_ended';

/** Why a change of a linked identity was rejected. */
export type LinkedIdentityRejectReason = 'identity_unknown' | 'identity_removed' | 'last_way_to_sign_in';

export type RejectReason =
  | TokenRejectReason
  | InteractionRejectReason
  | SessionRejectReason
  | FactorRejectReason
  | AdministrationRejectReason
  | ExternalSignInRejectReason
  | LinkedIdentityRejectReason
  | EmailChallengeRejectReason;

/** Why a chain ended by decision. */
export type RevocationReason =
  | 'authorization_code_reused'
  | 'refresh_token_reused'
  | 'chain_behind_token'
  | 'revocation_requested'
  | 'ended_by_administrator';

/** Why a session ended by decision. */
/** `ended_by_user`: from the list of sessions. The guard `endedByUser` asks for the epoch of the end-user instead. */
export type SessionEndReason =
  | 'session_idle'
  | 'session_too_old'
  | 'signed_out'
  | 'ended_by_user'
  | 'ended_by_administrator'
  | 'signed_in_again'
  | 'second_factor_missing';

/** Why a linked identity was removed. */
export type IdentityRemovalReason = 'removed_by_user' | 'removed_by_administrator' | 'user_deleted';

/** Why an event is not sent to its receiver any more. */
export type AbandonReason = 'attempts_used_up' | 'too_old' | 'receiver_gone' | 'receiver_removed';

/** Why a mail is not sent any more. */
export type DropReason = 'attempts_used_up' | 'too_old' | 'refused' | 'queue_full';

/** Why a link from an e-mail ended without being used. */
export type SupersededReason = 'newer_link_sent' | 'another_link_used' | 'withdrawn' | 'change_undone';

/** Why a signing key retired. */
export type KeyRetirementReason = 'tokens_expired' | 'revocation_requested';

export type AuthorizationCodeState = 'active' | 'used' | 'revoked';
export type RefreshTokenState = 'active' | 'used' | 'ahead' | 'revoked';
export type GrantState = 'active' | 'revoked';
export type SessionState = 'awaitingSecondFactor' | 'active' | 'ended';
export type SecondFactorState = 'unconfirmed' | 'active' | 'removed';
export type RecoveryCodeState = 'active' | 'used' | 'replaced';
export type PasskeyState = 'unregistered' | 'active' | 'removed';
export type InteractionState = 'awaitingSignIn' | 'awaitingConsent' | 'approved' | 'denied';

/** OpenID Connect Core §3.1.2.1; `create`: Initiating User Registration via OpenID Connect §4. */
export type Prompt = 'none' | 'login' | 'consent' | 'select_account' | 'create';

/** Sent to the client by redirect: RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6. */
export type AuthorizationRefusal =
  | 'access_denied'
  | 'login_required'
  | 'consent_required'
  /** OpenID Connect Core Unmet Authentication Requirements 1.0 §2, RFC 9470 §5. */
  | 'unmet_authentication_requirements';
export type SigningKeyState = 'unpublished' | 'published' | 'signing' | 'retiring' | 'retired';

export type ClientState = 'unregistered' | 'registered' | 'deleted';
export type UserState = 'unregistered' | 'enabled' | 'disabled' | 'deleted';

export type EmailChallengeState = 'unsent' | 'active' | 'used' | 'superseded';
/** What a link from an e-mail is good for. */
export type EmailChallengePurpose =
  | 'verify_address'
  | 'reset_password'
  | 'change_address'
  | 'undo_change'
  | 'lost_factors'
  | 'sign_up'
  | 'invitation';

export type ExternalSignInState = 'awaiting' | 'answered' | 'denied' | 'used';
export type LinkedIdentityState = 'unlinked' | 'active' | 'removed';
export type WebhookDeliveryState = 'pending' | 'delivered' | 'abandoned';
export type MailState = 'pending' | 'sent' | 'dropped';

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
  | 'endRequestedByAdministrator'
  | 'clientDeleted'
  | 'userDisabled'
  | 'passwordChanged'
  | 'serverRecovered';
export type GrantEvent = { readonly type: GrantEventType };

export type InteractionContext = {
  readonly endsAt: Instant;
  /** What is asked for, without what the user who is signed in may not grant: administration takes a role. */
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
  /** When the client asked: a sign-in since then is new. */
  readonly requestedAt: Instant;
  /** How strong the sign-in has to be: the place in the list of classes (src/oauth/authentication-methods.ts); 0: any sign-in is enough. */
  readonly requiredLevel: number;
};

type InteractionFacts = {
  readonly now: Instant;
  /** The user who is signed in in this browser; `null`: none. */
  readonly userId: string | null;
  /** When that user signed in; `null` without a user. */
  readonly signedInAt: Instant | null;
  /** How strong that sign-in was, as `requiredLevel`; 0 without a user. */
  readonly level: number;
  /** In this browser a password was right, and the second factor is missing: `userId` is `null`. */
  readonly factorIsAwaited: boolean;
  /** What this user has allowed this client before; `null`: nothing. `endsAt`: from then on the client asks again; `null`: no end. */
  readonly remembered: {
    readonly scope: readonly string[];
    readonly resources: readonly string[];
    readonly endsAt: Instant | null;
  } | null;
};
export type InteractionEvent = {
  /**
   * `viewed`: the page was opened. `switchRequested`: it was opened to sign in as another user. `factorAdded`: a further factor was
   * proven in the session. `factorDeclined`: the end-user does not sign in as strongly as was asked.
   */
  readonly type:
    | 'requested'
    | 'viewed'
    | 'switchRequested'
    | 'signedIn'
    | 'accountChosen'
    | 'factorAdded'
    | 'factorDeclined'
    | 'consented'
    | 'refused';
} & InteractionFacts;

/** What is known at a sign-in; the session is stored as active, or as awaiting a second factor. */
export type SignInFacts = {
  /** The sign-in showed several factors. */
  readonly isMultiFactor: boolean;
  /** Policy or client demand several factors of this sign-in, whatever the account has. */
  readonly isFactorDemanded: boolean;
  readonly hasApp: boolean;
  readonly hasPasskey: boolean;
  /** The policy asks an account with a passkey for it after a single factor. */
  readonly passkeyCounts: boolean;
  /** A link in a mail has set the password of today. */
  readonly passwordIsFromMail: boolean;
};

export type SessionContext = {
  /** When it ends, used or not. */
  readonly endsAt: Instant;
  /** When it ends unless it is used before. */
  readonly idleEndsAt: Instant;
  /** From then on a use is recorded, and the idle time counts from it. */
  readonly useDueAt: Instant;
  /** When a session that awaits a second factor ends. */
  readonly factorDueAt: Instant;
  readonly signIn: SignInFacts;
  /** The factor that is added was removed since it was proven. */
  readonly factorIsGone: boolean;
  readonly endedBy: EndedBy;
  /** Why it ended by decision; `null`: it has not ended so. */
  readonly endReason: SessionEndReason | null;
};

export type SessionEvent = {
  /**
   * `signedIn`: the session is about to be stored. `used`: a request came with its cookie. `factorAdded`: a further factor was proven
   * in it. `signedInAgain`: another session replaced it in the same browser.
   */
  readonly type:
    | 'signedIn'
    | 'used'
    | 'factorAdded'
    | 'signOutRequested'
    | 'endRequested'
    | 'endRequestedByAdministrator'
    | 'signedInAgain'
    | 'userDisabled'
    | 'passwordChanged'
    | 'serverRecovered';
  readonly now: Instant;
};

export type SecondFactorContext = {
  /** When the set-up ends. */
  readonly setUpEndsAt: Instant;
  /** The time step (RFC 6238 §4) of the last code that was accepted; `null`: none. */
  readonly lastStep: number | null;
  /** Without it, the end-user would have less than the policy demands. */
  readonly isDemanded: boolean;
  /** The end-user has another factor that is active. */
  readonly hasAnother: boolean;
  /** The end-user is disabled or deleted. */
  readonly userEnded: boolean;
};

export type SecondFactorEvent = {
  /** `confirmed`: the first code, which shows that the app has the secret. `presented`: a code at a sign-in. */
  /** `lost`: the end-user has shown the password and used a link that was sent to the verified address (email-challenge.machine.ts). */
  readonly type: 'confirmed' | 'presented' | 'removalRequested' | 'removalRequestedByAdministrator' | 'lost';
  readonly now: Instant;
  /** The time step whose code was sent; `null`: that of no step in the window. */
  readonly step: number | null;
  /** The browser has shown the password, and nothing else. */
  readonly byPasswordAlone: boolean;
};

export type RecoveryCodeContext = { readonly userEnded: boolean };
export type RecoveryCodeEvent = { readonly type: 'presented' | 'newCodesRequested' };

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

export type PasskeyEvent = {
  /** `lost`: as of a second factor. */
  readonly type:
    | 'registered'
    | 'presented'
    | 'renamed'
    | 'removalRequested'
    | 'removalRequestedByAdministrator'
    | 'lost';
  readonly byPasswordAlone: boolean;
  /** The counter of a signature that was verified; `null`: the signature is not of this passkey, for this site and challenge. */
  readonly counter: number | null;
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
  /**
   * `passwordChangeRequested`: by the end-user, who has shown who they are. `passwordRehashed`: at a sign-in, the right password was
   * hashed again as this version hashes. The last five come from a link in an e-mail (email-challenge.machine.ts).
   */
  readonly type:
    | 'registrationRequested'
    | 'passwordChangeRequested'
    | 'disableRequested'
    | 'enableRequested'
    | 'deletionRequested'
    | 'passwordRehashed'
    | 'addressVerified'
    | 'addressChanged'
    | 'addressRestored'
    | 'passwordReset'
    | 'factorsLost';
  /** False: what is stored is not what the request is meant for (RFC 9110 §13.1). */
  readonly expectationHolds: boolean;
  /** The username that was sent is that of another end-user. */
  readonly usernameIsTaken: boolean;
  /** The record that was sent differs from what is stored. */
  readonly differs: boolean;
  /** The password that was sent is not the stored password. */
  readonly passwordDiffers: boolean;
  /** The stored hash is not the hash that the password was checked against. */
  readonly hashIsAnother: boolean;
};

export type ExternalSignInContext = {
  readonly endsAt: Instant;
  /** In the same browser, for the same request, a sign-in that began later has signed in already. */
  readonly isOvertaken: boolean;
};

export type ExternalSignInEvent = {
  /**
   * `answerReceived`: the other place has said that it knows who signed in. `refusalReceived`: it has said that nobody did.
   * `browserReturned`: the browser wants to go on with the answer.
   */
  readonly type: 'answerReceived' | 'refusalReceived' | 'browserReturned';
  readonly now: Instant;
  /** False: it comes through a browser, and not through the browser that began. */
  readonly fromItsBrowser: boolean;
  /** False: the policy does not let this identity in, or the end-user who began is not signed in any more. */
  readonly isAdmitted: boolean;
  /** Who the answer is about, of those who are registered here. `new`: an end-user is to be registered. */
  readonly user: 'known' | 'new' | 'ended' | 'unknown';
  /** Of the other place's identity: nobody's so far, that of this end-user, or that of another. `none`: the answer names none. */
  readonly identity: 'none' | 'unlinked' | 'linked' | 'linkedElsewhere';
};

export type LinkedIdentityEvent = {
  readonly type: 'linkRequested' | 'removalRequested' | 'removalRequestedByAdministrator' | 'userDeleted';
  /** The end-user has no other way to sign in. */
  readonly isLastWay: boolean;
};

export type EmailChallengeContext = {
  readonly purpose: EmailChallengePurpose;
  readonly endsAt: Instant;
  /** False: the policy of today lets nobody sign up in this way. */
  readonly isOffered: boolean;
  /** The end-user may sign in; true where the link makes the account. */
  readonly userStands: boolean;
  /** No password was set since the link was sent, and nothing else raised the epoch. */
  readonly epochStands: boolean;
  /** The address is that of the account; for a new password it is verified too. True where the link brings the address. */
  readonly addressStands: boolean;
  /** The password was set by a link in an e-mail after the oldest factor was added: a person who reads the mailbox may have set it. */
  readonly passwordIsFromMail: boolean;
  /** How many newer links of the same purpose were sent to the same person. */
  readonly newerLinks: number;
  /** How many newer links leave a link of this purpose active. */
  readonly newerLinksAllowed: number;
};

export type EmailChallengeEvent = {
  /**
   * `used`: the button on the link's page was pressed; opening the link is no event. `overtaken`: a newer link of the same purpose was
   * sent, in the same commit. `otherUsed`: another link of the same purpose was used, in the same commit. `undone`: an older change of
   * the address was undone, in the same commit.
   */
  readonly type: 'requested' | 'used' | 'overtaken' | 'otherUsed' | 'withdrawn' | 'undone';
  readonly now: Instant;
  /** The username for the new account is that of another end-user. */
  readonly usernameIsTaken: boolean;
  /** The button was pressed in a browser in which the end-user has signed in with the password, a missing factor aside. */
  readonly passwordIsProven: boolean;
  /** The newer link was sent to another address. */
  readonly goesElsewhere: boolean;
};

/**
 * The effects, declared to XState. The functions are empty on purpose: the engine reads `{type, params}` and commits it in one
 * guarded statement. An epoch is in the row of its owner: `raiseEpoch` of client or user changes a grant or a session by what
 * is read with it.
 */
export type WebhookDeliveryContext = {
  /** No node attempts it before; while an attempt is under way, how long it has. `null`: it has ended. */
  readonly nextAttemptAt: Instant | null;
  /** Of its attempts since it was recorded, or since it was repeated last. */
  readonly attemptsLeft: number;
  readonly givesUpAt: Instant;
};

export type WebhookDeliveryEvent = {
  readonly type: 'claimed' | 'succeeded' | 'failed' | 'goneAnswered' | 'receiverRemoved' | 'repeatRequested';
  readonly now: Instant;
  /** What `nextAttemptAt` became when the attempt that is reported was claimed; `null`: no attempt is reported. */
  readonly claim: Instant | null;
  /** When the next attempt would be. */
  readonly retryAt: Instant;
};

/** A node attempts a mail as it attempts the delivery of an event. */
export type MailContext = WebhookDeliveryContext;
export type MailEvent = Omit<WebhookDeliveryEvent, 'type'> & {
  readonly type: 'claimed' | 'succeeded' | 'failed' | 'refused' | 'displaced';
};

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
  /** Show the sign-up page, which leads back to the sign-in page. */
  askSignUp(): void {},
  /** Show the page of the further factor: it asks for what is missing, or leads to its set-up. */
  askFactor(): void {},
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
  /** The session begins as active: the sign-in is as strong as it has to be. */
  beginSession(): void {},
  /** Store the methods of the further factor and the hash of a new cookie: the cookie from before is worth nothing. */
  addFactor(): void {},
  /** End the session. */
  endSession(_: unknown, _params: { reason: SessionEndReason }): void {},
  /** The factor was proven. */
  accept(): void {},
  /** From now on the factor is asked for. */
  activateFactor(): void {},
  /** Store the time step of the code: neither it nor an earlier step is accepted again. */
  recordStep(): void {},
  /** Drop the secret of the factor, for good. */
  removeFactor(): void {},
  /** The recovery code is spent. */
  spendCode(): void {},
  /** The recovery code is worth nothing any more: new codes take its place. */
  replaceCode(): void {},
  /** Store the signature counter and the time. */
  recordSignature(): void {},
  /** Store the public key. */
  registerPasskey(): void {},
  /** Store another name of the passkey. */
  renamePasskey(): void {},
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
  /** Store the new hash of the same password. */
  replacePasswordHash(): void {},
  /** Store the hash of the new password. */
  replacePassword(): void {},
  /** Nobody signs in as this end-user. */
  disableUser(): void {},
  /** The end-user may sign in again. */
  enableUser(): void {},
  /** Store the address as the end-user's verified address. */
  writeAddress(): void {},
  /** Store the hash of the link's secret; the mail is sent after the commit. */
  sendLink(): void {},
  /** Send `overtaken` to the next older link of the same purpose and the same person that is still active. */
  overtakeOlder(): void {},
  /** One more newer link was sent. */
  countNewerLink(): void {},
  /** Send `otherUsed` to the next link of the same purpose and the same person that is still active. */
  supersedeOthers(): void {},
  /** Send `undone` to each other link of the same end-user that is still active and was sent later. */
  supersedeLater(): void {},
  /** The link is worth nothing any more. */
  supersedeLink(_: unknown, _params: { reason: SupersededReason }): void {},
  /** The link's only use. */
  useLink(): void {},
  /** Send this event to the end-user's machine: only that machine changes the account. */
  changeUser(_: unknown, _params: { event: UserEvent['type'] }): void {},
  /** Send `requested` to a fresh link for the address from before. */
  offerUndo(): void {},
  /** Drop the username, the password and every claim; the row stays, so that its `sub` is never given to another end-user. */
  eraseUser(): void {},
  /** Keep what the other place has said. */
  recordAnswer(): void {},
  /** Keep that the other place let nobody in. */
  recordRefusal(): void {},
  /** Send `registrationRequested` to the machine of a fresh end-user. */
  createUser(): void {},
  /** Send `linkRequested` to the machine of the identity. */
  linkIdentity(): void {},
  /** Sign in with the answer, which is worth nothing afterwards. */
  useAnswer(): void {},
  /** Store that this identity is the end-user's. */
  storeIdentity(): void {},
  /** The identity signs nobody in any more, for good. */
  removeIdentity(_: unknown, _params: { reason: IdentityRemovalReason }): void {},
  /** Count an attempt, and keep other nodes from it until it must be over. */
  claimDelivery(): void {},
  /** Wait until the next attempt. */
  retryDelivery(): void {},
  /** The receiver has the event; the relay has the mail. */
  recordDelivery(): void {},
  /** Send the event no more. */
  abandonDelivery(_: unknown, _params: { reason: AbandonReason }): void {},
  /** Send the mail no more, and erase its contents. */
  dropMail(_: unknown, _params: { reason: DropReason }): void {},
  /** Send the event at once, with all attempts anew. */
  repeatDelivery(): void {},
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
export const changeUser = (event: UserEvent['type']) => ({ type: 'changeUser', params: { event } }) as const;
export const supersedeLink = (reason: SupersededReason) => ({ type: 'supersedeLink', params: { reason } }) as const;
export const removeIdentity = (reason: IdentityRemovalReason) =>
  ({ type: 'removeIdentity', params: { reason } }) as const;
export const abandonDelivery = (reason: AbandonReason) => ({ type: 'abandonDelivery', params: { reason } }) as const;
export const dropMail = (reason: DropReason) => ({ type: 'dropMail', params: { reason } }) as const;
