/** The pages of an interaction: sign-in, choice of account, consent. One function for each endpoint. */
import { sameSecretBytes } from '../crypto/digest.ts';
import { interact, type StoredInteraction } from '../lifecycles/interaction.ts';
import { leadsToThisDevice } from '../oauth/redirect-uri.ts';
import { wouldGoOnWhileAway } from './absence.ts';
import { type CookieHash, findSession } from './browser-session.ts';
import { type FormCheck, formPurpose } from './form-purpose.ts';
import {
  type InteractionRefused,
  type InteractionStepDeps,
  type InteractionStepOutcome,
  interactionWorld,
  type NamedInteraction,
  takeStep,
} from './interaction-step.ts';
import { type DescribedAccess, describeAccess } from './requested-access.ts';
import { openInteraction } from './sealed-interaction.ts';
import { type SignInDeps, type SignInForm, type SignInOutcome, signIn } from './sign-in.ts';

export type InteractionDeps = InteractionStepDeps & SignInDeps;

export type InteractionRequest = {
  readonly id: string;
  /** As it stands in the URL; null: the URL has only the id, since the interaction is stored. */
  readonly sealed: string | null;
  /** Of the cookie that binds interactions to their browser. */
  readonly browser: CookieHash | null;
  readonly session: CookieHash | null;
};
type FormRequest = InteractionRequest & { readonly isOurForm: FormCheck };

export type InteractionView = InteractionRefused | SignInView | ConsentView;

type Shown = {
  readonly interactionId: string;
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
type ConsentView = Shown & {
  readonly kind: 'consent';
  readonly username: string;
  readonly redirectUri: string;
  /** Every redirect URI of the client leads to the end-user's own device. */
  readonly onThisDevice: boolean;
  readonly access: readonly DescribedAccess[];
  /** The client will get refresh tokens. */
  readonly whileAway: boolean;
};

/** What the page shows now: the machine decides. @throws StoreUnavailable, Unavailable */
export async function viewInteraction(
  deps: InteractionDeps,
  { wantsAnotherAccount, ...request }: InteractionRequest & { readonly wantsAnotherAccount: boolean },
): Promise<InteractionView> {
  const session = await findSession(deps, request.session);
  const opened = await open(deps, request);
  if (opened.kind === 'refused') return opened;
  const event = wantsAnotherAccount ? 'switchRequested' : 'viewed';
  const outcome = await interact(interactionWorld(deps), opened.named, event, session);
  if (outcome === null) return { kind: 'refused', reason: 'interaction_unknown' };
  const { interaction, client } = outcome;
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
      username: session.username,
      redirectUri: interaction.redirectUri,
      onThisDevice: client.redirectUris.every(leadsToThisDevice),
      access: describeAccess(deps.configuration(), interaction),
      whileAway: wouldGoOnWhileAway(deps.configuration(), client, interaction),
    };
  }
  const reason = outcome.kind === 'rejected' ? outcome.reason : 'interaction_completed';
  // What the machine asks of a page is shown above; `sign_in_required` and `user_changed` are answers to forms.
  const isRefused = reason !== 'sign_in_required' && reason !== 'user_changed';
  return {
    kind: 'refused',
    interactionId: interaction.id,
    clientId: client.clientId,
    reason: isRefused ? reason : 'interaction_completed',
  };
}

export type InteractionSignInOutcome =
  /** The browser is signed in, whatever the machine made of the step. */
  | { readonly kind: 'signedIn'; readonly userId: string; readonly step: InteractionStepOutcome }
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
  const outcome = await signIn(deps, form);
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
  return { kind: 'signedIn', userId: session.userId, step: await takeStep(deps, opened.named, 'signedIn', session) };
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
  const opened = await openForm(deps, request);
  if (opened.kind === 'refused') return opened;
  const step = await takeStep(deps, opened.named, 'accountChosen', await findSession(deps, request.session));
  if (step.kind !== 'continued' || step.reason !== 'sign_in_required') return step;
  const { interactionId, sealed, clientId } = step;
  return { kind: 'signInInstead', interactionId, sealed, clientId };
}

const EVENTS: ReadonlyMap<string | null, 'consented' | 'refused'> = new Map([
  ['approve', 'consented'],
  ['deny', 'refused'],
]);

/** @param decision `approve` or `deny`; our form sends nothing else. @throws StoreUnavailable, Unavailable */
export async function decideConsent(
  deps: InteractionDeps,
  { decision, ...request }: FormRequest & { readonly decision: string | null },
): Promise<InteractionStepOutcome> {
  const opened = await openForm(deps, request);
  if (opened.kind === 'refused') return opened;
  const event = EVENTS.get(decision);
  if (!event) return { kind: 'refused', reason: 'form_refused', interactionId: request.id };
  return takeStep(deps, opened.named, event, await findSession(deps, request.session));
}

type Opened = {
  readonly kind: 'opened';
  readonly named: NamedInteraction;
  readonly facts: StoredInteraction;
};

/** An interaction can only go on in the browser in which it began. */
async function open(
  { interactions, keys }: InteractionDeps,
  { id, sealed, browser }: InteractionRequest,
): Promise<Opened | InteractionRefused> {
  const requested = sealed === null ? null : openInteraction(keys, id, sealed);
  if (sealed !== null && requested === null) return { kind: 'refused', reason: 'interaction_unknown' };
  const named = { id, requested, sealed };
  // What an end-user has allowed before is loaded by the step that asks for it.
  const facts = await interactions.load(named, null);
  if (!facts) return { kind: 'refused', reason: 'interaction_unknown' };
  if (browser === null || !sameSecretBytes(browser, facts.interaction.browserHash)) {
    return { kind: 'refused', reason: 'another_browser', interactionId: id };
  }
  return { kind: 'opened', named, facts };
}

async function openForm(deps: InteractionDeps, request: FormRequest): Promise<Opened | InteractionRefused> {
  const opened = await open(deps, request);
  if (opened.kind === 'refused' || request.isOurForm(formPurpose.interaction(request.id))) return opened;
  return { kind: 'refused', reason: 'form_refused', interactionId: request.id };
}

const shown = (
  { interaction, isStored, client }: Pick<StoredInteraction, 'interaction' | 'isStored' | 'client'>,
  { sealed }: InteractionRequest,
): Shown => ({
  interactionId: interaction.id,
  sealed: isStored ? null : sealed,
  formPurpose: formPurpose.interaction(interaction.id),
  clientName: client.clientName,
});
