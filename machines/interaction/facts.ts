import type { Instant } from '../shared/facts.ts';

/** Why a step of an interaction was rejected. */
export type InteractionRejectReason =
  | 'interaction_expired'
  | 'interaction_completed'
  | 'client_ended'
  | 'request_answered'
  | 'sign_in_required'
  | 'factor_required'
  | 'user_changed';

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

export type InteractionContext = {
  readonly endsAt: Instant;
  /** The requested scope, without the part that the signed-in user may not grant: administration takes a role. */
  readonly scope: readonly string[];
  readonly resources: readonly string[];
  /** The user who signed in for this interaction; `null` before that. */
  readonly userId: string | null;
  readonly client: {
    readonly isDeleted: boolean;
    /** The client's epoch rises when it is deleted, and stays when it is registered again. */
    readonly epoch: bigint;
    /** As it was when the interaction began. */
    readonly epochAtRequest: bigint;
    /** The client still has this redirect URI and this grant type. */
    readonly isStillRegistered: boolean;
    /** An operator registered the client as the team's own: no consent page. */
    readonly skipsConsent: boolean;
  };
  /** The client pushed the request, and has its answer: by another tab. False: it has none, or pushed none. */
  readonly requestIsAnswered: boolean;
  /** True for confidential clients and for public clients with an https redirect; others could be impersonated (RFC 8252 §8.6). */
  readonly consentMayBeRemembered: boolean;
  /** The code that was issued; `null`: none was. `isUnused`: it has not been exchanged, and its row does not say that it has ended. */
  readonly code: { readonly isUnused: boolean; readonly endsAt: Instant } | null;
  /** The pages that the client requires; `none`: the server may show no page. */
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
  /** When that user signed in; `null` without a user, or where an identity provider does not say when. */
  readonly signedInAt: Instant | null;
  /** How strong that sign-in was, as `requiredLevel`; 0 without a user. */
  readonly level: number;
  /** In this browser a password was right, and the second factor is missing: `userId` is `null`. */
  readonly factorIsAwaited: boolean;
  /** The scope that this user has approved for this client before; `null`: none. `endsAt`: from then on the client asks again; `null`: no end. */
  readonly remembered: {
    readonly scope: readonly string[];
    readonly resources: readonly string[];
    readonly endsAt: Instant | null;
  } | null;
};

export type InteractionEvent = {
  /**
   * `viewed`: the page was opened. `switchRequested`: it was opened to sign in as another user. `factorAdded`: an additional factor was
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
