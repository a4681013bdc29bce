/**
 * An access token that is presented to the server that issued it. An API that checks the JWT by itself knows what was true when
 * it was signed; here the grant is loaded too, so the token ends in the same instant as its grant.
 */
import { type AccessTokenClaims, type AccessTokenReading, readAccessToken } from '../crypto/access-token.ts';
import type { LoadedGrant } from '../lifecycles/grant/lifecycle.ts';
import type { TokenClient } from '../model/client.ts';
import type { Grant } from '../model/grant.ts';
import { endedBy, grantState, REASON_OF_EPOCH } from '../model/grant.ts';
import type { TokenDeps } from './grant-type.ts';

export type PresentedAccessToken =
  | {
      readonly kind: 'active';
      readonly claims: AccessTokenClaims;
      /** Null: client credentials. */
      readonly grant: Grant | null;
      /** The client that it was issued to. */
      readonly client: TokenClient;
      readonly now: Date;
    }
  | { readonly kind: 'inactive'; readonly reason: InactiveReason };

/** For the log; the response says no more than that the token is not valid. */
export type InactiveReason =
  | `access_token_${Exclude<AccessTokenReading['kind'], 'authentic'>}`
  | 'access_token_expired'
  | 'access_token_denied'
  | 'grant_unknown'
  | 'grant_revoked'
  | 'client_ended'
  | 'user_ended'
  | 'server_epoch_raised';

export type AccessTokenDeps = Pick<TokenDeps, 'issuer' | 'keyRing' | 'store'> & {
  readonly deniedAccessTokens: {
    readonly load: (key: { clientId: string; jti: string }) => Promise<{
      readonly now: Date;
      readonly client: TokenClient | null;
      readonly isDenied: boolean;
    }>;
    readonly deny: (denial: { jti: string; clientId: string; endsAt: Date }) => Promise<unknown>;
  };
};

/** Changes nothing. One statement, when the signature is good. @throws StoreUnavailable */
export async function presentedAccessToken(deps: AccessTokenDeps, token: string): Promise<PresentedAccessToken> {
  return stateOfAccessToken(deps, await readAccessToken(deps.keyRing, deps.issuer, token));
}

/** @param loaded for the client that the token was issued to, with its grant; null: it is loaded. @throws StoreUnavailable */
export async function stateOfAccessToken(
  deps: AccessTokenDeps,
  reading: AccessTokenReading,
  loaded: Presented | null = null,
): Promise<PresentedAccessToken> {
  if (reading.kind !== 'authentic') return inactive(`access_token_${reading.kind}`);
  const { claims, origin } = reading;
  if ('clientEpoch' in origin) return ofClient(deps, claims, origin.clientEpoch);
  return ofGrant(claims, loaded ?? (await deps.store.load({ clientId: claims.client_id, grantId: origin.grantId })));
}

type Presented = Pick<LoadedGrant, 'now' | 'client' | 'grant'>;

function ofGrant(claims: AccessTokenClaims, { now, client, grant }: Presented): PresentedAccessToken {
  if (hasExpired(claims, now)) return inactive('access_token_expired');
  // The epoch of a client is compared only where it is the grant's own client that is loaded.
  if (!client || grant?.clientId !== client.clientId) return inactive('grant_unknown');
  if (grantState(grant) === 'revoked') {
    const by = endedBy(grant);
    return inactive(by === null ? 'grant_revoked' : REASON_OF_EPOCH[by]);
  }
  return { kind: 'active', claims, grant, client, now };
}

/**
 * Client credentials: such a token is not stored; it carries the epoch of its client. It ends when the client is deleted, or by a
 * denial of its own; `statehouse recover` leaves it alone until it expires.
 */
async function ofClient(
  deps: AccessTokenDeps,
  claims: AccessTokenClaims,
  clientEpoch: bigint,
): Promise<PresentedAccessToken> {
  const { client_id: clientId, jti } = claims;
  const { now, client, isDenied } = await deps.deniedAccessTokens.load({ clientId, jti });
  if (hasExpired(claims, now)) return inactive('access_token_expired');
  if (!client || client.deletedAt !== null || client.epoch !== clientEpoch) return inactive('client_ended');
  if (isDenied) return inactive('access_token_denied');
  return { kind: 'active', claims, grant: null, client, now };
}

/** RFC 7519 §4.1.4: on or after `exp` it MUST NOT be accepted. */
const hasExpired = ({ exp }: AccessTokenClaims, now: Date) => now.getTime() >= exp * 1000;

const inactive = (reason: InactiveReason): PresentedAccessToken => ({ kind: 'inactive', reason });
