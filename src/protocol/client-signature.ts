/** The check of a signature against the keys that a client is registered with (`jwks`, `jwks_uri`). */
import { isOfClient, isSameAlgorithm, type PublicJwk } from '../crypto/client-keys.ts';
import { candidates, isSignedBy, type SignedByClient } from '../crypto/client-signature.ts';
import type { Client } from '../model/client.ts';
import type { TokenReason } from '../oauth/refusals.ts';
import { type ClientSigningAlgorithm, ONLY_WHERE_REGISTERED } from '../oauth/signing-algorithms.ts';
import type { PublishedKeys } from './published-keys.ts';

export type ClientSignatureDeps = { readonly publishedKeys: Pick<PublishedKeys, 'at'> };

export type ClientSignatureProblem =
  | 'other_algorithm'
  | 'keys_unavailable'
  | 'key_unknown'
  | 'key_not_named'
  | 'mismatch';

/** Where the signature authenticates the client. */
export const SIGNATURE_REASONS: Readonly<Record<ClientSignatureProblem, TokenReason>> = {
  other_algorithm: 'client_assertion_other_algorithm',
  keys_unavailable: 'client_keys_unavailable',
  key_unknown: 'client_key_unknown',
  key_not_named: 'client_key_not_named',
  mismatch: 'client_assertion_mismatch',
};

/** The holder of the private keys: the client, or the platform of its workload. */
type Signer = 'client' | 'platform';

type WithKeys = Pick<Client, 'jwks' | 'jwksUri' | 'registeredBy'>;

/**
 * @param registered the one algorithm that the client may use. Null: any but those that count only where registered. A
 * platform does not ask which ones, so each counts.
 * @returns null: one of its keys signed.
 */
export async function checkClientSignature(
  deps: ClientSignatureDeps,
  client: WithKeys,
  registered: ClientSigningAlgorithm | null,
  signed: SignedByClient,
  signer: Signer = 'client',
): Promise<ClientSignatureProblem | null> {
  const problemAfterWork = (problem: ClientSignatureProblem) => {
    workAsFor(signed);
    return problem;
  };
  if (!mayUse(registered, signed, signer)) return problemAfterWork('other_algorithm');
  const keys = await keysOf(deps, client, signed, signer);
  if (keys === null) return problemAfterWork('keys_unavailable');
  const found = candidates(signed, keys);
  const [key] = found;
  if (key === undefined) return problemAfterWork('key_unknown');
  // OpenID Connect Core §10.1: with several keys, the header names one.
  if (found.length > 1) return problemAfterWork('key_not_named');
  return isSignedBy(signed, key) ? null : 'mismatch';
}

const keysOf = async (
  { publishedKeys }: ClientSignatureDeps,
  { jwks, jwksUri, registeredBy }: WithKeys,
  signed: SignedByClient,
  signer: Signer,
): Promise<readonly PublicJwk[] | null> => {
  const own = (keys: readonly PublicJwk[]) => (signer === 'client' ? keys.filter(isOfClient) : keys);
  const keys =
    jwksUri === null
      ? (jwks?.keys ?? [])
      : await publishedKeys.at(jwksUri, { registeredBy }, (published) => candidates(signed, own(published)).length > 0);
  return keys && own(keys);
};

const mayUse = (registered: ClientSigningAlgorithm | null, { alg }: SignedByClient, signer: Signer): boolean =>
  registered === null
    ? signer === 'platform' || !ONLY_WHERE_REGISTERED.includes(alg)
    : isSameAlgorithm(registered, alg);

/** Of no client: one for each kind, since the sender chooses the algorithm. */
const NO_CLIENTS_KEYS: readonly PublicJwk[] = [
  {
    kty: 'EC',
    crv: 'P-256',
    x: 'axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY',
    y: 'T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU',
  },
  { kty: 'OKP', crv: 'Ed25519', x: 'abkjUBntJ1qUZ_3QknwtsH-9woMpumgeu27iAOoQtkM' },
  {
    kty: 'RSA',
    e: 'AQAB',
    n: 'y3bwFEpimWYECfxBBwrP4nL00Sgf5y_OlNKz-dwfoVZPMWNGjtHWPMuJZACZ0kVUlybs91sgj0-R-0xGMujD8dBcRHwum9ujsqTccBO6MlK9Llj-rEDEwzxXTi_YEmpRH8SICtFhINeAHzM0vrcJw4KGRRZLHQsmTyTNjkdCMW0dMsx8IwSwkmKVzqv8xvS5v1sZgHMVFCE9Z3A_RP0lrbPktk-zTjuryvw34DxQCssL_s3wvSTswK6PQn9xdGVsdnAvG3PS1k7pno_IQhgFwpd7U68iiIUkrP2JdoTHhVgDJZ-eUzwG9At5IGhh09Iq-R8HJFanVVrYyvOVIXbBpw',
  },
];

/** The work of a check that does not happen, so that the time does not tell why. */
export function workAsFor(signed: SignedByClient): void {
  for (const key of candidates({ ...signed, kid: null }, NO_CLIENTS_KEYS)) isSignedBy(signed, key);
}
