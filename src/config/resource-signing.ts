/** The signing algorithm of a resource's access tokens needs a key. */
import type { Resource, SigningKeyPolicy } from '../../policies/schema.ts';
import { SIGNING_KEYS_FILE, signingAlgorithmOf } from './configuration.ts';
import type { Problem } from './problem.ts';
import { oneOf, shown } from './shown.ts';

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
    return [{ file: 'resources.yaml', line, key, found: shown(algorithm), allowed, nearest: null }];
  });
