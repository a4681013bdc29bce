/** Problems of operators.yaml beyond its schema: a duplicate name, or a scope that the management API does not have. */
import type { OperatorsFile } from '../../policies/operators-schema.ts';
import { usernameKey } from '../oauth/username.ts';
import { OPERATORS_FILE } from './configuration.ts';
import { MANAGEMENT_SCOPE_NAMES } from './management-resource.ts';
import { nearestOf } from './nearest.ts';
import { type Path, type Problem, problemsIn, type ReadFile } from './problem.ts';
import { oneOf, shown } from './shown.ts';

type Entry = { readonly path: Path; readonly name: string; readonly key: string };

export function operatorProblems(file: ReadFile<OperatorsFile>): readonly Problem[] {
  const { value, lineOf } = file;
  const problem = problemsIn(OPERATORS_FILE, file);
  const twice = (entries: readonly Entry[], allowed: string) =>
    entries.flatMap(({ path, name, key }, at) => {
      const first = entries.findIndex((entry) => entry.key === key);
      if (first === at) return [];
      const before = entries[first];
      return [problem(path, `${shown(name)} a second time (first in line ${before && lineOf(before.path)})`, allowed)];
    });
  const people = (['operators', 'auditors'] as const).flatMap((role) =>
    value[role].map((name, at) => ({ path: [role, at], name, key: usernameKey(name) })),
  );
  const clients = value.clients.map(({ client_id: id }, at) => ({
    path: ['clients', at, 'client_id'],
    name: id,
    key: id,
  }));
  return [
    ...twice(people, 'each username once, as an operator or as an auditor'),
    ...twice(clients, 'each client_id once'),
    ...value.clients.flatMap(({ scope }, at) =>
      scope
        .filter((name) => !MANAGEMENT_SCOPE_NAMES.includes(name))
        .map((name) =>
          problem(
            ['clients', at, 'scope'],
            shown(name),
            `scopes of the management API: ${oneOf(MANAGEMENT_SCOPE_NAMES)}`,
            nearestOf(name, MANAGEMENT_SCOPE_NAMES, (length) => length / 2),
          ),
        ),
    ),
  ];
}
