/**
 * What revocation (RFC 7009 §2.1) and introspection (RFC 7662 §2.1) are asked with: a token, by a client that proves itself
 * as it does at the token endpoint.
 */
import type { AccessTokenClaims } from '../crypto/access-token.ts';
import { type RefreshTokenPlace, readRefreshToken } from '../crypto/refresh-token.ts';
import type { Client, TokenClient } from '../model/client.ts';
import type { Grant } from '../model/grant.ts';
import { parseParameters } from '../oauth/parameters.ts';
import type { TokenReason } from '../oauth/refusals.ts';
import { proveClient, readClientClaims } from './client-authentication.ts';
import { type Refused, refuse, type TokenDeps } from './grant-type.ts';
import { type AccessTokenDeps, type InactiveReason, presentedAccessToken } from './presented-access-token.ts';

export type SentTokenDeps = TokenDeps & AccessTokenDeps;

/**
 * `token_type_hint` is not read: both standards let the server find the token without it, and the form of ours says what
 * they are. A wrong or unknown hint changes nothing then.
 */
const PARAMETERS = ['client_id', 'client_secret', 'token'] as const;

export type SentToken = { readonly kind: 'sent'; readonly client: Client; readonly token: string };
/** `clientId`: of the client that was proven; null: none was. */
export type RefusedToken = { readonly kind: 'refused'; readonly refused: Refused; readonly clientId: string | null };

/** @throws StoreUnavailable */
export async function readSentToken(
  deps: SentTokenDeps,
  authorization: string | undefined,
  body: string,
): Promise<SentToken | RefusedToken> {
  const { problem, parameters } = parseParameters(body, PARAMETERS);
  if (problem) return refused(refuse(problem.reason, problem.parameter ?? undefined));
  const claims = readClientClaims(authorization, parameters);
  if ('kind' in claims) return refused(claims);
  const proven = await proveClient(deps, claims, (clientId) => deps.store.loadClient(clientId));
  if ('kind' in proven) return refused(proven);
  const { client } = proven;
  const token = parameters.get('token');
  if (token === null) return refused(refuse('missing_parameter', 'token'), client.clientId);
  return { kind: 'sent', client, token };
}

const refused = (why: Refused, clientId: string | null = null): RefusedToken => ({
  kind: 'refused',
  refused: why,
  clientId,
});

export type FoundToken =
  | {
      readonly kind: 'refresh_token';
      readonly place: RefreshTokenPlace;
      readonly grant: Grant;
      readonly now: Date;
    }
  | {
      readonly kind: 'access_token';
      readonly claims: AccessTokenClaims;
      /** Null: client credentials. */
      readonly grant: Grant | null;
      readonly client: TokenClient;
      readonly now: Date;
    }
  | { readonly kind: 'nothing'; readonly reason: InactiveReason | TokenReason };

/**
 * A refresh token of this client, current or used, or an access token of anybody that is active. Changes nothing.
 *
 * @throws StoreUnavailable
 */
export async function findToken(deps: SentTokenDeps, { client, token }: SentToken): Promise<FoundToken> {
  // Our JWTs have dots, our refresh tokens have none.
  if (token.includes('.')) {
    const presented = await presentedAccessToken(deps, token);
    return presented.kind === 'active' ? { ...presented, kind: 'access_token' } : nothing(presented.reason);
  }
  const place = readRefreshToken(deps.keys, token);
  // An authorization code ends up here too: it is no token, and neither endpoint knows it.
  if (place.kind !== 'authentic') return nothing(`refresh_token_${place.kind}`);
  const { now, grant } = await deps.store.load({ clientId: client.clientId, grantId: place.grantId });
  if (!grant) return nothing('refresh_token_unknown');
  if (grant.clientId !== client.clientId) return nothing('client_mismatch');
  return { kind: 'refresh_token', place, grant, now };
}

const nothing = (reason: InactiveReason | TokenReason): FoundToken => ({ kind: 'nothing', reason });
