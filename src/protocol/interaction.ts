/** The pages of an interaction: sign-in, choice of account, consent. One function for each endpoint. */
import type { Configuration } from '../config/configuration.ts';
import { sameSecretBytes } from '../crypto/digest.ts';
import {
  type InteractionOutcome,
  identityIsAssured,
  type StoredInteraction,
} from '../lifecycles/interaction/lifecycle.ts';
import { type Client, documentOriginOf, introductionOf } from '../model/client.ts';
import type { Interaction } from '../model/interaction.ts';
import type { Session } from '../model/session.ts';
import { leadsToThisDevice } from '../oauth/redirect-uri.ts';
import { wouldContinueWhileAway } from './absence.ts';
import { grantableScope } from './administrators.ts';
import { type AnySession, type CookieHash, findAnySession, type SessionDeps } from './browser-session.ts';
import { type FormCheck, formPurpose } from './form-purpose.ts';
import {
  decideStep,
  type InteractionRefused,
  type InteractionStepDeps,
  type InteractionStepOutcome,
  type OpenedInteraction,
  spokenIn,
  takeStep,
} from './interaction-step.ts';
import { type DescribedAccess, describeAccess } from './requested-access.ts';
import { openInteraction } from './sealed-interaction.ts';
import { type SignInDeps, type SignInForm, type SignInOutcome, signIn } from './sign-in.ts';
import { wayBack } from './way-back.ts';

export type InteractionDeps = InteractionStepDeps &
  SignInDeps & {
    /** @returns the hash of the image that the server fetched from there. Null: it can show none. */
    readonly findLogo: (logoUri: string) => Promise<string | null>;
  };

export type InteractionRequest = {
  readonly id: string;
  /** As it stands in the URL. Null: the URL has only the id, because the interaction is stored. */
  readonly sealed: string | null;
  /** The hash of the cookie that binds interactions to their browser. */
  readonly browser: CookieHash | null;
  readonly session: CookieHash | null;
};
export type FormRequest = InteractionRequest & { readonly isOurForm: FormCheck };

export type InteractionView = InteractionRefused | SignInView | FactorView | ConsentView;

type Shown = {
  readonly interactionId: string;
  /** The languages that the request names for the page. Absent: none. */
  readonly uiLocales?: readonly string[];
  /** For the URLs of the page. Null: the interaction is stored. */
  readonly sealed: string | null;
  readonly formPurpose: string;
  readonly clientName: string;
};
export type SignInView = Shown & {
  readonly kind: 'signIn';
  readonly username: string;
  /**
   * The username of the account with which the user can continue, without a new sign-in. Null: the page offers none.
   */
  readonly account: string | null;
  /** The signed-in user, who has to sign in again. Null: none, or another user may be meant. */
  readonly again: Pick<Session, 'userId' | 'username'> | null;
};
/** The page of the additional factor. It asks for the factor, or leads to its set-up. */
export type FactorView = Shown & {
  readonly kind: 'factor';
  readonly opened: OpenedInteraction;
  readonly session: Session;
  /** The session awaits a second factor: the browser is not signed in. */
  readonly awaiting: boolean;
  /** The requested class. Null: the class that the account and the policy demand. */
  readonly requiredClass: string | null;
};
export type ConsentView = Shown & {
  readonly kind: 'consent';
  readonly userId: string;
  readonly username: string;
  readonly redirectUri: string;
  /** The client's description of itself, where an operator has vetted it. `logo`: the hash of an image. */
  readonly about: { readonly logo: string | null; readonly terms: string | null; readonly policy: string | null };
  /** The origin where a client describes itself, which no operator vetted. Null: an operator registered the client. */
  readonly describedAt: string | null;
  /** The client registered itself, and no operator vetted it. */
  readonly registeredItself: boolean;
  /** Every redirect URI of the client leads to the end-user's own device; of a client that no operator vetted, this one does. */
  readonly onThisDevice: boolean;
  readonly access: readonly DescribedAccess[];
  /** The client will receive refresh tokens. */
  readonly whileAway: boolean;
  /**
   * The time, in seconds, for which the client need not ask again for this. Null: it asks each time, or the consent has
   * no end.
   */
  readonly rememberedForSeconds: number | null;
};

/** The current page of the interaction, as the machine decides. @throws StoreUnavailable, Unavailable */
export async function viewInteraction(
  deps: InteractionDeps,
  { wantsAnotherAccount, ...request }: InteractionRequest & { readonly wantsAnotherAccount: boolean },
): Promise<InteractionView> {
  const any = await findAnySession(deps, request.session);
  const opened = await open(deps, request, any.session?.userId);
  if (opened.kind === 'refused') return opened;
  return viewOpened(deps, request, opened, any, wantsAnotherAccount ? 'switchRequested' : 'viewed');
}

/** Opens the interaction for a form of the page of the additional factor. @throws StoreUnavailable, Unavailable */
export async function openFactorForm(deps: InteractionDeps, request: FormRequest): Promise<InteractionView> {
  const { opened, any } = await openFormInSession(deps, request);
  return opened.kind === 'refused' ? opened : viewOpened(deps, request, opened, any, 'viewed');
}

async function viewOpened(
  deps: InteractionDeps,
  request: InteractionRequest,
  opened: OpenedInteraction,
  any: AnySession,
  event: 'viewed' | 'switchRequested',
): Promise<InteractionView> {
  const session = signedIn(any);
  const outcome = await decideStep(deps, opened, event, session, any.awaiting);
  if (outcome === null) return { kind: 'refused', reason: 'interaction_unknown' };
  const { interaction, client } = outcome;
  if (outcome.kind === 'factor' && any.session !== null) {
    const { requiredClass } = interaction;
    const { session, awaiting } = any;
    return { kind: 'factor', ...shown(outcome, request), opened, session, awaiting, requiredClass };
  }
  if (outcome.kind === 'signIn') {
    return {
      kind: 'signIn',
      ...shown(outcome, request),
      username: interaction.loginHint ?? '',
      account: outcome.account?.username ?? null,
      again: event === 'viewed' && signsInAgain(interaction, session) ? session : null,
    };
  }
  if (outcome.kind === 'consent' && session !== null) {
    const introduction = introductionOf(client);
    return {
      kind: 'consent',
      ...shown(outcome, request),
      userId: session.userId,
      username: session.username,
      redirectUri: interaction.redirectUri,
      about: await aboutClient(deps, client),
      describedAt: documentOriginOf(client),
      registeredItself: introduction === 'dynamicRegistration',
      onThisDevice:
        client.redirectUris.every(leadsToThisDevice) ||
        (introduction !== null && leadsToThisDevice(interaction.redirectUri)),
      access: describeAccess(deps.configuration(), {
        scope: grantableScope(deps.configuration(), interaction, session.username),
        resources: interaction.resources,
      }),
      whileAway: wouldContinueWhileAway(deps.configuration(), client, interaction),
      rememberedForSeconds: rememberedForSeconds(deps.configuration(), outcome),
    };
  }
  const reason = outcome.kind === 'rejected' ? outcome.reason : 'interaction_completed';
  // The code above shows each page that the machine asks for. `sign_in_required` and `user_changed` are answers to
  // forms.
  const isRefused = reason !== 'sign_in_required' && reason !== 'factor_required' && reason !== 'user_changed';
  return {
    kind: 'refused',
    interactionId: interaction.id,
    clientId: client.clientId,
    ...spokenIn(interaction),
    reason: isRefused ? reason : 'interaction_completed',
    ...wayBack(deps.issuer, client),
  };
}

/** A client that wants the account to be chosen, or names another, does not mean the signed-in user. */
const signsInAgain = ({ prompt, hintedUserId, loginHint }: Interaction, session: Session | null): boolean =>
  session !== null &&
  loginHint === null &&
  !prompt.includes('select_account') &&
  (hintedUserId === null || hintedUserId === session.userId);

/** The same limit as in the guards `consentMayBeRemembered` and `consentIsRemembered`. */
const rememberedForSeconds = (
  { policies }: Configuration,
  { client, interaction }: Pick<InteractionOutcome, 'client' | 'interaction'>,
): number | null =>
  identityIsAssured(client, interaction) && !interaction.scope.includes('offline_access')
    ? (policies.get(client.policy)?.consentLifetimeSeconds ?? null)
    : null;

/** A self-registered client could show the logo of another client (RFC 7591 §5). */
async function aboutClient({ findLogo }: InteractionDeps, { registeredBy, logoUri, tosUri, policyUri }: Client) {
  if (registeredBy !== 'operator') return { logo: null, terms: null, policy: null };
  return { logo: logoUri === null ? null : await findLogo(logoUri), terms: tosUri, policy: policyUri };
}

export type InteractionSignInOutcome =
  /** The browser is signed in, whichever answer the machine gave to the step. */
  | { readonly kind: 'signedIn'; readonly userId: string; readonly step: InteractionStepOutcome }
  /** The browser gets the cookie of a session that awaits a second factor. The page asks for that factor. */
  | ({ readonly kind: 'factorRequired'; readonly userId: string } & Pick<Shown, 'interactionId' | 'sealed'>)
  | { readonly kind: 'signInRefused'; readonly refused: RefusedSignIn; readonly view: SignInView }
  | InteractionRefused;
type RefusedSignIn = Extract<SignInOutcome, { kind: 'signInRefused' }>;

/** @throws StoreUnavailable, Unavailable */
export async function signInToInteraction(
  deps: InteractionDeps,
  { form, ...request }: FormRequest & { readonly form: SignInForm },
): Promise<InteractionSignInOutcome> {
  const opened = await openForm(deps, request);
  if (opened.kind === 'refused') return opened;
  const { requiredClass } = opened.facts.interaction;
  const outcome = await signIn(deps, { ...form, requiredClass });
  if (outcome.kind === 'signInRefused') {
    const view = {
      kind: 'signIn',
      ...shown(opened.facts, request),
      username: outcome.username,
      account: null,
      again: null,
    } as const;
    return { kind: 'signInRefused', refused: outcome, view };
  }
  const { session } = outcome;
  if (outcome.kind === 'factorRequired') {
    const { interactionId, sealed } = shown(opened.facts, request);
    return { kind: 'factorRequired', userId: session.userId, interactionId, sealed };
  }
  return { kind: 'signedIn', userId: session.userId, step: await takeStep(deps, opened, 'signedIn', session) };
}

/** The session of the page has ended, or does not suffice: the page shows the sign-in form. */
type SignInInstead = Pick<Shown, 'interactionId' | 'sealed'> & {
  readonly kind: 'signInInstead';
  readonly clientId: string;
};

/** prompt=select_account: continues with the signed-in account. @throws StoreUnavailable, Unavailable */
export async function chooseAccount(
  deps: InteractionDeps,
  request: FormRequest,
): Promise<InteractionStepOutcome | SignInInstead> {
  const { opened, any } = await openFormInSession(deps, request);
  if (opened.kind === 'refused') return opened;
  const step = await takeStep(deps, opened, 'accountChosen', signedIn(any));
  if (step.kind !== 'continued' || step.reason !== 'sign_in_required') return step;
  const { interactionId, sealed, clientId } = step;
  return { kind: 'signInInstead', interactionId, sealed, clientId };
}

/**
 * The user proved an additional factor in a page of this interaction, or signed in there by another method.
 * @param event `signedIn`: it was a complete sign-in.
 * @param session in its present state.
 * @throws StoreUnavailable, Unavailable
 */
export const resumeInteraction = (
  deps: InteractionDeps,
  opened: OpenedInteraction,
  event: 'signedIn' | 'factorAdded',
  session: Session,
): Promise<InteractionStepOutcome> => takeStep(deps, opened, event, session);

/** Takes a step with the browser's session. @throws StoreUnavailable, Unavailable */
export async function takeFormStep(
  deps: InteractionDeps,
  request: FormRequest,
  event: 'factorAdded' | 'factorDeclined',
): Promise<InteractionStepOutcome> {
  const { opened, any } = await openFormInSession(deps, request);
  return opened.kind === 'refused' ? opened : takeStep(deps, opened, event, signedIn(any));
}

/** Checks first that this server created the form. @returns the interaction of the form. @throws StoreUnavailable */
export const openInteractionForm = (
  deps: OpeningDeps,
  request: FormRequest,
): Promise<InteractionRefused | OpenedInteraction> => openForm(deps, request);

const EVENTS: ReadonlyMap<string | null, 'consented' | 'refused'> = new Map([
  ['approve', 'consented'],
  ['deny', 'refused'],
]);

/** @param decision `approve` or `deny`, the values of the server's form. @throws StoreUnavailable, Unavailable */
export async function decideConsent(
  deps: InteractionDeps,
  { decision, ...request }: FormRequest & { readonly decision: string | null },
): Promise<InteractionStepOutcome> {
  const { opened, any } = await openFormInSession(deps, request);
  if (opened.kind === 'refused') return opened;
  const event = EVENTS.get(decision);
  if (!event) return refusedForm(opened.facts, request.id);
  return takeStep(deps, opened, event, signedIn(any));
}

/** The dependencies that find the interaction of a request. */
export type OpeningDeps = Pick<InteractionDeps, 'interactions' | 'keys' | 'issuer'>;

export type InteractionForSignIn = {
  readonly kind: 'opened';
  readonly interaction: StoredInteraction['interaction'];
  readonly isStored: boolean;
};

/** @param isOurForm null: the page itself leads there, without a form. */
type SignInRequest = InteractionRequest & { readonly isOurForm: FormCheck | null };

/** Opens the interaction for a federated or delegated sign-in. @throws StoreUnavailable */
export async function openForSignIn(
  deps: OpeningDeps,
  request: SignInRequest,
): Promise<InteractionForSignIn | InteractionRefused> {
  const opened = await openInTime(deps, request);
  if (opened.kind === 'refused') return opened;
  const { interaction, isStored } = opened.facts;
  return { kind: 'opened', interaction, isStored };
}

/** @returns an interaction that has not ended. @throws StoreUnavailable */
export async function openInTime(
  deps: OpeningDeps,
  { isOurForm, ...request }: SignInRequest,
): Promise<OpenedInteraction | InteractionRefused> {
  const opened = await (isOurForm === null ? open(deps, request) : openForm(deps, { ...request, isOurForm }));
  if (opened.kind === 'refused') return opened;
  const { interaction, now, client } = opened.facts;
  if (now < interaction.endsAt) return opened;
  const { id: interactionId } = interaction;
  const back = wayBack(deps.issuer, client);
  return { kind: 'refused', reason: 'interaction_expired', interactionId, clientId: client.clientId, ...back };
}

/**
 * The end-user has completed a federated or delegated sign-in in this browser. @throws StoreUnavailable, Unavailable
 */
export async function resumeSignedIn(
  deps: InteractionDeps,
  request: InteractionRequest,
  session: Session,
): Promise<InteractionStepOutcome> {
  const opened = await open(deps, request, session.userId);
  return opened.kind === 'refused' ? opened : takeStep(deps, opened, 'signedIn', session);
}

/** The session, where the browser is signed in. */
const signedIn = ({ session, awaiting }: AnySession): Session | null => (awaiting ? null : session);

/**
 * An interaction can only continue in the browser in which it began.
 * @param userId of the end-user whose consents are read with it. Null: the end-user is not known yet.
 */
async function open(
  { interactions, keys, issuer }: OpeningDeps,
  { id, sealed, browser }: InteractionRequest,
  userId: string | null = null,
): Promise<OpenedInteraction | InteractionRefused> {
  const requested = sealed === null ? null : openInteraction(keys, id, sealed);
  if (sealed !== null && requested === null) return { kind: 'refused', reason: 'interaction_unknown' };
  const named = { id, requested, sealed };
  const facts = await interactions.load(named, userId);
  if (!facts) return { kind: 'refused', reason: 'interaction_unknown' };
  if (browser === null || !sameSecretBytes(browser, facts.interaction.browserHash)) {
    // The request named the client in the clear, and the link says nothing about an end-user.
    const back = wayBack(issuer, facts.client);
    return {
      kind: 'refused',
      reason: 'another_browser',
      interactionId: id,
      ...spokenIn(facts.interaction),
      ...back,
    };
  }
  return { kind: 'opened', named, facts, userId };
}

const isOurs = ({ isOurForm, id }: FormRequest): boolean => isOurForm(formPurpose.interaction(id));

async function openForm(
  deps: OpeningDeps,
  request: FormRequest,
  userId: string | null = null,
): Promise<OpenedInteraction | InteractionRefused> {
  const opened = await open(deps, request, userId);
  return opened.kind === 'refused' || isOurs(request) ? opened : refusedForm(opened.facts, request.id);
}

/** Opens the interaction with the browser's session. A form of another site does not use the session. */
async function openFormInSession(deps: OpeningDeps & SessionDeps, request: FormRequest) {
  const any = await findAnySession(deps, isOurs(request) ? request.session : null);
  return { any, opened: await openForm(deps, request, any.session?.userId) };
}

const refusedForm = ({ interaction }: StoredInteraction, interactionId: string): InteractionRefused => ({
  kind: 'refused',
  reason: 'form_refused',
  interactionId,
  ...spokenIn(interaction),
});

const shown = (
  { interaction, isStored, client }: Pick<StoredInteraction, 'interaction' | 'isStored' | 'client'>,
  { sealed }: InteractionRequest,
): Shown => ({
  interactionId: interaction.id,
  ...spokenIn(interaction),
  sealed: isStored ? null : sealed,
  formPurpose: formPurpose.interaction(interaction.id),
  clientName: client.clientName,
});
