/** The pushed authorization request (RFC 9126 §2.1): authenticate the client → check as the authorization endpoint does → store. */
import { policyOf } from '../config/configuration.ts';
import { newRequestUri, sealParameters } from '../crypto/pushed-request.ts';
import { unprovenReason } from '../lifecycles/presentation.ts';
import { type PushedRequestPorts, pushRequest } from '../lifecycles/pushed-request/lifecycle.ts';
import { type Client, hasKeys, type TokenClient } from '../model/client.ts';
import type { Proof } from '../model/proof.ts';
import { type AuthorizationErrorCode, errorDescription } from '../oauth/errors.ts';
import { asQuery, type Parameters, parseParameters } from '../oauth/parameters.ts';
import { uiLocalesIn, uiLocalesParameter } from '../oauth/ui-locales.ts';
import type { RateLimit } from '../system/rate-limit.ts';
import {
  AUTHORIZATION_PARAMETERS,
  type UnverifiedRequest,
  verifyClientAndRedirectUri,
} from './authorization-request.ts';
import {
  type CheckingDeps,
  checkRequest,
  REQUEST_TOO_LONG,
  requestedInteraction,
  SIGNATURE_REQUIRED,
} from './authorize.ts';
import { authenticateClient, type ClientSender, readClientCredentials } from './client-authentication.ts';
import {
  type DescribedClientDeps,
  DOCUMENT_REFUSED,
  type DocumentRefused,
  describeClient,
} from './described-client.ts';
import { proofOfClient, type Told, toldBy } from './dpop.ts';
import { type AuthenticatedClient, CLIENT_PARAMETERS, type Refused, refuse, type TokenDeps } from './grant-type.ts';
import { fitsIntoUrl } from './interaction-step.ts';
import { mustSign, openRequestObject, REQUEST_OBJECT_WORDS } from './request-object.ts';
import { beyondRateOf, tooManyFrom, tooManyOf } from './token-request.ts';

export type PushedAuthorizationDeps = TokenDeps &
  CheckingDeps &
  DescribedClientDeps &
  PushedRequestPorts & {
    /** Of public clients, for which a push proves nothing. */
    readonly pushRates: RateLimit;
  };

export type PushedAuthorizationOutcome =
  | {
      readonly kind: 'stored';
      readonly interactionId: string;
      /** RFC 9126 §2.2. */
      readonly response: { readonly request_uri: string; readonly expires_in: number };
    }
  /** As at the token endpoint. */
  | Refused
  /** The request would be invalid at the authorization endpoint too. */
  | {
      readonly kind: 'invalid';
      readonly error: AuthorizationErrorCode;
      readonly reason: string;
      readonly description: string;
      readonly scope?: string;
    };

/** `clientId`: of the authenticated client. Null: none has authenticated. */
export type PushedAuthorizationResult = Told<{ readonly clientId: string | null }> & {
  readonly outcome: PushedAuthorizationOutcome;
};

const PARAMETERS = [...AUTHORIZATION_PARAMETERS, ...CLIENT_PARAMETERS] as const;

/** The lifetime where the policy of the client names none. */
const DEFAULT_LIFETIME_SECONDS = 60;
/** One address gets at most this part of the requests that a public client may have open. */
const PART_OF_AN_ADDRESS = 1 / 4;

/** @throws StoreUnavailable, Unavailable */
export async function handlePushedAuthorization(
  deps: PushedAuthorizationDeps,
  sender: ClientSender,
  body: string,
): Promise<PushedAuthorizationResult> {
  const refused = (outcome: Refused, clientId: string | null = null) => ({ outcome, facts: { clientId } });
  const tooMany = tooManyFrom(deps, sender);
  if (tooMany) return refused(tooMany);
  const { problem, parameters } = parseParameters(body, PARAMETERS);
  if (problem) return refused(refuse(problem.reason, problem.parameter ?? undefined));
  const credentials = readClientCredentials(deps, sender, parameters);
  if ('kind' in credentials) return refused(credentials);
  const undescribed = await describeClient(deps, credentials[0]?.clientId ?? null, sender.address);
  if (undescribed !== null) return { outcome: notDescribed(undescribed), facts: { clientId: null } };
  const authenticated = await authenticateClient(deps, credentials, (id) => deps.store.loadClient(id));
  if ('kind' in authenticated) return refused(authenticated);
  const { client } = authenticated;
  const tooManyPushes = tooManyOf(deps, client) ?? tooManyPushedFrom(deps, client, sender);
  if (tooManyPushes) return refused(tooManyPushes, client.clientId);
  const proof = await proofOfClient(deps, '/oauth/par', sender, authenticated);
  const form = { parameters, uiLocales: uiLocalesIn(body) };
  return { outcome: await received(deps, authenticated, proof, form), ...toldBy(proof, { clientId: client.clientId }) };
}

/** The client is authenticated, and pushes no more than it may. */
async function received(
  deps: PushedAuthorizationDeps,
  { client, now }: AuthenticatedClient,
  proof: Proof,
  { parameters, uiLocales }: PushedForm,
): Promise<PushedAuthorizationOutcome> {
  const { clientId } = client;
  const unproven = unprovenReason({ boundTo: null, proofRequired: false, certificateRequired: false }, proof);
  if (unproven !== null) return refuse(unproven);
  // RFC 9126 §2.1: the server MUST reject the request if it has the parameter request_uri.
  if (parameters.get('request_uri') !== null)
    return invalid('invalid_request', 'request_uri_pushed', 'request_uri cannot be pushed');
  const opened = await openPushedObject(deps, parameters.get('request'), client, now);
  if (opened?.kind === 'requestObjectRefused')
    return invalid('invalid_request_object', opened.reason, REQUEST_OBJECT_WORDS[opened.reason]);
  if (opened === null && mustSign(deps.configuration(), client))
    return invalid(SIGNATURE_REQUIRED.error, SIGNATURE_REQUIRED.reason, SIGNATURE_REQUIRED.description);
  const meant = opened?.encoded ?? asQuery(parameters, AUTHORIZATION_PARAMETERS);
  // RFC 9449 §10.1: a proof that comes with the push names the key of the code, and a dpop_jkt beside it MUST be that of the key.
  if (proof.key !== null && namesAnotherKey(meant, proof.key))
    return invalid('invalid_request', 'dpop_jkt_of_another_key', 'dpop_jkt is not the thumbprint of the proven key');
  // A client that authenticates in the header need not name itself in the body too.
  const encoded = completed(meant, {
    client_id: clientId,
    ...(proof.key !== null && { dpop_jkt: proof.key }),
    // The object has its own.
    ...(opened === null && uiLocalesParameter(uiLocales)),
  });
  const pushed = parseParameters(encoded, AUTHORIZATION_PARAMETERS);
  const verified = await verifyClientAndRedirectUri(pushed, async () => ({ client }));
  if (verified.kind === 'unverified') return invalid('invalid_request', verified.reason, UNVERIFIED[verified.reason]);
  const checked = await checkRequest(deps, pushed, client);
  if (checked.kind === 'error') return invalid(checked.error, checked.reason, checked.description, checked.scope);
  const { uri, id, handleHash } = newRequestUri(deps.random);
  const { lifetimeSeconds: _, ...requested } = requestedInteraction(
    deps,
    { id, browserHash: NO_BROWSER, encoded },
    pushed,
    verified,
    checked,
  );
  if (!fitsIntoUrl(deps, { ...requested, createdAt: now, endsAt: now }))
    return invalid(REQUEST_TOO_LONG.error, REQUEST_TOO_LONG.reason, REQUEST_TOO_LONG.description);

  const lifetimeSeconds = lifetimeOf(deps, client);
  const fresh = { id, clientId, handleHash, sealed: sealParameters(deps, id, encoded), lifetimeSeconds };
  const stored = await pushRequest(deps, fresh, deps.configuration().limits.pushedRequestsByClient);
  if (stored.kind === 'rejected') {
    const wait = ((stored.open.endsAt?.getTime() ?? 0) - stored.now.getTime()) / 1000;
    return { ...refuse('too_many_pushed_requests'), retryAfterSeconds: Math.max(1, Math.ceil(wait)) };
  }
  return { kind: 'stored', interactionId: id, response: { request_uri: uri, expires_in: lifetimeSeconds } };
}

function namesAnotherKey(meant: string, key: string): boolean {
  const named = parseParameters(meant, AUTHORIZATION_PARAMETERS).parameters.get('dpop_jkt');
  return named !== null && named !== key;
}

/** RFC 9126 §3: of what stands beside the object, only the authentication of the client counts. Null: no object that the client can sign. */
const openPushedObject = async (deps: PushedAuthorizationDeps, text: string | null, client: Client, now: Date) =>
  text === null || !hasKeys(client) ? null : openRequestObject(deps, text, client, now);

type PushedForm = {
  readonly parameters: Parameters<(typeof PARAMETERS)[number]>;
  readonly uiLocales: readonly string[];
};

const invalid = (error: AuthorizationErrorCode, reason: string, description: string, scope?: string) =>
  ({ kind: 'invalid', error, reason, description, ...(scope !== undefined && { scope }) }) as const;

/** RFC 9126 §2.3. */
const notDescribed = ({ reason, problem }: DocumentRefused) =>
  invalid('invalid_request', reason, errorDescription(problem ?? DOCUMENT_REFUSED[reason]));

/** As long as the hash of a cookie: whether a request fits must not depend on its browser. */
const NO_BROWSER = new Uint8Array(32);

function lifetimeOf({ configuration }: PushedAuthorizationDeps, client: Pick<TokenClient, 'clientId' | 'policy'>) {
  return policyOf(configuration(), client).pushedRequestLifetimeSeconds ?? DEFAULT_LIFETIME_SECONDS;
}

/** Nothing proves that a push for a public client comes from it, so no address may use up all that it can have open. */
function tooManyPushedFrom(
  deps: PushedAuthorizationDeps,
  client: Pick<TokenClient, 'clientId' | 'policy' | 'tokenEndpointAuthMethod'>,
  { address }: ClientSender,
): Refused | null {
  if (client.tokenEndpointAuthMethod !== 'none') return null;
  const { pushedRequestsByClient } = deps.configuration().limits;
  const perSecond = (pushedRequestsByClient * PART_OF_AN_ADDRESS) / lifetimeOf(deps, client);
  return beyondRateOf(address(), (network, times) =>
    deps.pushRates.count(JSON.stringify([network, client.clientId]), perSecond * times),
  );
}

function completed(encoded: string, more: Readonly<Record<string, string>>): string {
  const form = new URLSearchParams(encoded);
  for (const [name, value] of Object.entries(more)) form.set(name, value);
  return form.toString();
}

const UNVERIFIED: Readonly<Record<UnverifiedRequest['reason'], string>> = {
  too_many_parameters: 'there are too many parameters',
  client_id_missing: 'client_id is required',
  client_id_malformed: 'client_id is malformed',
  client_unknown: 'the client is unknown',
  redirect_uri_missing: 'redirect_uri is required',
  redirect_uri_malformed: 'redirect_uri is malformed',
  redirect_uri_mismatch: 'redirect_uri is not registered for this client',
};
