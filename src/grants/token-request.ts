/** One token request, from raw body to outcome: parse → load → prove the client → apply. No HTTP in here. */
import { parseParameters } from '../oauth/parameters.ts';
import type { TokenReason } from '../oauth/refusals.ts';
import { authorizationCode } from './authorization-code.ts';
import { provesClient, readClientClaims, renewSecretMac } from './client-authentication.ts';
import { clientCredentials } from './client-credentials.ts';
import {
  type GrantType,
  type ProvenRequest,
  type Refused,
  refuse,
  TOKEN_PARAMETERS,
  type TokenDeps,
  type TokenOutcome,
} from './grant-type.ts';
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
  const grantId = 'kind' in parsed ? null : parsed.grantId;

  const proven = await proveClient(deps, claims, grantId);
  if ('kind' in proven) return { outcome: proven, facts };
  const { client } = proven;
  const known = { grantType: name, clientId: client.clientId, grantId: proven.grant?.id ?? null };
  if ('kind' in parsed) return { outcome: parsed, facts: known };
  if (!client.grantTypes.includes(name)) return { outcome: notAllowed(name, client), facts: known };
  return { outcome: await parsed.apply(deps, proven), facts: known };
}

async function proveClient(
  deps: TokenDeps,
  claims: Exclude<ReturnType<typeof readClientClaims>, Refused>,
  grantId: string | null,
): Promise<ProvenRequest | Refused> {
  let reason: TokenReason = 'client_unknown';
  for (const claim of claims) {
    const loaded = await deps.store.load({ clientId: claim.clientId, grantId });
    const refused = provesClient(deps.keys, claim, loaded.client);
    if (refused === null && loaded.client) {
      await renewSecretMac(deps, claim, loaded.client);
      return { ...loaded, client: loaded.client };
    }
    reason = refused ?? reason;
  }
  return refuse(reason);
}

/** A public client is told why it will never get client credentials, registered for them or not. */
const notAllowed = (name: string, client: ProvenRequest['client']): Refused =>
  name === 'client_credentials' && client.tokenEndpointAuthMethod === 'none'
    ? refuse('public_client_credentials')
    : refuse('grant_type_not_allowed');
