/** Who is asking: reading the client's credentials, and proving them (RFC 6749 §2.3, §3.2.1; OAuth 2.1 §2.4). */
import { matchesStoredSecret, storedSecretMac } from '../crypto/client-secret.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { type RawSecret, rawSecret } from '../crypto/secret-types.ts';
import type { TokenClient } from '../model/client.ts';
import { parseBasic } from '../oauth/basic-auth.ts';
import type { Parameters } from '../oauth/parameters.ts';
import type { TokenReason } from '../oauth/refusals.ts';
import { type Refused, refuse, type TokenDeps } from './grant-type.ts';

export type ClientClaim = { readonly clientId: string; readonly secret: RawSecret | null };

/** @returns one claim, or two readings of one Basic header (see src/oauth/basic-auth.ts). */
export function readClientClaims(
  authorization: string | undefined,
  parameters: Parameters<'client_id' | 'client_secret'>,
): readonly ClientClaim[] | Refused {
  const clientId = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  if (authorization === undefined) {
    if (clientId === null)
      return secret === null ? refuse('client_authentication_missing') : refuse('missing_parameter', 'client_id');
    return [{ clientId, secret: secret === null ? null : rawSecret(secret) }];
  }
  // RFC 6749 §2.3: the client MUST NOT use more than one authentication method in each request.
  if (secret !== null) return refuse('two_client_authentications', 'client_secret');
  const readings = parseBasic(authorization);
  if (readings === null) return refuse('malformed_client_authentication');
  const matching = clientId === null ? readings : readings.filter((one) => one.clientId === clientId);
  if (matching.length === 0) return refuse('two_client_authentications', 'client_id');
  return matching.map((one) => ({ clientId: one.clientId, secret: rawSecret(one.clientSecret) }));
}

/** @returns what was loaded, with the client that its claim proves. */
export async function proveClient<Client extends TokenClient, Read extends { readonly client: Client | null }>(
  deps: TokenDeps,
  claims: readonly ClientClaim[],
  load: (clientId: string) => Promise<Read>,
): Promise<(Read & { readonly client: NonNullable<Read['client']> }) | Refused> {
  let reason: TokenReason = 'client_unknown';
  for (const claim of claims) {
    const loaded = await load(claim.clientId);
    const { client } = loaded;
    const refused = provesClient(deps.keys, claim, client);
    if (refused === null && client) {
      await renewSecretMac(deps, claim, client);
      return { ...loaded, client };
    }
    reason = refused ?? reason;
  }
  return refuse(reason);
}

/** @returns why the claim is not proven; null when it is. A correct secret is never throttled. */
function provesClient(keys: RootKeys, claim: ClientClaim, client: TokenClient | null): TokenReason | null {
  // The same work for a client that does not exist: time does not tell which ids do.
  const matches = claim.secret !== null && matchesStoredSecret(keys, client?.secretMacs ?? nobody(keys), claim.secret);
  if (!client || client.deletedAt !== null) return 'client_unknown';
  if (client.tokenEndpointAuthMethod === 'none') return claim.secret === null ? null : 'client_has_no_secret';
  if (claim.secret === null) return 'client_authentication_missing';
  return matches ? null : 'client_secret_mismatch';
}

let nobodys: { keys: RootKeys; macs: TokenClient['secretMacs'] } | null = null;
function nobody(keys: RootKeys): TokenClient['secretMacs'] {
  if (nobodys?.keys !== keys) nobodys = { keys, macs: [storedSecretMac(keys, rawSecret('nobody'))] };
  return nobodys.macs;
}

/** After the root secret was rotated: the proven secret is stored under the one that makes today. */
async function renewSecretMac(deps: TokenDeps, claim: ClientClaim, client: TokenClient): Promise<void> {
  const { secret } = claim;
  if (secret === null) return;
  const old = client.secretMacs.find(
    (one) => one.keyId !== deps.keys.first.id && matchesStoredSecret(deps.keys, [one], secret),
  );
  if (!old) return;
  const fresh = storedSecretMac(deps.keys, secret);
  await deps.renewSecretMac(
    client,
    client.secretMacs.map((one) => (one === old ? fresh : one)),
  );
}
