/** The state of a code or a refresh token, for the playground. It presents no credential and changes no state. */
import type { AuthorizationCodeState } from '../../machines/authorization-code/facts.ts';
import type { RefreshTokenState } from '../../machines/refresh-token/facts.ts';
import { readAuthorizationCode } from '../crypto/authorization-code.ts';
import { readRefreshToken } from '../crypto/refresh-token.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { GrantStore } from '../lifecycles/grant/lifecycle.ts';
import { authorizationCodeState, refreshTokenState } from '../model/grant.ts';

export type CredentialStateDeps = { readonly keys: RootKeys; readonly store: Pick<GrantStore, 'load'> };

/** @returns null when this server did not issue it. @throws StoreUnavailable */
export async function stateOfCode(
  { store }: CredentialStateDeps,
  clientId: string,
  code: string,
): Promise<AuthorizationCodeState | null> {
  const read = readAuthorizationCode(code);
  if (!read) return null;
  const { grant } = await store.load({ clientId, grantId: read.grantId });
  return grant && authorizationCodeState(grant);
}

/** @returns null when this server did not issue it. @throws StoreUnavailable */
export async function stateOfRefreshToken(
  { store, keys }: CredentialStateDeps,
  clientId: string,
  token: string,
): Promise<RefreshTokenState | null> {
  const read = readRefreshToken(keys, token);
  if (read.kind !== 'authentic') return null;
  const { grant } = await store.load({ clientId, grantId: read.grantId });
  return grant && refreshTokenState(grant, read);
}
