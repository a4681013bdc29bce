/** The pages of an interaction: sign-in, choice of account, consent. One function for each endpoint. */
import type { Configuration } from '../config/configuration.ts';
import { sameSecretBytes } from '../crypto/digest.ts';
import {
  type InteractionOutcome,
  identityIsAssured,
  type StoredInteraction,
} from '../lifecycles/interaction/lifecycle.ts';
import type { Client } from '../model/client.ts';
import type { Session } from '../model/session.ts';
import { leadsToThisDevice } from '../oauth/redirect-uri.ts';
import { wouldGoOnWhileAway } from './absence.ts';
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

export type InteractionDeps = InteractionStepDeps &
  SignInDeps & {
    /** @returns the hash of the image that was fetched from there; null: none can be shown. */
    readonly findLogo: (logoUri: string) => Promise<string | null>;
  };

export type InteractionRequest = {
  readonly id: string;
  /** As it stands in the URL; null: the URL has only the id, since the interaction is stored. */
  readonly sealed: string | null;
  /** Of the cookie that binds interactions to their browser. */
  readonly browser: CookieHash | null;
  readonly session: CookieHash | null;
};
export type FormRequest = InteractionRequest & { readonly isOurForm: FormCheck };

export type InteractionView = InteractionRefused | SignInView | FactorView | ConsentView;

type Shown = {
  readonly interactionId: string;
  /** Of the request: which languages the page may speak; absent: it names none. */
  readonly uiLocales?: readonly string[];
  /** For the URLs of the page; null: the interaction is stored. */
  readonly sealed: string | null;
  readonly formPurpose: string;
  readonly clientName: string;
};
export type SignInView = Shown & {
  readonly kind: 'signIn';
  readonly username: string;
  /** The username of the account to go on with, without a new sign-in; null: none is offered. */
  readonly account: string | null;
};
/** The page of the further factor: it asks for it, or leads to its set-up. */
export type FactorView = Shown & {
  readonly kind: 'factor';
  readonly opened: OpenedInteraction;
  readonly session: Session;
  /** The session awaits a second factor: the browser is not signed in. */
  readonly awaiting: boolean;
  /** What is asked for; null: what the account and the policy demand. */
  readonly requiredClass: string | null;
};
type ConsentView = Shown & {
  readonly kind: 'consent';
  readonly userId: string;
  readonly username: string;
  readonly redirectUri: string;
  /** What the client says of itself, where an operator has vetted it. `logo`: the hash of an image. */
  readonly about: { readonly logo: string | null; readonly terms: string | null; readonly policy: string | null };
  /** Every redirect URI of the client leads to the end-user's own device. */
  readonly onThisDevice: boolean;
  readonly access: readonly DescribedAccess[];
  /** The client will get refresh tokens. */
  readonly whileAway: boolean;
  /** For so long the client need not ask again for this; null: it asks each time, or there is no such end. */
  readonly rememberedForSeconds: number | null;
};

/** What the page shows now: the machine decides. @throws StoreUnavailable, Unavailable */
export async function viewInteraction(
  deps: InteractionDeps,
  { wantsAnotherAccount, ...request }: InteractionRequest & { readonly wantsAnotherAccount: boolean },
): Promise<InteractionView> {
  const any = await findAnySession(deps, request.session);
  const opened = await open(deps, request, any.session?.userId);
  if (opened.kind === 'refused') return opened;
  return viewOpened(deps, request, opened, any, wantsAnotherAccount ? 'switchRequested' : 'viewed');
}

/** A form of the page of the further factor was sent: what the page asks for now. @throws StoreUnavailable, Unavailable */
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
    };
  }
  if (outcome.kind === 'consent' && session !== null) {
    return {
      kind: 'consent',
      ...shown(outcome, request),
      userId: session.userId,
      username: session.username,
      redirectUri: interaction.redirectUri,
      about: await aboutClient(deps, client),
      onThisDevice: client.redirectUris.every(leadsToThisDevice),
      access: describeAccess(deps.configuration(), {
        scope: grantableScope(deps.configuration(), interaction, session.username),
        resources: interaction.resources,
      }),
      whileAway: wouldGoOnWhileAway(deps.configuration(), client, interaction),
      rememberedForSeconds: rememberedForSeconds(deps.configuration(), outcome),
    };
  }
  const reason = outcome.kind === 'rejected' ? outcome.reason : 'interaction_completed';
  // What the machine asks of a page is shown above; `sign_in_required` and `user_changed` are answers to forms.
  const isRefused = reason !== 'sign_in_required' && reason !== 'factor_required' && reason !== 'user_changed';
  return {
    kind: 'refused',
    interactionId: interaction.id,
    clientId: client.clientId,
    ...spokenIn(interaction),
    reason: isRefused ? reason : 'interaction_completed',
  };
}

/** What the guards `consentMayBeRemembered` and `consentIsRemembered` ask for. */
const rememberedForSeconds = (
  { policies }: Configuration,
  { client, interaction }: Pick<InteractionOutcome, 'client' | 'interaction'>,
): number | null =>
  identityIsAssured(client, interaction) && !interaction.scope.includes('offline_access')
    ? (policies.get(client.policy)?.consentLifetimeSeconds ?? null)
    : null;

/** A client that introduced itself could show the logo of another (RFC 7591 §5). */
async function aboutClient({ findLogo }: InteractionDeps, { registeredBy, logoUri, tosUri, policyUri }: Client) {
  if (registeredBy !== 'operator') return { logo: null, terms: null, policy: null };
  return { logo: logoUri === null ? null : await findLogo(logoUri), terms: tosUri, policy: policyUri };
}

export type InteractionSignInOutcome =
  /** The browser is signed in, whatever the machine made of the step. */
  | { readonly kind: 'signedIn'; readonly userId: string; readonly step: InteractionStepOutcome }
  /** The browser gets the cookie of a session that awaits a second factor; the page asks for it. */
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

/** The session of the page has ended, or does not suffice: the sign-in form is what remains. */
type SignInInstead = Pick<Shown, 'interactionId' | 'sealed'> & {
  readonly kind: 'signInInstead';
  readonly clientId: string;
};

/** prompt=select_account: to go on with the account that is signed in. @throws StoreUnavailable, Unavailable */
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
 * A further factor was proven, in a page of this interaction, or another way to sign in was used there.
 * @param event `signedIn`: it was a whole sign-in. @param session as it is now. @throws StoreUnavailable, Unavailable
 */
export const resumeInteraction = (
  deps: InteractionDeps,
  opened: OpenedInteraction,
  event: 'signedIn' | 'factorAdded',
  session: Session,
): Promise<InteractionStepOutcome> => takeStep(deps, opened, event, session);

/** With the session that the browser has. @throws StoreUnavailable, Unavailable */
export async function takeFormStep(
  deps: InteractionDeps,
  request: FormRequest,
  event: 'factorAdded' | 'factorDeclined',
): Promise<InteractionStepOutcome> {
  const { opened, any } = await openFormInSession(deps, request);
  return opened.kind === 'refused' ? opened : takeStep(deps, opened, event, signedIn(any));
}

/** Before anything else is looked at: whether the form is ours, and what the interaction asks for. @throws StoreUnavailable */
export const openInteractionForm = (
  deps: OpeningDeps,
  request: FormRequest,
): Promise<InteractionRefused | OpenedInteraction> => openForm(deps, request);

const EVENTS: ReadonlyMap<string | null, 'consented' | 'refused'> = new Map([
  ['approve', 'consented'],
  ['deny', 'refused'],
]);

/** @param decision `approve` or `deny`; our form sends nothing else. @throws StoreUnavailable, Unavailable */
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

/** What it takes to see which interaction a request is about. */
export type OpeningDeps = Pick<InteractionDeps, 'interactions' | 'keys'>;

export type InteractionForSignIn = {
  readonly kind: 'opened';
  readonly interaction: StoredInteraction['interaction'];
  readonly isStored: boolean;
};

/** For a sign-in at another place. @param isOurForm null: the page itself leads there, without a form. @throws StoreUnavailable */
export async function openForSignIn(
  deps: OpeningDeps,
  { isOurForm, ...request }: InteractionRequest & { readonly isOurForm: FormCheck | null },
): Promise<InteractionForSignIn | InteractionRefused> {
  const opened = await (isOurForm === null ? open(deps, request) : openForm(deps, { ...request, isOurForm }));
  if (opened.kind === 'refused') return opened;
  const { interaction, isStored, now, client } = opened.facts;
  if (now >= interaction.endsAt) {
    const { id: interactionId } = interaction;
    return { kind: 'refused', reason: 'interaction_expired', interactionId, clientId: client.clientId };
  }
  return { kind: 'opened', interaction, isStored };
}

/** The end-user has signed in at another place, in this browser. @throws StoreUnavailable, Unavailable */
export async function goOnSignedIn(
  deps: InteractionDeps,
  request: InteractionRequest,
  session: Session,
): Promise<InteractionStepOutcome> {
  const opened = await open(deps, request, session.userId);
  return opened.kind === 'refused' ? opened : takeStep(deps, opened, 'signedIn', session);
}

/** Where the browser is signed in. */
const signedIn = ({ session, awaiting }: AnySession): Session | null => (awaiting ? null : session);

/**
 * An interaction can only go on in the browser in which it began.
 * @param userId whose consent is read with it; null: the end-user is not known yet.
 */
async function open(
  { interactions, keys }: OpeningDeps,
  { id, sealed, browser }: InteractionRequest,
  userId: string | null = null,
): Promise<OpenedInteraction | InteractionRefused> {
  const requested = sealed === null ? null : openInteraction(keys, id, sealed);
  if (sealed !== null && requested === null) return { kind: 'refused', reason: 'interaction_unknown' };
  const named = { id, requested, sealed };
  const facts = await interactions.load(named, userId);
  if (!facts) return { kind: 'refused', reason: 'interaction_unknown' };
  if (browser === null || !sameSecretBytes(browser, facts.interaction.browserHash)) {
    return { kind: 'refused', reason: 'another_browser', interactionId: id, ...spokenIn(facts.interaction) };
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

/** With the session that the browser has. A form of another site does not use it. */
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
