/**
 * An access token that is presented to the server that issued it. An API that checks the JWT by itself knows the facts
 * of the time of its signature. This server also loads the grant, so the token ends in the same instant as its grant.
 */
import { type AccessTokenClaims, type AccessTokenReading, readAccessToken } from '../crypto/access-token.ts';
import type { LoadedGrant } from '../lifecycles/grant/lifecycle.ts';
import type { TokenClient } from '../model/client.ts';
import { endedBy, type Grant, grantState, REASON_OF_EPOCH } from '../model/grant.ts';
import type { TokenDeps } from './grant-type.ts';

export type PresentedAccessToken =
  | {
      readonly kind: 'active';
      readonly claims: AccessTokenClaims;
      /** Null: client credentials. */
      readonly grant: Grant | null;
      /** The client that received it. */
      readonly client: TokenClient;
      readonly now: Date;
    }
  | { readonly kind: 'inactive'; readonly reason: InactiveReason };

/** For the log. The response says only that the token is not valid. */
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

/** Changes no state. Takes one statement when the signature is valid. @throws StoreUnavailable */
export async function presentedAccessToken(deps: AccessTokenDeps, token: string): Promise<PresentedAccessToken> {
  return stateOfAccessToken(deps, await readAccessToken(deps.keyRing, deps.issuer, token));
}

/**
 * @param loaded for the client that received the token, with its grant. Null: the store loads it. @throws
 * StoreUnavailable
 */
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
  // The epoch of a client is compared only where the loaded client is the grant's own.
  if (!client || grant?.clientId !== client.clientId) return inactive('grant_unknown');
  if (grantState(grant) === 'revoked') {
    const by = endedBy(grant);
    return inactive(by === null ? 'grant_revoked' : REASON_OF_EPOCH[by]);
  }
  return { kind: 'active', claims, grant, client, now };
}

/**
 * Client credentials: the server does not store such a token, which carries the epoch of its client. The token ends
 * when the client is deleted, or by a denial of its own. `statehouse recover` does not end it.
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
