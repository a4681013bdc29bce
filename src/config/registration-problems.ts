/** Names in registration.yaml that no other file has, and access that no stranger may have. */
import type { IntroducedAccess, Registration } from '../../policies/registration-schema.ts';
import type { Policy, Resource } from '../../policies/schema.ts';
import { REGISTRATION_FILE } from './configuration.ts';
import { nearestOf } from './nearest.ts';
import { type Path, type Problem, problemsIn, type ReadFile } from './problem.ts';
import { shown } from './shown.ts';

type Known = {
  readonly policies: ReadonlyMap<string, Policy>;
  readonly resources: readonly Resource[];
  readonly identity: Resource;
};

export const registrationProblems = (file: ReadFile<Registration>, known: Known): readonly Problem[] =>
  (['metadataDocuments', 'dynamicRegistration'] as const).flatMap((part) => {
    const rules = file.value[part];
    return rules === undefined ? [] : accessProblems(part, rules, file, known);
  });

function accessProblems(
  part: keyof Registration,
  rules: IntroducedAccess,
  file: ReadFile<Registration>,
  known: Known,
): readonly Problem[] {
  const problem = problemsIn(REGISTRATION_FILE, file);
  const unknown = (path: Path, found: string, names: readonly string[], allowed: string): readonly Problem[] => {
    if (names.includes(found)) return [];
    const nearest = nearestOf(found, names, (length) => Math.min(3, length / 2));
    return [problem([part, ...path], shown(found), allowed, nearest)];
  };
  const resources = known.resources.filter(({ identifier }) => rules.resources.includes(identifier));
  const scopes = [known.identity, ...resources].flatMap((one) => one.scopes.map(({ name }) => name));
  const identifiers = known.resources.map(({ identifier }) => identifier);
  return [
    ...unknown(['policy'], rules.policy, [...known.policies.keys()], 'the name of a policy file'),
    ...rules.resources.flatMap((one, at) =>
      unknown(['resources', at], one, identifiers, 'the identifier of a resource in resources.yaml'),
    ),
    ...rules.scopes.flatMap((one, at) =>
      unknown(
        ['scopes', at],
        one,
        [...scopes, 'offline_access'],
        'a scope of one of these resources, or of OpenID Connect',
      ),
    ),
  ];
}
