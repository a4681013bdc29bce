/**
 * The introspection request (RFC 7662): authenticate the client → find the token → describe the part that concerns the
 * client. It presents no credential: a used refresh token is inactive here, and its chain stays active.
 */

import type { Resource } from '../../policies/schema.ts';
import { policyOf } from '../config/configuration.ts';
import type { AccessTokenClaims, Confirmation } from '../crypto/access-token.ts';
import { refreshTokenWouldIssue } from '../lifecycles/refresh-token/lifecycle.ts';
import type { TokenClient } from '../model/client.ts';
import { subOfGrant } from '../model/grant.ts';
import { chainEndsAt } from '../model/lifetimes.ts';
import { formatScope } from '../oauth/scope.ts';
import { accessToday } from './access-today.ts';
import { administratorNameOf } from './administrators.ts';
import type { ClientSender } from './client-authentication.ts';
import { tokenTypeOf } from './confirmation.ts';
import { refuse } from './grant-type.ts';
import { releasedClaims } from './released-claims.ts';
import { type FoundToken, findToken, type RefusedToken, readSentToken, type SentTokenDeps } from './sent-token.ts';

/** RFC 7662 §2.2. Instants are seconds since 1970. */
type ActiveToken = {
  readonly active: true;
  /** Absent: no scope concerns the caller. */
  readonly scope?: string;
  readonly client_id: string;
  /** Absent for a refresh token, which must not be taken for an access token. */
  readonly token_type?: 'Bearer' | 'DPoP';
  readonly exp: number;
  readonly iat: number;
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly iss: string;
  readonly jti?: string;
  /** RFC 9470 §6.2. */
  readonly acr?: string;
  readonly auth_time?: number;
  /** RFC 9449 §6.2, RFC 8705 §3.2. */
  readonly cnf?: Confirmation;
};

export type IntrospectionOutcome =
  | RefusedToken
  | {
      readonly kind: 'answered';
      readonly body: ActiveToken | typeof INACTIVE;
      /** For the log: the reason why a token is inactive. The caller does not receive it. */
      readonly facts: { readonly clientId: string; readonly grantId: string | null; readonly reason?: string };
    };

/** RFC 7662 §2.2: about an inactive token the server SHOULD NOT say more, not even the reason. */
const INACTIVE = { active: false } as const;

/** @throws StoreUnavailable */
export async function handleIntrospectionRequest(
  deps: SentTokenDeps,
  sender: ClientSender,
  body: string,
): Promise<IntrospectionOutcome> {
  const sent = await readSentToken(deps, sender, body);
  if (sent.kind === 'refused') return sent;
  const { client } = sent;
  const { clientId } = client;
  // RFC 7662 §2.1: the endpoint MUST require some form of authorization. A public client has no secret, so anyone could
  // try tokens in its name.
  if (client.tokenEndpointAuthMethod === 'none') {
    return { kind: 'refused', refused: refuse('public_client_introspection'), clientId };
  }
  const token = await findToken(deps, sent);
  const described = await describeToken(deps, client, token);
  const grantId = token.kind === 'nothing' ? null : (token.grant?.id ?? null);
  return typeof described === 'string'
    ? { kind: 'answered', body: INACTIVE, facts: { clientId, grantId, reason: described } }
    : { kind: 'answered', body: described, facts: { clientId, grantId } };
}

/** @returns a reason, for the log, when the token is inactive or does not concern the caller. */
async function describeToken(
  deps: SentTokenDeps,
  client: TokenClient,
  token: FoundToken,
): Promise<ActiveToken | string> {
  switch (token.kind) {
    case 'nothing':
      return token.reason;
    case 'access_token':
      return describeAccessToken(deps, client, token);
    case 'refresh_token':
      return describeRefreshToken(deps, client, token, await administratorNameOf(deps, token.grant));
  }
}

/**
 * The client that received a token sees all of its claims, as in the JWT. An API sees the part that concerns it: in the
 * audience, the resources that list it, and in the scope, the scopes of those resources. RFC 7662 §2.2: the server MAY
 * limit which scopes it returns to each. A scope that another API has under the same name looks the same here, as in
 * the JWT.
 */
function describeAccessToken(
  deps: SentTokenDeps,
  { clientId }: TokenClient,
  { claims }: Extract<FoundToken, { kind: 'access_token' }>,
): ActiveToken | string {
  const { scope, aud } = claims;
  if (claims.client_id === clientId) return { active: true, token_type: typeOf(claims), ...claims };
  const audience: readonly string[] = [aud].flat();
  const served = deps.configuration().resources.filter((one) => audience.includes(one.identifier) && isServedBy(one));
  const [first, ...more] = served.map((one) => one.identifier);
  if (first === undefined) return 'not_for_this_client';
  const itsScopes = new Set(served.flatMap((one) => one.scopes.map(({ name }) => name)));
  const itsScope = scope.split(' ').filter((one) => itsScopes.has(one));
  const { iss, sub, client_id, jti, iat, exp, acr, auth_time, cnf } = claims;
  return {
    active: true,
    token_type: typeOf(claims),
    ...{ iss, sub, client_id, jti, iat, exp },
    ...(acr !== undefined && { acr }),
    ...(auth_time !== undefined && { auth_time }),
    ...(cnf !== undefined && { cnf }),
    ...releasedClaims(deps.configuration().claims, 'access_token', itsScope, claims),
    ...(itsScope.length > 0 && { scope: formatScope(itsScope) }),
    aud: more.length > 0 ? [first, ...more] : first,
  };

  function isServedBy(resource: Resource): boolean {
    return resource.introspectedBy?.includes(clientId) ?? false;
  }
}

const typeOf = ({ cnf }: AccessTokenClaims) => tokenTypeOf(cnf);

/** Only for the client that received the token: an API has no use for refresh tokens. */
function describeRefreshToken(
  deps: SentTokenDeps,
  client: TokenClient,
  { grant, place, now }: Extract<FoundToken, { kind: 'refresh_token' }>,
  username: string | null,
): ActiveToken | string {
  const policy = policyOf(deps.configuration(), client);
  const today = accessToday(deps.configuration(), grant, client, username);
  if (!client.grantTypes.includes('refresh_token')) return 'grant_type_not_allowed';
  if (!refreshTokenWouldIssue(grant, place, now, policy, today)) return 'refresh_token_not_active';
  return {
    active: true,
    scope: formatScope(today.scope),
    client_id: client.clientId,
    exp: Math.floor(chainEndsAt(grant, policy) / 1000),
    iat: Math.floor((grant.lastUsedAt ?? grant.createdAt).getTime() / 1000),
    sub: subOfGrant(grant),
    // A refresh token is for this server. An API that checks the audience rejects it.
    aud: deps.issuer,
    iss: deps.issuer,
    // The client of a chain determines to which of them it is bound.
    ...(place.boundTo !== undefined && {
      cnf: client.tlsClientCertificateBoundAccessTokens ? { 'x5t#S256': place.boundTo } : { jkt: place.boundTo },
    }),
  };
}
