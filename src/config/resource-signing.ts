/** The signing algorithm of a resource's access tokens needs a key. */
import type { ResourcesFile, SigningKeyPolicy } from '../../policies/schema.ts';
import { RESOURCES_FILE, SIGNING_KEYS_FILE, signingAlgorithmOf } from './configuration.ts';
import { type Problem, problemsIn, type ReadFile } from './problem.ts';
import { oneOf, shown } from './shown.ts';

/** Resources that ask for an algorithm without keys. */
export function resourcesWithoutSigner(
  file: ReadFile<ResourcesFile>,
  { algorithms }: SigningKeyPolicy,
): readonly Problem[] {
  const problem = problemsIn(RESOURCES_FILE, file);
  return file.value.resources.flatMap((resource, index) => {
    const algorithm = signingAlgorithmOf(resource);
    if (algorithms.includes(algorithm)) return [];
    const allowed = `${oneOf(algorithms)} (algorithms of ${SIGNING_KEYS_FILE})`;
    return [problem(['resources', index, 'accessTokenSigningAlgorithm'], shown(algorithm), allowed)];
  });
}
