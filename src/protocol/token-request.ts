/** The token request (OAuth 2.1 §3.2): parse → load → authenticate the client → apply. */
import type { TokenClient } from '../model/client.ts';
import { firstWaitOf } from '../model/networks.ts';
import { parseParameters } from '../oauth/parameters.ts';
import { authorizationCode } from './authorization-code.ts';
import { authenticateClient, type ClientSender, readClientCredentials } from './client-authentication.ts';
import { boundCertificate } from './client-certificate.ts';
import { clientCredentials } from './client-credentials.ts';
import { proofOfClient, type Told, toldBy } from './dpop.ts';
import {
  type GrantType,
  type Refused,
  refuse,
  type SentAlong,
  TOKEN_PARAMETERS,
  type TokenDeps,
  type TokenOutcome,
  type TokenRequestFacts,
} from './grant-type.ts';
import { RefusedAtIssue } from './narrowing.ts';
import { profileNotKept } from './profile.ts';
import { refreshToken } from './refresh-token.ts';

/** All grant types. The server does not implement implicit and password. */
export const GRANT_TYPES: ReadonlyMap<string, GrantType> = new Map(
  [authorizationCode, refreshToken, clientCredentials].map((one) => [one.name, one]),
);

export type TokenRequestResult = Told<TokenRequestFacts> & { readonly outcome: TokenOutcome };

/** @throws Unavailable when the store cannot make the decision true. */
export async function handleTokenRequest(
  deps: TokenDeps,
  sender: ClientSender,
  body: string,
): Promise<TokenRequestResult> {
  const nothing = { grantType: null, clientId: null, grantId: null };
  const tooMany = tooManyFrom(deps, sender);
  if (tooMany) return { outcome: tooMany, facts: nothing };
  const repeated = deps.endedChains.find({ sender, body });
  if (repeated) return { outcome: refuse(repeated.reason), facts: { ...repeated.facts, repeated: true } };
  const { problem, parameters } = parseParameters(body, TOKEN_PARAMETERS);
  if (problem) return { outcome: refuse(problem.reason, problem.parameter ?? undefined), facts: nothing };

  const name = parameters.get('grant_type');
  if (name === null) return { outcome: refuse('missing_parameter', 'grant_type'), facts: nothing };
  const grantType = GRANT_TYPES.get(name);
  if (!grantType) return { outcome: refuse('unknown_grant_type', 'grant_type'), facts: nothing };
  const facts = { ...nothing, grantType: name };

  const credentials = readClientCredentials(deps, sender, parameters);
  if ('kind' in credentials) return { outcome: credentials, facts };
  const parsed = grantType.parse(parameters, deps.keys);
  // An unauthenticated client must not learn the error of a code or token, so its refusal waits for the authentication.
  if ('kind' in parsed || parsed.grantId === null) {
    const authenticated = await authenticateClient(deps, credentials, (clientId) => deps.store.loadClient(clientId));
    if ('kind' in authenticated) return { outcome: authenticated, facts };
    const { client } = authenticated;
    const known = { grantType: name, clientId: client.clientId, grantId: null };
    if ('kind' in parsed) return { outcome: parsed, facts: known };
    return applied(deps, sender, authenticated, known, (sent) => parsed.apply(deps, authenticated, sent));
  }
  const { grantId } = parsed;
  const authenticated = await authenticateClient(deps, credentials, (clientId) =>
    deps.store.load({ clientId, grantId }),
  );
  if ('kind' in authenticated) return { outcome: authenticated, facts };
  const { client, grant } = authenticated;
  const known = { grantType: name, clientId: client.clientId, grantId: grant?.id ?? null };
  const result = await applied(deps, sender, authenticated, known, (sent) => parsed.apply(deps, authenticated, sent));
  const { outcome } = result;
  if (outcome.kind === 'refused') {
    deps.endedChains.remember({ sender, body }, { reason: outcome.reason, client, facts: known });
  }
  return result;
}

type Known = TokenRequestFacts & { readonly grantType: string };

/** The client may use the grant type, and sends no more requests than it may. */
async function applied(
  deps: TokenDeps,
  sender: ClientSender,
  authenticated: { readonly client: TokenClient; readonly now: Date },
  known: Known,
  apply: (sent: SentAlong) => Promise<TokenOutcome>,
): Promise<TokenRequestResult> {
  const { client } = authenticated;
  const refused =
    notAllowed(known.grantType, client) ?? profileNotKept(deps.configuration(), client) ?? tooManyOf(deps, client);
  if (refused) return { outcome: refused, facts: known };
  const byKey = await proofOfClient(deps, '/oauth/token', sender, authenticated);
  const bound = client.tlsClientCertificateBoundAccessTokens
    ? boundCertificate(sender.certificate, authenticated.now)
    : null;
  const proof = bound === null ? byKey : { ...byKey, certificate: bound.thumbprint };
  const outcome = await orRefused(apply({ presenter: sender.presenter, proof }));
  return { outcome, ...toldBy(proof, bound?.problem === undefined ? known : { ...known, certificate: bound.problem }) };
}

/** limits.yaml. Called before the request is parsed or loaded. */
export function tooManyFrom({ tokenRates, configuration }: TokenDeps, { address }: ClientSender): Refused | null {
  const perSecond = configuration().limits.tokenRequestsPerSecondByAddress;
  return beyondRateOf(address(), (network, times) => tokenRates.address.count(network, perSecond * times));
}

/** @param count as of `firstWaitOf`. */
export function beyondRateOf(
  address: string,
  count: (network: string, times: number) => number | null,
): Refused | null {
  const wait = firstWaitOf(address, count);
  return wait === null ? null : { ...refuse('address_rate_exceeded'), retryAfterSeconds: wait };
}

/**
 * Called after the authentication, so no other client can use up a client's rate. A public client has no rate of its
 * own: its addresses have one.
 */
export function tooManyOf({ tokenRates, configuration }: TokenDeps, client: TokenClient): Refused | null {
  if (client.tokenEndpointAuthMethod === 'none') return null;
  const wait = tokenRates.client.count(client.clientId, configuration().limits.tokenRequestsPerSecondByClient);
  return wait === null ? null : { ...refuse('client_rate_exceeded'), retryAfterSeconds: wait };
}

/** Refuses access that a token cannot express, before any commit. */
async function orRefused(outcome: Promise<TokenOutcome>): Promise<TokenOutcome> {
  try {
    return await outcome;
  } catch (error) {
    if (error instanceof RefusedAtIssue) return refuse(error.reason);
    throw error;
  }
}

/** A public client never gets client_credentials, and the reason says so, whatever its registration says. */
export function notAllowed(
  name: string,
  client: Pick<TokenClient, 'grantTypes' | 'tokenEndpointAuthMethod'>,
): Refused | null {
  if (client.grantTypes.includes(name)) return null;
  const isPublic = name === 'client_credentials' && client.tokenEndpointAuthMethod === 'none';
  return refuse(isPublic ? 'public_client_credentials' : 'grant_type_not_allowed');
}
