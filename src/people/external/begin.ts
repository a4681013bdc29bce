/** The beginning of a federated or delegated sign-in. The server later compares the response with it. */
import { hmacSha256, sha256 } from '../../crypto/digest.ts';
import type { RootKeys } from '../../crypto/root-secret.ts';
import { IV_BYTES, openText, sealText } from '../../crypto/sealed-text.ts';
import type { ExternalSignIn, RequestedParameters } from '../../lifecycles/external-sign-in/entity.ts';
import type { NewExternalSignIn } from '../../lifecycles/external-sign-in/lifecycle.ts';
import type { Interaction } from '../../model/interaction.ts';
import { networksOf } from '../../model/networks.ts';
import type { CookieHash } from '../../protocol/browser-session.ts';
import type { ExternalSignInDeps } from './deps.ts';

/** The interaction that asks for the sign-in. */
export type AskingInteraction = {
  readonly id: string;
  /** As in the URL. Null: the interaction is stored. */
  readonly sealed: string | null;
  readonly endsAt: Date;
  readonly requested: RequestedParameters;
};

/** @param sealed null: the interaction is stored. */
export const askingInteraction = (interaction: Interaction, sealed: string | null): AskingInteraction => {
  const { id, endsAt, clientId, scope, loginHint, prompt, maxAgeSeconds, uiLocales, requiredClass } = interaction;
  const acrValues = requiredClass === null ? [] : [requiredClass];
  const asked = { clientId, scope, loginHint, prompt, maxAgeSeconds, uiLocales, acrValues, requiredClass };
  const requested = { ...NO_PARAMETERS, ...asked };
  return { id, sealed, endsAt, requested };
};

export type Beginning = {
  readonly browser: CookieHash;
  /** The throttle key of the sender. Addresses that count as one sender share it. */
  readonly address: string;
  /** Null: no client requested the sign-in. */
  readonly interaction: AskingInteraction | null;
  /** The end-user who adds an identity to their account. Null: a sign-in. */
  readonly linkTo: string | null;
  /** The requested parameters without an interaction. Null: none. */
  readonly requested: RequestedParameters | null;
};

export type Begun =
  | { readonly kind: 'begun'; readonly reference: string }
  /** This address has begun more sign-ins than users do. */
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number };

export const NO_PARAMETERS: RequestedParameters = {
  clientId: null,
  scope: [],
  loginHint: null,
  prompt: [],
  maxAgeSeconds: null,
  acrValues: [],
  requiredClass: null,
  uiLocales: [],
  destination: null,
};

/** @param again the identity provider has to authenticate the user again. */
export const requestedDirectly = (destination: string | null, again: boolean): RequestedParameters => ({
  ...NO_PARAMETERS,
  destination,
  prompt: again ? ['login'] : [],
});

export const requestedOf = ({
  interaction,
  requested,
}: Pick<Beginning, 'interaction' | 'requested'>): RequestedParameters =>
  interaction?.requested ?? requested ?? NO_PARAMETERS;

/** Each is a row until it ends. A whole office behind one address begins fewer. */
const BEGINNINGS_PER_ADDRESS = 2000;
const WINDOW_SECONDS = 900;
const REFERENCE_BYTES = 32;

/** The secrets of an authorization request to the identity provider. */
export type RequestSecrets = { readonly nonce: string; readonly codeVerifier: string };

/** @throws StoreUnavailable */
export async function beginExternalSignIn(
  deps: ExternalSignInDeps,
  place: Pick<NewExternalSignIn, 'kind' | 'provider' | 'lifetimeSeconds'> & { readonly secrets: RequestSecrets | null },
  beginning: Beginning,
): Promise<Begun> {
  const { browser, address, interaction, linkTo } = beginning;
  const networks = networksOf(address);
  const keys = networks.map(({ key }) => hmacSha256(deps.keys.first.key('throttle'), 'external sign-in\n', key));
  const begun = await deps.signInFailures.count(keys, WINDOW_SECONDS);
  if (networks.some(({ times }, at) => (begun[at] ?? 0) > BEGINNINGS_PER_ADDRESS * times))
    return { kind: 'throttled', retryAfterSeconds: WINDOW_SECONDS };
  const reference = deps.random.bytes(REFERENCE_BYTES).toString('base64url');
  const id = deps.random.uuid();
  const { kind, provider, lifetimeSeconds, secrets } = place;
  await deps.externalSignIns.insert({
    id,
    referenceHash: sha256(reference),
    kind,
    provider,
    lifetimeSeconds,
    purpose: linkTo === null ? 'signIn' : 'link',
    userId: linkTo,
    browserHash: browser,
    interactionId: interaction?.id ?? null,
    sealedInteraction: interaction?.sealed ?? null,
    interactionEndsAt: interaction?.endsAt ?? null,
    // It may identify a person, whom an erasure would not find here. The sealed interaction has it for later use.
    requested: { ...requestedOf(beginning), loginHint: null },
    sealedSecrets:
      secrets && sealText(deps.keys, 'external-sign-in', id, JSON.stringify(secrets), deps.random.bytes(IV_BYTES)),
  });
  return { kind: 'begun', reference };
}

const REFERENCE = /^[A-Za-z0-9_-]{43}$/;

/** @returns null for a text that is no reference of this server. */
export const referenceHash = (reference: string): Buffer | null =>
  REFERENCE.test(reference) ? sha256(reference) : null;

/** @returns null: the root secret that sealed them is no longer listed. */
export function secretsOf(keys: RootKeys, { id, sealedSecrets }: ExternalSignIn): RequestSecrets | null {
  const opened = sealedSecrets === null ? null : openText(keys, 'external-sign-in', id, sealedSecrets);
  return opened === null ? null : JSON.parse(opened);
}
