/** A misspelt `spec` does not compile, in states, in arms and in arms that states share. `tsc` is what fails here. */
import { expect, expectTypeOf, test } from 'vitest';
import { type AnyStateMachine, type SnapshotFrom, setup } from 'xstate';
import type { RUNNING } from '../../../machines/running.ts';
import type { Meta, SharedArm } from '../../../machines/shared/arm.ts';
import { readMachine } from '../../../src/catalogue/read.ts';

const described = setup({ types: { events: {} as { type: 'presented' }, meta: {} as Meta } });

const shared = {
  description: 'Written once.',
  // @ts-expect-error: Did you mean to write 'spec'?
  meta: { specs: 'RFC 6749' },
} as const satisfies SharedArm;

const sharedByMany = [
  // @ts-expect-error: Did you mean to write 'meta'?
  { guard: 'expired', description: 'Without a reference.', mata: { spec: 'RFC 6749' } },
] as const satisfies readonly SharedArm[];

const misspelt = { description: 'The compiler has not seen it.', meta: { specs: 'RFC 6749' } } as const;

const machine = described.createMachine({
  id: 'misspelt',
  initial: 'active',
  states: {
    active: {
      // @ts-expect-error: Did you mean to write 'spec'?
      meta: { specs: 'RFC 6749' },
      on: {
        presented: {
          // @ts-expect-error: Did you mean to write 'spec'?
          meta: { specs: 'RFC 6749' },
        },
      },
    },
    used: {
      on: {
        presented: [
          // @ts-expect-error: Did you mean to write 'spec'?
          { description: 'Also in a list of arms.', meta: { specs: 'RFC 6749' } },
          // @ts-expect-error: 'mata' is no key of an arm.
          { description: 'Nor is another key.', mata: { spec: 'RFC 6749' } },
        ],
      },
    },
  },
});

described.createMachine({
  initial: 'spread',
  states: {
    // @ts-expect-error: an arm that is spread in is checked, too.
    spread: { on: { presented: [misspelt, { ...misspelt, target: 'spread' }] } },
  },
});

test('every machine in use declares the type of its meta', () => {
  type Running = (typeof RUNNING)[keyof typeof RUNNING];
  type Metas<One> = One extends AnyStateMachine ? ReturnType<SnapshotFrom<One>['getMeta']> : never;
  type Said<One> = Metas<One> extends infer All ? (All extends object ? All[keyof All] : never) : never;
  // Of each machine: in a check of all together, a machine without the declaration would hide behind the others.
  expectTypeOf<[Said<Running>]>().toEqualTypeOf<[Meta | undefined]>();
});

test('the code that does not compile would have run, without a reference', () => {
  const { states } = readMachine(machine.config);
  expect(states.flatMap(({ spec, arms }) => [spec, ...arms.map((arm) => arm.spec)])).toEqual(['', '', '', '', '']);
  expect([shared, ...sharedByMany].filter((arm) => 'meta' in arm && 'spec' in arm.meta)).toEqual([]);
});
