/**
 * What revocation (RFC 7009 §2.1) and introspection (RFC 7662 §2.1) share: a client that authenticates as at the token endpoint
 * sends a token.
 */
import type { AccessTokenClaims } from '../crypto/access-token.ts';
import { type RefreshTokenPlace, readRefreshToken } from '../crypto/refresh-token.ts';
import type { Client, TokenClient } from '../model/client.ts';
import type { Grant } from '../model/grant.ts';
import { parseParameters } from '../oauth/parameters.ts';
import type { TokenReason } from '../oauth/refusals.ts';
import { authenticateClient, type ClientSender, readClientCredentials } from './client-authentication.ts';
import { type Refused, refuse, type TokenDeps } from './grant-type.ts';
import { type AccessTokenDeps, type InactiveReason, presentedAccessToken } from './presented-access-token.ts';

export type SentTokenDeps = TokenDeps & AccessTokenDeps;

/** `token_type_hint` is not read, as both standards allow: our tokens show what they are, so a wrong hint changes nothing. */
const PARAMETERS = ['client_id', 'client_secret', 'token'] as const;

export type SentToken = { readonly kind: 'sent'; readonly client: Client; readonly token: string };
/** `clientId`: of the authenticated client; null: none is authenticated. */
export type RefusedToken = { readonly kind: 'refused'; readonly refused: Refused; readonly clientId: string | null };

/** @throws StoreUnavailable */
export async function readSentToken(
  deps: SentTokenDeps,
  sender: ClientSender,
  body: string,
): Promise<SentToken | RefusedToken> {
  const { problem, parameters } = parseParameters(body, PARAMETERS);
  if (problem) return refused(refuse(problem.reason, problem.parameter ?? undefined));
  const credentials = readClientCredentials(sender, parameters);
  if ('kind' in credentials) return refused(credentials);
  const authenticated = await authenticateClient(deps, credentials, (clientId) => deps.store.loadClient(clientId));
  if ('kind' in authenticated) return refused(authenticated);
  const { client } = authenticated;
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
 * A refresh token of this client, active or used, or an active access token of any client. Changes nothing.
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
  // An authorization code gets here too: it is no token, so it is malformed.
  if (place.kind !== 'authentic') return nothing(`refresh_token_${place.kind}`);
  const { now, grant } = await deps.store.load({ clientId: client.clientId, grantId: place.grantId });
  if (!grant) return nothing('refresh_token_unknown');
  if (grant.clientId !== client.clientId) return nothing('client_mismatch');
  return { kind: 'refresh_token', place, grant, now };
}

const nothing = (reason: InactiveReason | TokenReason): FoundToken => ({ kind: 'nothing', reason });
