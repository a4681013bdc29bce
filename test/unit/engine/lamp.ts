/** A lifecycle of three lines, to test the engine with any lifecycle. The effects have names of the vocabulary and no meaning. */
import { type AnyStateMachine, createMachine } from 'xstate';
import type { Lifecycle } from '../../../src/engine/lifecycle.ts';

export type Lamp = { readonly state: string; readonly presses: number; readonly note?: string };
export type LampFacts = { readonly by: string };
type LampCommit = { readonly from: string; readonly to: string; readonly by: string; readonly lines: number };
export type LampLifecycle = Lifecycle<Lamp, LampFacts, LampCommit>;

type Arm = { readonly target?: string; readonly actions?: unknown };

/** @param arms by state, by event. */
export const machineOf = (arms: Record<string, Record<string, Arm>>, id = 'lamp'): AnyStateMachine =>
  createMachine({
    id,
    initial: Object.keys(arms)[0] ?? '',
    states: Object.fromEntries(Object.entries(arms).map(([state, on]) => [state, { on }])),
  } as never) as AnyStateMachine;

/** `on`: the arms of the states; the rest overrides the lifecycle. */
export function lampLifecycle(
  arms: Record<string, Record<string, Arm>>,
  overrides: Partial<LampLifecycle> | Record<string, unknown> = {},
): LampLifecycle {
  return {
    machine: machineOf(arms),
    stateOf: ({ state }: Lamp) => state,
    contextOf: () => ({}),
    changes: {},
    answers: {},
    commitOf: ({ before, after }: { before: Lamp; after: Lamp }, { by }: LampFacts, entries: readonly unknown[]) => ({
      from: before.state,
      to: after.state,
      by,
      lines: entries.length,
    }),
    ...overrides,
  } as LampLifecycle;
}

export const dark: Lamp = { state: 'dark', presses: 0 };
export const facts: LampFacts = { by: 'hand' };
