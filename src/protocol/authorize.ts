/**
 * The authorization request (OAuth 2.1 §4.1.1): verify client and redirect URI → check the rest → begin an interaction. The parameters come
 * with the browser, or its `request_uri` names those that the client pushed (RFC 9126 §4).
 */
import { readIdTokenHint } from '../crypto/id-token-hint.ts';
import { begunInteraction, type LoadedRequest, type NewInteraction } from '../lifecycles/interaction/lifecycle.ts';
import { type PushedRequestPorts, spendPushedRequest } from '../lifecycles/pushed-request/lifecycle.ts';
import { type Client, hasKeys } from '../model/client.ts';
import { errorDescription } from '../oauth/errors.ts';
import { asQuery, parseParameters } from '../oauth/parameters.ts';
import { supportedPrompts } from '../oauth/prompt.ts';
import { uiLocalesIn } from '../oauth/ui-locales.ts';
import {
  AUTHORIZATION_PARAMETERS,
  type AuthorizationReading,
  type AuthorizationRequest,
  checkAuthorizationRequest,
  type RedirectedError,
  responseModeOf,
  type UnverifiedRequest,
  verifyClientAndRedirectUri,
} from './authorization-request.ts';
import { type AuthorizationResponse, authorizationResponse } from './authorization-response.ts';
import { type CookieHash, findSession, type SessionDeps } from './browser-session.ts';
import { type DescribedClientDeps, type DocumentRefused, describeClient } from './described-client.ts';
import { beginInteraction, type InteractionStepDeps, type InteractionStepOutcome } from './interaction-step.ts';
import { mustPush, openPushed, type PushedRefused } from './pushed-parameters.ts';
import { mustSign, openRequestObject, type RequestObjectDeps, type RequestObjectRefused } from './request-object.ts';
import { type SignUpFacts, signUpIsOpen } from './sign-up-is-open.ts';

export type CheckingDeps = Pick<InteractionStepDeps, 'issuer' | 'configuration' | 'keyRing'> &
  RequestObjectDeps &
  SignUpFacts & {
    /** Null: no end-user has the `sub`. */
    readonly idOfSub: (sub: string) => Promise<string | null>;
  };

export type AuthorizeDeps = InteractionStepDeps & SessionDeps & CheckingDeps & PushedRequestPorts & DescribedClientDeps;

export type AuthorizationCall = {
  /** The throttle key of the sender. */
  readonly address: () => string;
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
  | PushedRefused
  | RequestObjectRefused
  | DocumentRefused
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
async function hintIn({ keyRing, issuer, idOfSub }: CheckingDeps, idToken: string) {
  const hint = await readIdTokenHint(keyRing, issuer, idToken);
  return hint && { userId: (await idOfSub(hint.sub)) ?? hint.sub, aud: hint.aud };
}

/** The same for a request that a browser brings, and for one that a client pushes. @throws StoreUnavailable */
export const checkRequest = (deps: CheckingDeps, reading: AuthorizationReading, client: Client) =>
  checkAuthorizationRequest(reading, client, deps.configuration(), supportedPrompts(signUpIsOpen(deps)), (idToken) =>
    hintIn(deps, idToken),
  );

/** The interaction of a request that was checked. */
export const requestedInteraction = (
  { configuration }: CheckingDeps,
  { id, browserHash, encoded }: Pick<NewInteraction, 'id' | 'browserHash'> & { readonly encoded: string },
  { parameters }: AuthorizationReading,
  { client, redirectUri }: { readonly client: Client; readonly redirectUri: string },
  checked: AuthorizationRequest,
): NewInteraction => ({
  id,
  browserHash,
  clientId: client.clientId,
  clientEpoch: client.epoch,
  redirectUri,
  codeChallenge: checked.codeChallenge,
  dpopJkt: checked.dpopJkt,
  scope: checked.access.scope,
  resources: checked.access.resources,
  requestState: parameters.get('state'),
  nonce: checked.nonce,
  prompt: checked.prompt,
  maxAgeSeconds: checked.maxAgeSeconds,
  requiredClass: checked.requiredClass,
  hintedUserId: checked.hintedUserId,
  loginHint: checked.loginHint,
  uiLocales: uiLocalesIn(encoded),
  responseMode: responseModeOf(parameters),
  lifetimeSeconds: configuration().signIn.interactionLifetimeSeconds,
});

/** @throws StoreUnavailable, Unavailable */
export async function handleAuthorizationRequest(
  deps: AuthorizeDeps,
  { encoded, cookies, address }: AuthorizationCall,
): Promise<AuthorizeOutcome> {
  const brought = parseParameters(encoded, AUTHORIZATION_PARAMETERS);
  const load = (clientId: string) =>
    deps.interactions.loadRequest({ clientId, sessionIdHash: cookies?.session ?? null });
  const pushed = await openPushed(deps, brought);
  if (pushed !== null && pushed.kind !== 'pushed') return pushed;
  // The client of a pushed request was described where it was pushed.
  const undescribed = pushed ?? (await describeClient(deps, brought.parameters.get('client_id'), address));
  if (undescribed?.kind === 'documentRefused') return undescribed;
  const signed = pushed === null ? await openSigned(deps, brought, load) : null;
  if (signed !== null && signed.kind !== 'opened') return signed;
  const meant = pushed ?? signed;
  const reading = meant === null ? brought : parseParameters(meant.encoded, AUTHORIZATION_PARAMETERS);
  const verified = await verifyClientAndRedirectUri(reading, signed === null ? load : async () => signed.loaded);
  if (verified.kind === 'unverified') return verified;
  const { client, redirectUri } = verified;
  // No parameter that came with the browser counts, so the page is the only place for this error.
  if (pushed === null && mustPush(deps.configuration(), client))
    return { kind: 'pushedRefused', reason: 'pushed_request_required', clientId: client.clientId };
  const { parameters } = reading;
  const state = parameters.get('state');
  const responseMode = responseModeOf(parameters);

  // RFC 9700 §4.11.2: a client that no operator vetted could send browsers to its site by a request with an error.
  const isVetted = client.registeredBy === 'operator';
  const refuse = async (refused: RedirectedError): Promise<AuthorizeOutcome> => {
    const { error, reason, description: detail, scope } = refused;
    const facts = { clientId: client.clientId, reason, detail, ...(scope !== undefined && { scope }) };
    if (!isVetted) return { kind: 'shownLocally', ...facts };
    // The client gets the error as its answer.
    const spent = pushed && (await spendPushedRequest(deps, pushed.request.id));
    if (spent?.kind === 'rejected') return { kind: 'pushedRefused', reason: spent.reason, clientId: client.clientId };
    const content = { error, error_description: errorDescription(detail) };
    const to = { client, redirectUri, responseMode, state, now: verified.now };
    const response = await authorizationResponse(deps, to, content);
    return { kind: 'invalid', response, ...facts };
  };
  // A pushed request was checked where it was pushed.
  if (meant === null && mustSign(deps.configuration(), client)) return refuse(SIGNATURE_REQUIRED);
  const checked = await checkRequest(deps, reading, client);
  if (checked.kind === 'error') return refuse(checked);
  if (cookies === null)
    return { kind: 'repeatByGet', query: pushed?.link ?? asQuery(brought.parameters, AUTHORIZATION_PARAMETERS) };

  const session = await findSession(deps, cookies.session, verified);
  const id = pushed?.request.id ?? deps.random.uuid();
  const asked = { id, browserHash: cookies.browser, encoded: meant?.encoded ?? encoded };
  const interaction = requestedInteraction(deps, asked, reading, verified, checked);
  const begun = await beginInteraction(
    deps,
    begunInteraction(interaction, verified, session, pushed?.request),
    session,
  );
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

type OpenedSigned = {
  readonly kind: 'opened';
  readonly encoded: string;
  readonly loaded: LoadedRequest & { readonly client: Client };
};

/** @returns null: no request object, or none that this client can sign, which the checks refuse. @throws StoreUnavailable */
async function openSigned(
  deps: RequestObjectDeps,
  { parameters }: AuthorizationReading,
  load: (clientId: string) => Promise<LoadedRequest>,
): Promise<OpenedSigned | RequestObjectRefused | null> {
  const [text, clientId] = [parameters.get('request'), parameters.get('client_id')];
  if (text === null || clientId === null) return null;
  const loaded = await load(clientId);
  const { client, now } = loaded;
  if (client === null || client.deletedAt !== null || !hasKeys(client)) return null;
  // RFC 9101 §5: "request and request_uri parameters MUST NOT be included in the same request".
  if (parameters.get('request_uri') !== null)
    return { kind: 'requestObjectRefused', clientId, reason: 'request_object_beside_uri' };
  const opened = await openRequestObject(deps, text, client, now);
  return opened.kind === 'opened' ? { ...opened, loaded: { ...loaded, client } } : opened;
}

export const SIGNATURE_REQUIRED: RedirectedError = {
  kind: 'error',
  error: 'invalid_request',
  reason: 'signed_request_required',
  description: 'this client has to sign its authorization requests (RFC 9101), and sends them in request',
};

export const REQUEST_TOO_LONG: RedirectedError = {
  kind: 'error',
  error: 'invalid_request',
  reason: 'request_too_long',
  description: 'the parameters are too long together; state, nonce and login_hint can be shorter',
};
