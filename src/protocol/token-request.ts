/** The token request (OAuth 2.1 §3.2): parse → load → authenticate the client → apply. */
import { policyOf } from '../config/configuration.ts';
import { dpopNonceAt, isCurrentDpopNonce } from '../crypto/dpop-nonce.ts';
import type { TokenClient } from '../model/client.ts';
import { networksOf } from '../model/networks.ts';
import { NO_PROOF } from '../model/proof.ts';
import { parseParameters } from '../oauth/parameters.ts';
import { authorizationCode } from './authorization-code.ts';
import { authenticateClient, type ClientSender, readClientCredentials } from './client-authentication.ts';
import { clientCredentials } from './client-credentials.ts';
import { type PresentedProof, presentedProof } from './dpop.ts';
import {
  type GrantType,
  type Refused,
  refuse,
  type SentAlong,
  TOKEN_PARAMETERS,
  type TokenDeps,
  type TokenOutcome,
} from './grant-type.ts';
import { RefusedAtIssue } from './narrowing.ts';
import { refreshToken } from './refresh-token.ts';

/** All grant types. The server does not implement implicit and password. */
export const GRANT_TYPES: ReadonlyMap<string, GrantType> = new Map(
  [authorizationCode, refreshToken, clientCredentials].map((one) => [one.name, one]),
);

/** The facts about a request that the log may contain besides its outcome. Ids only when this server made them. */
export type TokenRequestFacts = {
  readonly grantType: string | null;
  readonly clientId: string | null;
  readonly grantId: string | null;
  /** The problem with the DPoP proof. Absent: none. */
  readonly proof?: string;
};

export type TokenRequestResult = {
  readonly outcome: TokenOutcome;
  readonly facts: TokenRequestFacts;
  /** RFC 9449 §8.2: the nonce for the next proof. Absent: the policy of the client demands none, or no proof was sent. */
  readonly dpopNonce?: string;
};

/** @throws Unavailable when the store cannot make the decision true. */
export async function handleTokenRequest(
  deps: TokenDeps,
  sender: ClientSender,
  body: string,
): Promise<TokenRequestResult> {
  const nothing = { grantType: null, clientId: null, grantId: null };
  const tooMany = tooManyFrom(deps, sender);
  if (tooMany) return { outcome: tooMany, facts: nothing };
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
  return applied(deps, sender, authenticated, known, (sent) => parsed.apply(deps, authenticated, sent));
}

/** `nextNonce`: absent where the policy of the client demands none. */
type TokenProof = PresentedProof & { readonly nextNonce?: string };
type Authenticated = { readonly client: TokenClient; readonly now: Date };
type Known = TokenRequestFacts & { readonly grantType: string };

/** The client may use the grant type, and sends no more requests than it may. */
async function applied(
  deps: TokenDeps,
  { dpop, presenter }: ClientSender,
  authenticated: Authenticated,
  known: Known,
  apply: (sent: SentAlong) => Promise<TokenOutcome>,
): Promise<TokenRequestResult> {
  const { client } = authenticated;
  const refused = notAllowed(known.grantType, client) ?? tooManyOf(deps, client);
  if (refused) return { outcome: refused, facts: known };
  const proof: TokenProof = dpop === undefined ? NO_PROOF : await proofOf(deps, dpop, authenticated);
  const outcome = await orRefused(apply({ presenter, proof }));
  return { outcome, ...toldBy(proof, known) };
}

/**
 * Read after the authentication, so that no other sender has proofs remembered. A proof that is not valid, or not the right
 * one, is a fact of the presentation: the machine decides.
 */
async function proofOf(deps: TokenDeps, sent: string, { client, now }: Authenticated): Promise<TokenProof> {
  const { dpopNonceRequired = false } = policyOf(deps.configuration(), client);
  const proof = await presentedProof(deps, sent, {
    method: 'POST',
    path: '/oauth/token',
    accessToken: null,
    now: now.getTime(),
    isCurrentNonce: dpopNonceRequired ? (nonce) => isCurrentDpopNonce(deps.keys, nonce, now.getTime()) : null,
  });
  return dpopNonceRequired ? { ...proof, nextNonce: dpopNonceAt(deps.keys, now.getTime()) } : proof;
}

const toldBy = ({ detail, nextNonce }: TokenProof, facts: TokenRequestFacts): Omit<TokenRequestResult, 'outcome'> => ({
  facts: detail === undefined ? facts : { ...facts, proof: detail },
  ...(nextNonce !== undefined && { dpopNonce: nextNonce }),
});

/** limits.yaml. Called before the request is parsed or loaded. */
export function tooManyFrom({ tokenRates, configuration }: TokenDeps, { address }: ClientSender): Refused | null {
  const perSecond = configuration().limits.tokenRequestsPerSecondByAddress;
  return beyondRateOf(address(), (network, times) => tokenRates.address.count(network, perSecond * times));
}

/** @param count counts a request from a network of the address, whose limit is a multiple of that of one caller. */
export function beyondRateOf(
  address: string,
  count: (network: string, times: number) => number | null,
): Refused | null {
  // Each of them counts, whatever the others answer.
  const waits = networksOf(address).map(({ key, times }) => count(key, times));
  const wait = waits.find((one) => one !== null) ?? null;
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
