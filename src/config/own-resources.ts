/** The resources of this server itself need no entry in resources.yaml, and cannot have one. */
import type { Resource } from '../../policies/schema.ts';
import { type Configuration, OPERATORS_FILE } from './configuration.ts';
import type { Problem } from './problem.ts';

type ResourcesFile = {
  readonly value: { readonly resources: readonly Resource[] };
  readonly lineOf: (path: readonly PropertyKey[]) => number | null;
};

export const declaredOwnResources = (
  { value, lineOf }: ResourcesFile,
  own: Pick<Configuration, 'identity' | 'management'>,
): readonly Problem[] =>
  value.resources.flatMap(({ identifier }, index): Problem[] => {
    const same = WORDS.filter(({ of }) => own[of].identifier === identifier);
    return same.map(({ found, instead }) => ({
      file: 'resources.yaml',
      line: lineOf(['resources', index, 'identifier']),
      key: `resources.${index}.identifier`,
      found,
      allowed: `the identifier of an API (${instead}, which needs no entry)`,
      nearest: null,
    }));
  });

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
