/** One step of an interaction. The machine decides, and its outcome becomes the answer to the browser. */
import type { AuthorizationRefusal, InteractionEvent } from '../../machines/interaction/facts.ts';
import { type Configuration, policyOf } from '../config/configuration.ts';
import { authorizationCodeOf, repeatedAuthorizationCode } from '../crypto/authorization-code.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { ClientRegistrationPorts } from '../lifecycles/client-registration/lifecycle.ts';
import {
  type InteractionOutcome,
  type InteractionPorts,
  type InteractionReference,
  type InteractionStore,
  interactFrom,
  type StoredInteraction,
} from '../lifecycles/interaction/lifecycle.ts';
import type { Interaction, RequestedInteraction } from '../model/interaction.ts';
import { type Session, sessionEndsAt, sessionIdleEndsAt } from '../model/session.ts';
import { authenticationClassOf, classNamed, levelOf } from '../oauth/authentication-methods.ts';
import { isRegisteredRedirectUri } from '../oauth/redirect-uri.ts';
import { grantableScope } from './administrators.ts';
import { type AuthorizationResponse, authorizationResponse, type ResponseDeps } from './authorization-response.ts';
import { demandsSecondFactor, findSession, type SessionDeps } from './browser-session.ts';
import { keepRegistered } from './client-registration.ts';
import { MAX_SEALED_CHARACTERS, sealInteraction, surelyFits } from './sealed-interaction.ts';
import { type WayBack, wayBack } from './way-back.ts';

export type InteractionStepDeps = SessionDeps &
  ResponseDeps & {
    readonly keys: RootKeys;
    readonly interactions: InteractionStore;
  } & Pick<ClientRegistrationPorts, 'clientRegistrations'>;

export type InteractionStepOutcome = InteractionRefused | (Ids & (Continued | SignUp | Approved | Denied));

type Ids = {
  readonly interactionId: string;
  readonly clientId: string;
  /** The languages that the request names for the page. Absent: none. */
  readonly uiLocales?: readonly string[];
};
/** The page of the interaction shows the next step. */
type Continued = {
  readonly kind: 'continued';
  /** For the URL of the page. Null: the interaction is stored. */
  readonly sealed: string | null;
  /** The reason why the step did not count. Null: it counted. */
  readonly reason: 'sign_in_required' | 'factor_required' | 'user_changed' | null;
};
/** The browser goes to the sign-up page, which leads back to the page of the interaction. */
type SignUp = { readonly kind: 'signUp'; readonly sealed: string | null };
type Approved = { readonly kind: 'approved'; readonly response: AuthorizationResponse };
type Denied = {
  readonly kind: 'denied';
  readonly error: AuthorizationRefusal;
  readonly response: AuthorizationResponse;
};

/** Shown on a page. The client receives no response. */
export type InteractionRefused = Partial<Ids> & {
  readonly kind: 'refused';
  readonly reason:
    | 'interaction_unknown'
    | 'another_browser'
    | 'form_refused'
    | 'interaction_expired'
    | 'interaction_completed'
    | 'client_ended'
    | 'request_answered';
  /** For the page: the way back to the app. Absent: none is known. */
  readonly wayBack?: WayBack;
};

/**
 * An interaction as a request names it. `sealed`: the text in the URL. Null: the URL has no text, and the state is in a
 * row.
 */
type NamedInteraction = InteractionReference & { readonly sealed: string | null };

/** The interaction of a request, read once and passed from step to step. After that, only the engine reads it again. */
export type OpenedInteraction = {
  readonly kind: 'opened';
  readonly named: NamedInteraction;
  readonly facts: StoredInteraction;
  /** The end-user whose consent the facts contain. Null: they contain none. */
  readonly userId: string | null;
};

/**
 * Applies one event to an opened interaction. A sign-in names the end-user only after the interaction was opened, so
 * the consents of that end-user are read then.
 * @param factorIsAwaited the browser's session awaits a second factor, and `session` is null.
 * @returns null: the interaction was not found.
 * @throws Unavailable, StoreUnavailable
 */
export async function decideStep(
  deps: InteractionStepDeps,
  { named, facts, userId }: OpenedInteraction,
  event: InteractionEvent['type'],
  session: Session | null,
  factorIsAwaited = false,
): Promise<InteractionOutcome | null> {
  const isTheirs = session === null || session.userId === userId;
  // Without a session, a consent does not count.
  const remembered = session === null ? { remembered: null, consentRow: null } : {};
  const first = isTheirs ? { ...facts, ...remembered } : await deps.interactions.load(named, session.userId);
  return first && interactFrom(interactionPorts(deps), first, event, session, factorIsAwaited);
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
  return outcome
    ? stepOutcome(deps, outcome, sealed, opened.facts.now)
    : { kind: 'refused', reason: 'interaction_unknown' };
}

/**
 * The authorization request itself is the first step: an active session or a remembered consent may already be enough.
 * If they are not, the server still stores nothing.
 * @returns `tooLong`: the requested parameters do not fit into the URL of a page.
 */
export async function beginInteraction(
  deps: InteractionStepDeps,
  begun: StoredInteraction,
  session: Session | null,
): Promise<InteractionStepOutcome | 'tooLong'> {
  const { state: _, userId: __, ...requested } = begun.interaction;
  // Checked for every request, so that the server does not refuse one request to one browser and grant it to another.
  if (!fitsIntoUrl(deps, requested)) return 'tooLong';
  const seal = () => sealInteraction(deps, requested);
  const outcome = await interactFrom(interactionPorts(deps), begun, 'requested', session);
  return stepOutcome(deps, outcome, seal, begun.now);
}

/** Whether the requested parameters fit into the URL of a page. */
export const fitsIntoUrl = (
  deps: Pick<InteractionStepDeps, 'keys' | 'random'>,
  requested: RequestedInteraction,
): boolean => surelyFits(requested) || sealInteraction(deps, requested).length <= MAX_SEALED_CHARACTERS;

const interactionPorts = (deps: InteractionStepDeps): InteractionPorts => ({
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
  requiredLevelOf: ({ requiredClass, resources }, session) =>
    Math.max(levelOf(requiredClass), isOfDemanded(deps.configuration(), resources, session) ? SEVERAL_FACTORS : 0),
  isStillRegistered: (client, { redirectUri }) =>
    client.grantTypes.includes('authorization_code') && isRegisteredRedirectUri(client, redirectUri),
  grantableBy: ({ username }, interaction) => grantableScope(deps.configuration(), interaction, username),
});

const SEVERAL_FACTORS = levelOf(classNamed('multi-factor'));

/** The role, or the demand, can be newer than the session, which then has one factor. */
const isOfDemanded = (
  configuration: Configuration,
  resources: readonly string[],
  session: Pick<Session, 'username'> | null,
): boolean =>
  session !== null &&
  resources.includes(configuration.management.identifier) &&
  demandsSecondFactor(configuration, session.username);

/** The languages of the request, where it names some. */
export const spokenIn = ({ uiLocales }: Pick<Interaction, 'uiLocales'>): { readonly uiLocales?: readonly string[] } =>
  uiLocales.length === 0 ? {} : { uiLocales };

async function stepOutcome(
  deps: InteractionStepDeps,
  outcome: InteractionOutcome,
  seal: () => string | null,
  now: Date,
): Promise<InteractionStepOutcome> {
  const { interaction, client } = outcome;
  // Only a page needs it.
  const sealed = () => (outcome.isStored ? null : seal());
  const { redirectUri, responseMode, requestState: state } = interaction;
  const ids = { interactionId: interaction.id, clientId: client.clientId, ...spokenIn(interaction) };
  const back = () => wayBack(deps.issuer, client);
  const to = { client, redirectUri, responseMode, state, now };
  switch (outcome.kind) {
    case 'signIn':
    case 'factor':
    case 'consent':
      return { kind: 'continued', ...ids, sealed: sealed(), reason: null };
    case 'signUp':
      return { kind: 'signUp', ...ids, sealed: sealed() };
    case 'approved':
      await keepRegistered(deps, client);
      return { kind: 'approved', ...ids, response: await authorizationResponse(deps, to, { code: outcome.code }) };
    case 'denied': {
      const { error } = outcome;
      const content = { error, error_description: DENIED[error] };
      return { kind: 'denied', ...ids, error, response: await authorizationResponse(deps, to, content) };
    }
    case 'rejected':
      return rejected(outcome.reason, ids, sealed, back);
  }
}

function rejected(
  reason: Extract<InteractionOutcome, { kind: 'rejected' }>['reason'],
  ids: Ids,
  sealed: () => string | null,
  back: () => { readonly wayBack?: WayBack },
) {
  switch (reason) {
    case 'sign_in_required':
    case 'factor_required':
    case 'user_changed':
      return { kind: 'continued', ...ids, sealed: sealed(), reason } as const;
    case 'interaction_expired':
    case 'interaction_completed':
    case 'client_ended':
    case 'request_answered':
      return { kind: 'refused', ...ids, reason, ...back() } as const;
  }
}

const DENIED: Readonly<Record<AuthorizationRefusal, string>> = {
  // RFC 6749 §4.1.2.1. The server denies it where the end-user may grant nothing of what is asked for.
  access_denied: 'The resource owner or authorization server denied the request.',
  login_required:
    'The resource owner has to sign in: there is no sign-in, it was too long ago, too weak, or by another end-user.',
  consent_required: 'The resource owner has to consent.',
  unmet_authentication_requirements: 'The sign-in of the resource owner is weaker than the requested class.',
};
