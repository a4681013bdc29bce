/**
 * A client that authenticates with the token of its workload: issuer and subject, the signature of the platform, then times
 * (docs/decisions/0115).
 */
import { profileOf } from '../config/own-clients.ts';
import { type WorkloadToken, whatIsWrongWithWorkloadTimes } from '../crypto/workload-token.ts';
import type { Client } from '../model/client.ts';
import { WORKLOAD_METHOD } from '../oauth/client-methods.ts';
import type { TokenReason } from '../oauth/refusals.ts';
import { checkClientSignature, SIGNATURE_REASONS, workAsFor } from './client-signature.ts';
import type { TokenDeps } from './grant-type.ts';

/**
 * The row is loaded as a whole, beside what the request loads: only clients with keys pay for it.
 * @param clientId as sent: the token does not name the client.
 * @returns null: the client is authenticated. @throws Unavailable, StoreUnavailable
 */
export async function checkWorkloadToken(
  deps: TokenDeps,
  clientId: string,
  token: WorkloadToken,
): Promise<TokenReason | null> {
  const { client, now } = await deps.store.loadClient(clientId);
  const mismatch = whatIsOther(client, token);
  // An unknown client costs the same work, so the time does not reveal which ids exist.
  if (client === null || mismatch !== null) {
    workAsFor(token);
    return mismatch ?? 'client_unknown';
  }
  const problem = await checkClientSignature(deps, client, client.tokenEndpointAuthSigningAlg, token, 'platform');
  if (problem !== null) return SIGNATURE_REASONS[problem];
  // After the signature: only a sender with a token of the platform learns about its times.
  const wrong = whatIsWrongWithWorkloadTimes(token, now);
  if (wrong !== null) return wrong;
  // FAPI 2.0 Security Profile §5.3.2.1. The registration can be older than the profile.
  return profileOf(deps.configuration(), client) === undefined ? null : 'profile_not_kept';
}

/** Before the signature, and so before a fetch: another token of the platform brings no request to its keys. */
function whatIsOther(client: Client | null, { issuer, subject }: WorkloadToken): TokenReason | null {
  if (client === null || client.deletedAt !== null) return 'client_unknown';
  if (client.tokenEndpointAuthMethod !== WORKLOAD_METHOD) return 'client_has_no_workload';
  // A SPIFFE ID names its trust domain, so a client with one may be registered without an issuer.
  if (client.workloadIssuer !== null && client.workloadIssuer !== issuer) return 'workload_issuer_mismatch';
  return client.workloadSubject === subject ? null : 'workload_subject_mismatch';
}
