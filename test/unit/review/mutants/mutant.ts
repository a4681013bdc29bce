/** One thing that is wrong, put in the place of the right one. */
import type { AuthorizationWalk } from '../../../../src/lifecycles/grant/walk/ports.ts';
import type { AnyWalk } from '../../../../src/review/proof/walk.ts';

export type Mutant<Right extends AnyWalk = AuthorizationWalk> = {
  readonly what: string;
  readonly part: 'machine' | 'predicate' | 'policy' | 'engine' | 'guard of the commit';
  readonly walkOf: (right: Right) => Right;
  /** Another net that holds it; null: it does not. */
  readonly alsoSeenBy?: () => string | null;
  /** Why no invariant can see it; who does. Absent: the proof has to. */
  readonly survives?: string;
};

type AnyRequest = ReturnType<AnyWalk['requestOf']>;
type AnyLifecycle = AnyRequest['lifecycle'];

/** The same walk, with something changed in the lifecycle that this machine decides for. */
export const withLifecycle = <Right extends AnyWalk>(
  right: Right,
  machine: string,
  change: (lifecycle: AnyLifecycle, asked: Parameters<Right['requestOf']>[0], request: AnyRequest) => AnyLifecycle,
): Right => ({
  ...right,
  requestOf: (asked: Parameters<Right['requestOf']>[0], draw: number) => {
    const request = right.requestOf(asked, draw);
    const { lifecycle } = request;
    return lifecycle.machine.id === machine ? { ...request, lifecycle: change(lifecycle, asked, request) } : request;
  },
});

/** The machine of this id is another. */
export const withMachine = <Right extends AnyWalk>(
  right: Right,
  id: string,
  change: (machine: AnyLifecycle['machine']) => AnyLifecycle['machine'],
): Right => {
  const changed = new Map<string, AnyLifecycle['machine']>();
  return {
    ...right,
    machineOf: (machine: AnyLifecycle['machine']) => {
      const other = changed.get(machine.id) ?? (machine.id === id ? change(machine) : right.machineOf(machine));
      changed.set(machine.id, other);
      return other;
    },
  };
};
