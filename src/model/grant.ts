/**
 * One authorization: first its code, then the chain of refresh tokens. The states of grant, code and refresh token all derive
 * from this row. The SQL views in drizzle/ derive the same (test/unit/storage/views.test.ts compares them).
 */
import type { AuthorizationCodeState } from '../../machines/authorization-code/facts.ts';
import type { GrantState } from '../../machines/grant/facts.ts';
import type { RefreshTokenState } from '../../machines/refresh-token/facts.ts';
import type { EndedBy } from '../../machines/shared/facts.ts';

export type Bytes = Uint8Array;

/** How and when the end-user signed in, kept with the grant for its tokens. */
export type SignInFacts = {
  readonly nonce: string | null;
  /** Seconds since 1970 (UTC). */
  readonly authTime: number;
  /** The browser session's public name. */
  readonly sid: string;
  /** RFC 8176; absent in rows from when a password was the only way. */
  readonly amr?: readonly string[];
};

/** One row of `grants`, with today's epochs beside those of the approval. */
export type Grant = {
  /** That of the interaction that was approved. */
  readonly id: string;
  readonly clientId: string;
  readonly userId: string;
  /** The `sub` of the end-user that was imported; absent: the `userId`. */
  readonly sub?: string;
  readonly clientEpoch: bigint;
  readonly userEpoch: bigint;
  readonly serverEpoch: bigint;
  readonly scope: readonly string[];
  readonly resources: readonly string[];
  readonly codeHash: Bytes;
  readonly codeChallenge: string;
  /** The thumbprint of the key to which the code is bound (RFC 9449 §10); null: to its client and verifier alone. */
  readonly dpopJkt: string | null;
  readonly redirectUri: string;
  /** Null: from when only ID Tokens said it, and `openid` was not granted. */
  readonly identity: SignInFacts | null;
  readonly codeEndsAt: Date;
  readonly state: GrantState;
  readonly revokedReason: string | null;
  readonly refreshGeneration: bigint | null;
  readonly refreshNonce: Bytes | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly chainEndsAt: Date | null;
  /** Today's epochs; null when the client is deleted or the user disabled. Another client's presentation is rejected before they matter. */
  readonly liveClientEpoch: bigint | null;
  readonly liveUserEpoch: bigint | null;
  readonly liveServerEpoch: bigint;
};

/** The `sub` of its tokens. */
export const subOfGrant = ({ userId, sub }: Pick<Grant, 'userId' | 'sub'>): string => sub ?? userId;

/** The effective access of a grant: under the client's current ceiling and the current resources, never more than was granted. */
export type AccessToday = {
  /** Empty: nothing of use is left. */
  readonly scope: readonly string[];
  /** The resources that tokens may be for. */
  readonly resources: readonly string[];
  /** Whether it may get refresh tokens for it. */
  readonly mayRefresh: boolean;
};

/** The part of a refresh token that names its place in the chain. */
export type ChainPlace = { readonly generation: bigint; readonly nonce: Bytes };

/** The columns from which a grant's state derives. */
export type GrantStateFacts = Pick<
  Grant,
  'state' | 'clientEpoch' | 'userEpoch' | 'serverEpoch' | 'liveClientEpoch' | 'liveUserEpoch' | 'liveServerEpoch'
>;

/** Which epoch was raised since the approval, which ended the grant without a write to its row. */
export function endedBy(grant: Omit<GrantStateFacts, 'state'>): EndedBy {
  if (grant.liveClientEpoch !== grant.clientEpoch) return 'client';
  if (grant.liveUserEpoch !== grant.userEpoch) return 'user';
  if (grant.liveServerEpoch !== grant.serverEpoch) return 'server';
  return null;
}

/** The reason of an end by epoch, in log and ledger. */
export const REASON_OF_EPOCH = { client: 'client_ended', user: 'user_ended', server: 'server_epoch_raised' } as const;

/** Why the grant has ended, as precisely as it is known; null: it has not. */
export function grantEndReason(grant: Grant): string | null {
  const by = endedBy(grant);
  return grant.state === 'revoked' ? grant.revokedReason : by && REASON_OF_EPOCH[by];
}

export function grantState(grant: GrantStateFacts): GrantState {
  return grant.state === 'revoked' || endedBy(grant) !== null ? 'revoked' : 'active';
}

export function authorizationCodeState(grant: Grant): AuthorizationCodeState {
  if (grantState(grant) === 'revoked') return 'revoked';
  return grant.refreshGeneration === null ? 'active' : 'used';
}

export function refreshTokenState(grant: Grant, token: ChainPlace): RefreshTokenState {
  return grantState(grant) === 'revoked' ? 'revoked' : STATE_AT[chainPosition(grant, token)];
}

const STATE_AT = { head: 'active', behind: 'used', ahead: 'ahead' } as const;

/** The place of a token in its chain, in any state of the chain. The token is authentic, so `ahead` means that commits were lost. */
export function chainPosition(grant: Grant, { generation, nonce }: ChainPlace): 'head' | 'behind' | 'ahead' {
  const { refreshGeneration: head, refreshNonce } = grant;
  if (head === generation && sameBytes(refreshNonce, nonce)) return 'head';
  return head === null || generation >= head ? 'ahead' : 'behind';
}

/** For stored bytes that are not secret (nonces). Secrets are compared in src/crypto/digest.ts. */
export function sameBytes(left: Bytes | null, right: Bytes | null): boolean {
  if (left === null || right === null) return left === right;
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

/** Why a grant is revoked where something that belongs to it was presented again. */
export const REUSES = ['authorization_code_reused', 'refresh_token_reused', 'chain_behind_token'] as const;
