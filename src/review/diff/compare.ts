/** Two sides, compared in words that a reviewer can approve, with the invariants decided again for the new one. */

import { readMachine } from '../../catalogue/read.ts';
import { changesBetween } from '../../config/changes.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import { type MachineOf, type Proof, prove, proveForEveryPolicy } from '../proof/prove.ts';
import type { Bounds } from '../proof/walk.ts';
import { type ConfigurationChange, meaningOfClientField, meaningOfResourceChange } from './ceiling-changes.ts';
import { guardChanges } from './guard-changes.ts';
import { type PolicyChange, policyChanges } from './lifetime-changes.ts';
import { type MachineChange, machineChanges } from './machine-changes.ts';
import { meaningOfRoleChange } from './role-changes.ts';
import type { Side } from './sides.ts';

export type Comparison = {
  readonly from: string;
  readonly to: string;
  readonly machines: readonly MachineChange[];
  readonly policies: readonly PolicyChange[];
  /** Resources, sign-in, signing keys, roles and declared clients: key by key. */
  readonly configuration: readonly ConfigurationChange[];
  /** One for each policy of the new side. */
  readonly proofs: readonly Proof[];
  /** The invariants that depend on no policy; where no machine has changed, their verdicts stay. */
  readonly proofsForEveryPolicy: readonly Proof[];
  /** A machine that the engine will not even start with. */
  readonly refused: string | null;
};

type Proving = {
  readonly bounds?: readonly Bounds[] | undefined;
  /** Only where a machine has changed: the verdicts about the others are known. */
  readonly onlyChangedMachines?: boolean;
};

export function compare(before: Side, after: Side, { bounds, onlyChangedMachines = false }: Proving = {}): Comparison {
  const machines = [...machineChanges(readAll(before), readAll(after)), ...guardChanges(before, after)];
  const configuration = changesBetween(before.configuration, after.configuration);
  const changed = machines.map(({ machine }) => machine);
  const proved = onlyChangedMachines && changed.length === 0 ? NOT_PROVED : proofsOf(after, bounds, changed);
  return {
    from: before.name,
    to: after.name,
    machines,
    policies: policyChanges(before.configuration.policies, after.configuration.policies),
    configuration: [
      ...configuration
        .filter(({ key }) => !key.startsWith('policies.'))
        .map((change) =>
          withMeaning(
            change,
            meaningOfResourceChange(before.configuration, after.configuration, change) ?? meaningOfRoleChange(change),
          ),
        ),
      ...clientChanges(before, after),
    ],
    ...proved,
  };
}

const NOT_PROVED = { proofs: [], proofsForEveryPolicy: [], refused: null };

const readAll = ({ machines }: Side) => machines.map(({ config }) => readMachine(config));

/** The machines of that side decide; one that it does not have is that of this installation. */
function proofsOf(
  { configuration, machines }: Side,
  bounds: readonly Bounds[] | undefined,
  changed: readonly string[],
): Pick<Comparison, 'proofs' | 'proofsForEveryPolicy' | 'refused'> {
  const machineOf: MachineOf = (machine) => machines.find(({ id }) => id === machine.id) ?? machine;
  try {
    const proofs = [...configuration.policies].map(([name, policy]) => prove({ name, ...policy }, bounds, machineOf));
    return { proofs, proofsForEveryPolicy: proveForEveryPolicy(machineOf, changed), refused: null };
  } catch (error) {
    if (!(error instanceof InvariantViolation)) throw error;
    return { proofs: [], proofsForEveryPolicy: [], refused: error.message };
  }
}

const withMeaning = (change: ConfigurationChange, means: string | null): ConfigurationChange =>
  means === null ? change : { ...change, means };

/** Declared clients, field by field; secrets are named, never shown. */
function clientChanges(before: Side, after: Side): ConfigurationChange[] {
  const [old, fresh] = [before, after].map(
    ({ configuration }) =>
      new Map(configuration.declaredClients.map(({ record }) => [record.client_id, record as Record<string, unknown>])),
  );
  const ids = [...new Set([...(old?.keys() ?? []), ...(fresh?.keys() ?? [])])];
  return ids.flatMap((id) => {
    const [from = {}, to = {}] = [old?.get(id), fresh?.get(id)];
    if (!fresh?.has(id)) return [{ key: `clients.${id}`, from: 'declared', to: 'removed: its grants end' }];
    if (!old?.has(id)) return [{ key: `clients.${id}`, from: null, to: 'declared' }];
    return [...new Set([...Object.keys(from), ...Object.keys(to)])]
      .filter((field) => JSON.stringify(from[field]) !== JSON.stringify(to[field]))
      .map((field) =>
        withMeaning(
          { key: `clients.${id}.${field}`, from: shown(field, from[field]), to: shown(field, to[field]) },
          meaningOfClientField(field, from, to),
        ),
      );
  });
}

const shown = (field: string, value: unknown): unknown =>
  field === 'client_secret_sha256' && value !== undefined
    ? 'a secret'
    : Array.isArray(value)
      ? value.join(' ')
      : (value ?? null);
