/** What the access tokens of a resource are signed with: a key has to exist for it, and a token has one signature. */
import type { Resource, SigningKeyPolicy } from '../../policies/schema.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { SIGNING_KEYS_FILE } from './configuration.ts';
import type { Problem } from './problem.ts';
import { oneOf } from './shown.ts';

export const DEFAULT_ACCESS_TOKEN_ALGORITHM: SigningAlgorithm = 'ES256';

export const signingAlgorithmOf = ({ accessTokenSigningAlgorithm }: Resource): SigningAlgorithm =>
  accessTokenSigningAlgorithm ?? DEFAULT_ACCESS_TOKEN_ALGORITHM;

type ResourcesFile = {
  readonly value: { readonly resources: readonly Resource[] };
  readonly lineOf: (path: readonly PropertyKey[]) => number | null;
};

/** Resources that ask for an algorithm without keys. */
export const resourcesWithoutSigner = (
  { value, lineOf }: ResourcesFile,
  { algorithms }: SigningKeyPolicy,
): readonly Problem[] =>
  value.resources.flatMap((resource, index): Problem[] => {
    const algorithm = signingAlgorithmOf(resource);
    if (algorithms.includes(algorithm)) return [];
    const key = `resources.${index}.accessTokenSigningAlgorithm`;
    const line = lineOf(['resources', index, 'accessTokenSigningAlgorithm']);
    const allowed = `${oneOf(algorithms)} (algorithms of ${SIGNING_KEYS_FILE})`;
    return [{ file: 'resources.yaml', line, key, found: JSON.stringify(algorithm), allowed, nearest: null }];
  });
