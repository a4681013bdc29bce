/**
 * The part that revocation (RFC 7009 §2.1) and introspection (RFC 7662 §2.1) share: a client that authenticates as at
 * the token endpoint sends a token. The store loads the grant of the token together with the client.
 */
import { type AccessTokenClaims, type AccessTokenReading, readAccessToken } from '../crypto/access-token.ts';
import { type RefreshTokenPlace, type RefreshTokenReading, readRefreshToken } from '../crypto/refresh-token.ts';
import type { LoadedGrant } from '../lifecycles/grant/lifecycle.ts';
import type { TokenClient } from '../model/client.ts';
import type { Grant } from '../model/grant.ts';
import { parseParameters } from '../oauth/parameters.ts';
import type { TokenReason } from '../oauth/refusals.ts';
import { authenticateClient, type ClientSender, readClientCredentials } from './client-authentication.ts';
import { CLIENT_PARAMETERS, type Refused, refuse, type TokenDeps } from './grant-type.ts';
import { type AccessTokenDeps, type InactiveReason, stateOfAccessToken } from './presented-access-token.ts';

export type SentTokenDeps = TokenDeps & AccessTokenDeps;

/**
 * Both standards allow a server to ignore `token_type_hint`: the tokens show their type, so a wrong hint changes no
 * result.
 */
const PARAMETERS = [...CLIENT_PARAMETERS, 'token'] as const;

export type SentToken = {
  readonly kind: 'sent';
  /** The authenticated client. */
  readonly client: TokenClient;
  readonly read: ReadToken;
  /** The grant that the token names, loaded for this client. */
  readonly loaded: Pick<LoadedGrant, 'now' | 'client' | 'grant'>;
};
type ReadToken =
  | { readonly as: 'access_token'; readonly reading: AccessTokenReading }
  | { readonly as: 'refresh_token'; readonly reading: RefreshTokenReading };
/** `clientId`: of the authenticated client. Null: none has authenticated. */
export type RefusedToken = { readonly kind: 'refused'; readonly refused: Refused; readonly clientId: string | null };

/** @throws StoreUnavailable */
export async function readSentToken(
  deps: SentTokenDeps,
  sender: ClientSender,
  body: string,
): Promise<SentToken | RefusedToken> {
  const { problem, parameters } = parseParameters(body, PARAMETERS);
  if (problem) return refused(refuse(problem.reason, problem.parameter ?? undefined));
  const credentials = readClientCredentials(deps, sender, parameters);
  if ('kind' in credentials) return refused(credentials);
  const token = parameters.get('token');
  const read = token === null ? null : await readToken(deps, token);
  const grantId = read && grantNamedBy(read);
  const authenticated = await authenticateClient(deps, credentials, async (clientId) =>
    grantId === null
      ? { ...(await deps.store.loadClient(clientId)), grant: null }
      : deps.store.load({ clientId, grantId }),
  );
  if ('kind' in authenticated) return refused(authenticated);
  const { client } = authenticated;
  if (read === null) return refused(refuse('missing_parameter', 'token'), client.clientId);
  return { kind: 'sent', client, read, loaded: authenticated };
}

/**
 * A JWT of this server has dots, a refresh token has none. An authorization code is no token: it reads as a malformed
 * refresh token.
 */
const readToken = async ({ keyRing, issuer, keys }: SentTokenDeps, token: string): Promise<ReadToken> =>
  token.includes('.')
    ? { as: 'access_token', reading: await readAccessToken(keyRing, issuer, token) }
    : { as: 'refresh_token', reading: readRefreshToken(keys, token) };

/** Null: the token is not authentic, or has no grant. */
function grantNamedBy({ as, reading }: ReadToken): string | null {
  if (reading.kind !== 'authentic') return null;
  if (as === 'refresh_token') return reading.grantId;
  return 'grantId' in reading.origin ? reading.origin.grantId : null;
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
 * Finds a refresh token of this client, active or used, or an active access token of any client. Changes no state.
 *
 * @throws StoreUnavailable
 */
export async function findToken(deps: SentTokenDeps, { client, read, loaded }: SentToken): Promise<FoundToken> {
  if (read.as === 'access_token') {
    const { reading } = read;
    const isItsOwn = reading.kind === 'authentic' && reading.claims.client_id === client.clientId;
    const presented = await stateOfAccessToken(deps, reading, isItsOwn ? loaded : null);
    return presented.kind === 'active' ? { ...presented, kind: 'access_token' } : nothing(presented.reason);
  }
  const { reading: place } = read;
  if (place.kind !== 'authentic') return nothing(`refresh_token_${place.kind}`);
  const { now, grant } = loaded;
  if (!grant) return nothing('refresh_token_unknown');
  if (grant.clientId !== client.clientId) return nothing('client_mismatch');
  return { kind: 'refresh_token', place, grant, now };
}

const nothing = (reason: InactiveReason | TokenReason): FoundToken => ({ kind: 'nothing', reason });
