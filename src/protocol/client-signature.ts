/** The check of a signature against the keys of its client (`jwks`, `jwks_uri`). */
import { isSameAlgorithm, type PublicJwk } from '../crypto/client-keys.ts';
import { candidates, isSignedBy, type SignedByClient } from '../crypto/client-signature.ts';
import type { Client } from '../model/client.ts';
import { type ClientSigningAlgorithm, ONLY_WHERE_REGISTERED } from '../oauth/signing-algorithms.ts';
import type { PublishedKeys } from './published-keys.ts';

export type ClientSignatureDeps = { readonly publishedKeys: Pick<PublishedKeys, 'at'> };

export type ClientSignatureProblem =
  | 'other_algorithm'
  | 'keys_unavailable'
  | 'key_unknown'
  | 'key_not_named'
  | 'mismatch';

type WithKeys = Pick<Client, 'jwks' | 'jwksUri'>;

/**
 * @param registered the one algorithm that the client may use. Null: any but those that count only where registered.
 * @returns null: one of its keys signed.
 */
export async function checkClientSignature(
  deps: ClientSignatureDeps,
  client: WithKeys,
  registered: ClientSigningAlgorithm | null,
  signed: SignedByClient,
): Promise<ClientSignatureProblem | null> {
  const problemAfterWork = (problem: ClientSignatureProblem) => {
    workAsFor(signed);
    return problem;
  };
  if (!mayUse(registered, signed)) return problemAfterWork('other_algorithm');
  const keys = await keysOf(deps, client, signed);
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
  { jwks, jwksUri }: WithKeys,
  signed: SignedByClient,
): Promise<readonly PublicJwk[] | null> =>
  jwksUri === null ? (jwks?.keys ?? []) : publishedKeys.at(jwksUri, (keys) => candidates(signed, keys).length > 0);

const mayUse = (registered: ClientSigningAlgorithm | null, { alg }: SignedByClient): boolean =>
  registered === null ? !ONLY_WHERE_REGISTERED.includes(alg) : isSameAlgorithm(registered, alg);

/** Of no client. */
const NO_CLIENTS_KEYS: readonly PublicJwk[] = [
  {
    kty: 'EC',
    crv: 'P-256',
    x: 'axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY',
    y: 'T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU',
  },
];

/** The work of a check that does not happen, so that the time does not tell why. */
export function workAsFor(signed: SignedByClient): void {
  for (const key of candidates({ ...signed, kid: null }, NO_CLIENTS_KEYS)) isSignedBy(signed, key);
}
