/**
 * What a grant, a code or a refresh token *is*, read off the one row that an authorization has. One small pure
 * function per machine; the SQL views in drizzle/ say the same for people (test/storage compares the two).
 */
import type {
  AuthorizationCodeState,
  EndedBy,
  GrantState,
  InteractionState,
  RefreshTokenState,
  SigningKeyState,
} from '../../machines/vocabulary.ts';
import type { LoadedGrant, LoadedInteraction, LoadedSigningKey } from './ports.ts';
import { sameBytes } from './same-bytes.ts';

/** The part of a refresh token that names its place in the chain. */
export type ChainPlace = { readonly generation: bigint; readonly nonce: Uint8Array };

/** Which epoch has moved on since the approval, ending the grant without a write to its row. */
export function endedBy(grant: LoadedGrant): EndedBy {
  if (grant.liveClientEpoch !== grant.clientEpoch) return 'client';
  if (grant.liveUserEpoch !== grant.userEpoch) return 'user';
  if (grant.liveServerEpoch !== grant.serverEpoch) return 'server';
  return null;
}

export function grantState(grant: LoadedGrant): GrantState {
  return grant.state === 'revoked' || endedBy(grant) !== null ? 'revoked' : 'active';
}

export function authorizationCodeState(grant: LoadedGrant): AuthorizationCodeState {
  if (grantState(grant) === 'revoked') return 'revoked';
  return grant.refreshGeneration === null ? 'active' : 'used';
}

export function refreshTokenState(grant: LoadedGrant, token: ChainPlace): RefreshTokenState {
  if (grantState(grant) === 'revoked') return 'revoked';
  return isHead(grant, token) ? 'active' : 'used';
}

function isHead(grant: LoadedGrant, token: ChainPlace): boolean {
  return grant.refreshGeneration === token.generation && sameBytes(grant.refreshNonce, token.nonce);
}

/**
 * The token is authentic, but this chain never made it: its generation is not reached yet, or was reached by another
 * nonce. Either way the store has forgotten a commit that it acknowledged.
 */
export function isAheadOfChain(grant: LoadedGrant, token: ChainPlace): boolean {
  if (grant.refreshGeneration === null) return true;
  return token.generation >= grant.refreshGeneration && !isHead(grant, token);
}

export function interactionState(interaction: LoadedInteraction): InteractionState {
  return interaction.state;
}

/** Its instants tell; the column `state` says the same for the constraint that lets one sign. */
export function signingKeyState(key: Omit<LoadedSigningKey, 'state'>): SigningKeyState {
  if (key.retiredAt !== null) return 'retired';
  if (key.stoppedSigningAt !== null) return 'retiring';
  return key.beganSigningAt === null ? 'published' : 'signing';
}
