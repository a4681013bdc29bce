/** One step of an interaction. The machine decides; its outcome becomes what the browser gets. */
import type { AuthorizationRefusal, InteractionEvent } from '../../machines/interaction/facts.ts';
import { policyOf } from '../config/configuration.ts';
import { authorizationCodeOf, repeatedAuthorizationCode } from '../crypto/authorization-code.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import {
  type InteractionOutcome,
  type InteractionReference,
  type InteractionStore,
  type InteractionWorld,
  interactFrom,
  type StoredInteraction,
} from '../lifecycles/interaction/lifecycle.ts';
import type { Interaction } from '../model/interaction.ts';
import { type Session, sessionEndsAt, sessionIdleEndsAt } from '../model/session.ts';
import { authenticationClassOf, levelOf } from '../oauth/authentication-methods.ts';
import { isRegisteredRedirectUri } from '../oauth/redirect-uri.ts';
import { grantableScope } from './administrators.ts';
import { type AuthorizationResponse, authorizationResponse } from './authorization-response.ts';
import { findSession, type SessionDeps } from './browser-session.ts';
import { MAX_SEALED_CHARACTERS, sealInteraction, surelyFits } from './sealed-interaction.ts';

export type InteractionStepDeps = SessionDeps & {
  readonly issuer: string;
  readonly keys: RootKeys;
  readonly interactions: InteractionStore;
};

export type InteractionStepOutcome = InteractionRefused | (Ids & (Continued | SignUp | Approved | Denied));

type Ids = {
  readonly interactionId: string;
  readonly clientId: string;
  /** Of the request: which languages a page may speak; absent: it names none. */
  readonly uiLocales?: readonly string[];
};
/** The page of the interaction shows what is next. */
type Continued = {
  readonly kind: 'continued';
  /** For the URL of the page; null: the interaction is stored. */
  readonly sealed: string | null;
  /** Why the step itself did not count; null: it did. */
  readonly reason: 'sign_in_required' | 'factor_required' | 'user_changed' | null;
};
/** The sign-up page is next; it leads back to the page of the interaction. */
type SignUp = { readonly kind: 'signUp'; readonly sealed: string | null };
type Approved = { readonly kind: 'approved'; readonly response: AuthorizationResponse };
type Denied = {
  readonly kind: 'denied';
  readonly error: AuthorizationRefusal;
  readonly response: AuthorizationResponse;
};

/** Shown on a page; nothing goes to the client. */
export type InteractionRefused = Partial<Ids> & {
  readonly kind: 'refused';
  readonly reason:
    | 'interaction_unknown'
    | 'another_browser'
    | 'form_refused'
    | 'interaction_expired'
    | 'interaction_completed'
    | 'client_ended';
};

/** An interaction as a request names it. `sealed`: the text in the URL; null: there was none, and only a row can say what it is. */
type NamedInteraction = InteractionReference & { readonly sealed: string | null };

/** The interaction of a request, read once and handed from step to step. After that, only the engine reads it again. */
export type OpenedInteraction = {
  readonly kind: 'opened';
  readonly named: NamedInteraction;
  readonly facts: StoredInteraction;
  /** Whose consent the facts hold; null: no end-user's. */
  readonly userId: string | null;
};

/**
 * One event for an opened interaction. A sign-in names the end-user only after the interaction was opened: what that end-user has
 * allowed before is read then.
 * @param factorIsAwaited the browser's session awaits a second factor, and `session` is null.
 * @returns null: there is no such interaction. @throws Unavailable, StoreUnavailable
 */
export async function decideStep(
  deps: InteractionStepDeps,
  { named, facts, userId }: OpenedInteraction,
  event: InteractionEvent['type'],
  session: Session | null,
  factorIsAwaited = false,
): Promise<InteractionOutcome | null> {
  const isTheirs = session === null || session.userId === userId;
  // Without a session, a consent counts for nothing.
  const remembered = session === null ? { remembered: null, consentRow: null } : {};
  const first = isTheirs ? { ...facts, ...remembered } : await deps.interactions.load(named, session.userId);
  return first && interactFrom(interactionWorld(deps), first, event, session, factorIsAwaited);
}

/** @throws Unavailable, StoreUnavailable */
export async function takeStep(
  deps: InteractionStepDeps,
  opened: OpenedInteraction,
  event: InteractionEvent['type'],
  session: Session | null,
): Promise<InteractionStepOutcome> {
  const outcome = await decideStep(deps, opened, event, session);
  const sealed = () => opened.named.sealed;
  return outcome ? stepOutcome(deps, outcome, sealed) : { kind: 'refused', reason: 'interaction_unknown' };
}

/**
 * The authorization request itself is the first step: a live session or a remembered consent may already be enough. Nothing is
 * stored where they are not.
 * @returns `tooLong`: what was asked does not fit into the URL of a page.
 */
export async function beginInteraction(
  deps: InteractionStepDeps,
  begun: StoredInteraction,
  session: Session | null,
): Promise<InteractionStepOutcome | 'tooLong'> {
  const { state: _, userId: __, ...requested } = begun.interaction;
  const seal = () => sealInteraction(deps, requested);
  // Asked of every request, so that the same request is not refused to one browser and granted to another.
  if (!surelyFits(requested) && seal().length > MAX_SEALED_CHARACTERS) return 'tooLong';
  return stepOutcome(deps, await interactFrom(interactionWorld(deps), begun, 'requested', session), seal);
}

const interactionWorld = (deps: InteractionStepDeps): InteractionWorld => ({
  store: deps.interactions,
  sleep: deps.sleep,
  sessionNow: ({ idHash }) => findSession(deps, idHash),
  makeCode: (grantId) => authorizationCodeOf(deps.keys, grantId),
  remakeCode: (grantId, storedHash) => repeatedAuthorizationCode(deps.keys, grantId, storedHash),
  lifetimesOf: (client) => policyOf(deps.configuration(), client),
  sessionEndsAt: (session) => {
    const { signIn } = deps.configuration();
    return Math.min(sessionEndsAt(session, signIn), sessionIdleEndsAt(session, signIn));
  },
  levelOf: ({ amr }) => levelOf(authenticationClassOf(amr)),
  requiredLevelOf: ({ requiredClass }) => levelOf(requiredClass),
  isStillRegistered: (client, { redirectUri }) =>
    client.grantTypes.includes('authorization_code') && isRegisteredRedirectUri(client, redirectUri),
  grantableBy: ({ username }, interaction) => grantableScope(deps.configuration(), interaction, username),
});

/** Where the request names languages. */
export const spokenIn = ({ uiLocales }: Pick<Interaction, 'uiLocales'>): { readonly uiLocales?: readonly string[] } =>
  uiLocales.length === 0 ? {} : { uiLocales };

function stepOutcome(
  { issuer }: InteractionStepDeps,
  outcome: InteractionOutcome,
  seal: () => string | null,
): InteractionStepOutcome {
  const { interaction, client } = outcome;
  // Only a page needs it.
  const sealed = () => (outcome.isStored ? null : seal());
  const { redirectUri, responseMode, requestState: state } = interaction;
  const ids = { interactionId: interaction.id, clientId: client.clientId, ...spokenIn(interaction) };
  const to = { redirectUri, responseMode, state };
  switch (outcome.kind) {
    case 'signIn':
    case 'factor':
    case 'consent':
      return { kind: 'continued', ...ids, sealed: sealed(), reason: null };
    case 'signUp':
      return { kind: 'signUp', ...ids, sealed: sealed() };
    case 'approved':
      return { kind: 'approved', ...ids, response: authorizationResponse(issuer, to, { code: outcome.code }) };
    case 'denied': {
      const { error } = outcome;
      const content = { error, error_description: DENIED[error] };
      return { kind: 'denied', ...ids, error, response: authorizationResponse(issuer, to, content) };
    }
    case 'rejected':
      return rejected(outcome.reason, ids, sealed);
  }
}

function rejected(
  reason: Extract<InteractionOutcome, { kind: 'rejected' }>['reason'],
  ids: Ids,
  sealed: () => string | null,
) {
  switch (reason) {
    case 'sign_in_required':
    case 'factor_required':
    case 'user_changed':
      return { kind: 'continued', ...ids, sealed: sealed(), reason } as const;
    case 'interaction_expired':
    case 'interaction_completed':
    case 'client_ended':
      return { kind: 'refused', ...ids, reason } as const;
  }
}

const DENIED: Readonly<Record<AuthorizationRefusal, string>> = {
  // RFC 6749 §4.1.2.1. The server denies it where the end-user may grant nothing of what is asked for.
  access_denied: 'The resource owner or authorization server denied the request.',
  login_required:
    'The resource owner has to sign in: there is no sign-in, it was too long ago, too weak, or by another end-user.',
  consent_required: 'The resource owner has to consent.',
  unmet_authentication_requirements: 'The resource owner did not sign in as strongly as was asked for.',
};
