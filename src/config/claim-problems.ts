/** Conflicts between the scopes of claims.yaml and the resources. */
import type { ClaimsPolicy } from '../../policies/claims-schema.ts';
import type { Resource } from '../../policies/schema.ts';
import { CLAIMS_FILE } from './configuration.ts';
import { nearestOf } from './nearest.ts';
import { type Path, type Problem, problemsIn, type ReadFile } from './problem.ts';
import { shown } from './shown.ts';

type Checks = {
  readonly resources: readonly Resource[];
  /** The scopes of OpenID Connect, whose words are fixed. */
  readonly standard: readonly string[];
};

/** Scopes without words for consent, and claims in places that their scope never reaches. */
export function claimProblems(file: ReadFile<ClaimsPolicy>, { resources, standard }: Checks): readonly Problem[] {
  const problemAt = problemsIn(CLAIMS_FILE, file);
  const ofResources = new Set(resources.flatMap((resource) => resource.scopes.map(({ name }) => name)));
  return file.value.scopes.flatMap((scope, index) => {
    const isStandard = standard.includes(scope.name);
    const isOfResource = ofResources.has(scope.name);
    const problem = (path: Path, found: string, allowed: string, nearest: string | null = null) =>
      problemAt(['scopes', index, ...path], found, allowed, nearest);
    if (scope.name === 'offline_access') {
      return [problem(['name'], shown(scope.name), 'a scope that can ask for claims')];
    }
    if (scope.description !== undefined && isStandard) {
      return [problem(['description'], shown(scope.description), 'none: the words of this scope are fixed')];
    }
    if (scope.description === undefined && !isStandard && !isOfResource) {
      const nearest = nearestOf(scope.name, [...standard, ...ofResources], (length) => Math.min(3, length / 2));
      const allowed = 'a description (for consent), or the name of a scope of resources.yaml or of OpenID Connect';
      return [problem(['name'], `${shown(scope.name)} without a description`, allowed, nearest)];
    }
    const isOfIdentity = isStandard || scope.description !== undefined;
    return scope.claims.flatMap((claim, at) =>
      claim.in.flatMap((place, of) => {
        const path = ['claims', at, 'in', of];
        if (place === 'access_token' && !isOfResource) {
          return [
            problem(path, shown(place), 'userinfo or id_token: no resource has this scope, so no token for an API'),
          ];
        }
        if (place !== 'access_token' && !isOfIdentity) {
          return [
            problem(path, shown(place), 'access_token, or a description, which makes the scope one about identity'),
          ];
        }
        return [];
      }),
    );
  });
}
