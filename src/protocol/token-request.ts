/** One token request, from raw body to outcome: parse → load → prove the client → apply. No HTTP in here. */
import type { TokenClient } from '../model/client.ts';
import { parseParameters } from '../oauth/parameters.ts';
import { authorizationCode } from './authorization-code.ts';
import { proveClient, readClientClaims } from './client-authentication.ts';
import { clientCredentials } from './client-credentials.ts';
import {
  type GrantType,
  type Refused,
  refuse,
  TOKEN_PARAMETERS,
  type TokenDeps,
  type TokenOutcome,
} from './grant-type.ts';
import { RefusedAtIssue } from './narrowing.ts';
import { refreshToken } from './refresh-token.ts';

/** Every grant type there is. Implicit and password are not switched off: they do not exist. */
export const GRANT_TYPES: ReadonlyMap<string, GrantType> = new Map(
  [authorizationCode, refreshToken, clientCredentials].map((one) => [one.name, one]),
);

/** What the log may know about a request besides its outcome; ids only when they are ours. */
export type TokenRequestFacts = {
  readonly grantType: string | null;
  readonly clientId: string | null;
  readonly grantId: string | null;
};

export type TokenAnswer = { readonly outcome: TokenOutcome; readonly facts: TokenRequestFacts };

/** @throws Unavailable when the store cannot make the decision true. */
export async function answerTokenRequest(
  deps: TokenDeps,
  authorization: string | undefined,
  body: string,
): Promise<TokenAnswer> {
  const nothing = { grantType: null, clientId: null, grantId: null };
  const { problem, parameters } = parseParameters(body, TOKEN_PARAMETERS);
  if (problem) return { outcome: refuse(problem.reason, problem.parameter ?? undefined), facts: nothing };

  const name = parameters.get('grant_type');
  if (name === null) return { outcome: refuse('missing_parameter', 'grant_type'), facts: nothing };
  const grantType = GRANT_TYPES.get(name);
  if (!grantType) return { outcome: refuse('unknown_grant_type', 'grant_type'), facts: nothing };
  const facts = { ...nothing, grantType: name };

  const claims = readClientClaims(authorization, parameters);
  if ('kind' in claims) return { outcome: claims, facts };
  const parsed = grantType.parse(parameters, deps.keys);
  // What cannot be parsed is refused after the client is proven, like everything else that it may not know.
  if ('kind' in parsed || parsed.grantId === null) {
    const proven = await proveClient(deps, claims, (clientId) => deps.store.loadClient(clientId));
    if ('kind' in proven) return { outcome: proven, facts };
    const { client } = proven;
    const known = { grantType: name, clientId: client.clientId, grantId: null };
    if ('kind' in parsed) return { outcome: parsed, facts: known };
    return { outcome: notAllowed(name, client) ?? (await parsed.apply(deps, proven)), facts: known };
  }
  const { grantId } = parsed;
  const proven = await proveClient(deps, claims, (clientId) => deps.store.load({ clientId, grantId }));
  if ('kind' in proven) return { outcome: proven, facts };
  const { client, grant } = proven;
  const known = { grantType: name, clientId: client.clientId, grantId: grant?.id ?? null };
  return { outcome: notAllowed(name, client) ?? (await orRefused(parsed.apply(deps, proven))), facts: known };
}

/** What cannot be said in a token is refused before anything is committed. */
async function orRefused(outcome: Promise<TokenOutcome>): Promise<TokenOutcome> {
  try {
    return await outcome;
  } catch (error) {
    if (error instanceof RefusedAtIssue) return refuse(error.reason);
    throw error;
  }
}

/** A public client is told why it will never get client credentials, registered for them or not. */
function notAllowed(name: string, client: TokenClient): Refused | null {
  if (client.grantTypes.includes(name)) return null;
  const isPublic = name === 'client_credentials' && client.tokenEndpointAuthMethod === 'none';
  return refuse(isPublic ? 'public_client_credentials' : 'grant_type_not_allowed');
}
