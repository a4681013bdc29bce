/** The resources of this server itself need no entry in resources.yaml, and cannot have one. */
import type { ResourcesFile } from '../../policies/schema.ts';
import { type Configuration, OPERATORS_FILE, RESOURCES_FILE } from './configuration.ts';
import { type Problem, problemsIn, type ReadFile } from './problem.ts';

export function declaredOwnResources(
  file: ReadFile<ResourcesFile>,
  own: Pick<Configuration, 'identity' | 'management'>,
): readonly Problem[] {
  const problem = problemsIn(RESOURCES_FILE, file);
  return file.value.resources.flatMap(({ identifier }, index) =>
    WORDS.filter(({ of }) => own[of].identifier === identifier).map(({ found, instead }) =>
      problem(['resources', index, 'identifier'], found, `the identifier of an API (${instead}, which needs no entry)`),
    ),
  );
}

const WORDS = [
  {
    of: 'identity',
    found: 'the UserInfo Endpoint of this server',
    instead: 'the scope openid asks for the UserInfo Endpoint',
  },
  {
    of: 'management',
    found: 'the management API of this server',
    instead: `${OPERATORS_FILE} says who may use the management API`,
  },
] as const;
