/** The authorization request (OAuth 2.1 §4.1.1): verify client and redirect URI → check the rest → begin an interaction. */
import { readIdTokenHint } from '../crypto/id-token-hint.ts';
import type { KeyRing } from '../crypto/signing-keys.ts';
import { begunInteraction } from '../lifecycles/interaction/lifecycle.ts';
import { errorDescription } from '../oauth/errors.ts';
import { asQuery, parseParameters } from '../oauth/parameters.ts';
import { supportedPrompts } from '../oauth/prompt.ts';
import { uiLocalesIn } from '../oauth/ui-locales.ts';
import {
  AUTHORIZATION_PARAMETERS,
  checkAuthorizationRequest,
  type RedirectedError,
  responseModeOf,
  type UnverifiedRequest,
  verifyClientAndRedirectUri,
} from './authorization-request.ts';
import { type AuthorizationResponse, authorizationResponse } from './authorization-response.ts';
import { type CookieHash, findSession, type SessionDeps } from './browser-session.ts';
import { beginInteraction, type InteractionStepDeps, type InteractionStepOutcome } from './interaction-step.ts';
import { type SignUpFacts, signUpIsOpen } from './sign-up-is-open.ts';

export type AuthorizeDeps = InteractionStepDeps &
  SessionDeps &
  SignUpFacts & {
    readonly keyRing: KeyRing;
    /** Null: no end-user has the `sub`. */
    readonly idOfSub: (sub: string) => Promise<string | null>;
  };

export type AuthorizationCall = {
  /** As sent: the query, or the form body. */
  readonly encoded: string;
  /** Null: the browser could not send its cookies, because the client's site made it POST. */
  readonly cookies: {
    /** The browser to which the interaction is bound. */
    readonly browser: CookieHash;
    readonly session: CookieHash | null;
  } | null;
};

export type AuthorizeOutcome =
  | UnverifiedRequest
  | {
      readonly kind: 'invalid';
      readonly response: AuthorizationResponse;
      readonly clientId: string;
      readonly reason: string;
      readonly detail: string;
      readonly scope?: string;
    }
  /** For a page: the error of a self-registered client, which receives no redirect before the end-user has acted. */
  | {
      readonly kind: 'shownLocally';
      readonly clientId: string;
      readonly interactionId?: string;
      readonly reason: string;
      readonly detail: string;
      readonly scope?: string;
    }
  /** The browser has to repeat the same request by GET, with cookies. */
  | { readonly kind: 'repeatByGet'; readonly query: string }
  | InteractionStepOutcome;

/** `userId` of an unknown `sub`: the `sub`, which is the id of no end-user. */
async function hintIn({ keyRing, issuer, idOfSub }: AuthorizeDeps, idToken: string) {
  const hint = await readIdTokenHint(keyRing, issuer, idToken);
  return hint && { userId: (await idOfSub(hint.sub)) ?? hint.sub, aud: hint.aud };
}

/** @throws StoreUnavailable, Unavailable */
export async function handleAuthorizationRequest(
  deps: AuthorizeDeps,
  { encoded, cookies }: AuthorizationCall,
): Promise<AuthorizeOutcome> {
  const reading = parseParameters(encoded, AUTHORIZATION_PARAMETERS);
  const verified = await verifyClientAndRedirectUri(reading, (clientId) =>
    deps.interactions.loadRequest({ clientId, sessionIdHash: cookies?.session ?? null }),
  );
  if (verified.kind === 'unverified') return verified;
  const { client, redirectUri } = verified;
  const { parameters } = reading;
  const state = parameters.get('state');
  const responseMode = responseModeOf(parameters);

  const configuration = deps.configuration();
  const checked = await checkAuthorizationRequest(
    reading,
    client,
    configuration,
    supportedPrompts(signUpIsOpen(deps)),
    (idToken) => hintIn(deps, idToken),
  );
  // RFC 9700 §4.11.2: a client that no operator vetted could send browsers to its site by a request with an error.
  const isVetted = client.registeredBy === 'operator';
  const refuse = ({ error, reason, description: detail, scope }: RedirectedError): AuthorizeOutcome => {
    const facts = { clientId: client.clientId, reason, detail, ...(scope !== undefined && { scope }) };
    if (!isVetted) return { kind: 'shownLocally', ...facts };
    const content = { error, error_description: errorDescription(detail) };
    const response = authorizationResponse(deps.issuer, { redirectUri, responseMode, state }, content);
    return { kind: 'invalid', response, ...facts };
  };
  if (checked.kind === 'error') return refuse(checked);
  if (cookies === null) return { kind: 'repeatByGet', query: asQuery(parameters, AUTHORIZATION_PARAMETERS) };

  const session = await findSession(deps, cookies.session, verified);
  const interaction = {
    id: deps.random.uuid(),
    browserHash: cookies.browser,
    clientId: client.clientId,
    clientEpoch: client.epoch,
    redirectUri,
    codeChallenge: checked.codeChallenge,
    dpopJkt: checked.dpopJkt,
    scope: checked.access.scope,
    resources: checked.access.resources,
    requestState: state,
    nonce: checked.nonce,
    prompt: checked.prompt,
    maxAgeSeconds: checked.maxAgeSeconds,
    requiredClass: checked.requiredClass,
    hintedUserId: checked.hintedUserId,
    loginHint: checked.loginHint,
    uiLocales: uiLocalesIn(encoded),
    responseMode,
    lifetimeSeconds: configuration.signIn.interactionLifetimeSeconds,
  };
  const begun = await beginInteraction(deps, begunInteraction(interaction, verified, session), session);
  if (begun === 'tooLong') return refuse(REQUEST_TOO_LONG);
  if (begun.kind !== 'denied' || isVetted) return begun;
  const { clientId, interactionId, error, response } = begun;
  return {
    kind: 'shownLocally',
    clientId,
    interactionId,
    reason: error,
    detail: response.parameters['error_description'] ?? error,
  };
}

const REQUEST_TOO_LONG: RedirectedError = {
  kind: 'error',
  error: 'invalid_request',
  reason: 'request_too_long',
  description: 'the parameters are too long together; state, nonce and login_hint can be shorter',
};
