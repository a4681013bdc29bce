/** The reader agrees with XState, and keeps as text everything outside its model. */
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, it, test } from 'vitest';
import { and, createMachine, not, or, setup } from 'xstate';
import { callWords, effectWords } from '../../../src/catalogue/calls.ts';
import { readGuard } from '../../../src/catalogue/guards.ts';
import { statesReachableFrom } from '../../../src/catalogue/reach.ts';
import { armsOf, questionOf, readMachine } from '../../../src/catalogue/read.ts';
import { type Numbers, numbersOf } from '../../../src/review/drawing/policy-numbers.ts';
import { subjects } from '../machines/catalogue.ts';
import { NUMBERS } from '../review/drawing/numbers.ts';
import { asJson, guardWords } from './written.ts';

const DOOR = {
  id: 'door',
  initial: 'closed',
  states: {
    closed: {
      description: 'Shut.',
      meta: { spec: 'RFC 1 §1' },
      on: {
        pushed: [
          { guard: 'locked', actions: { type: 'reject', params: { reason: 'locked', times: 2 } } },
          { target: 'open', actions: ['creak', { type: 'greet' }], description: 'In.', meta: { spec: 'RFC 1 §2' } },
        ],
        pulled: 'open',
        kicked: undefined,
      },
    },
    open: { on: { pushed: { target: '#door.closed', reenter: true }, pulled: { target: 'gone' } } },
  },
};

describe('a machine', () => {
  const machine = readMachine(DOOR);

  it('has its states in order, and the missing ones last', () => {
    expect(machine).toMatchObject({ name: 'door', initial: 'closed', also: '' });
    expect(machine.states.map(({ name, isInitial, exists }) => ({ name, isInitial, exists }))).toEqual([
      { name: 'closed', isInitial: true, exists: true },
      { name: 'open', isInitial: false, exists: true },
      { name: 'gone', isInitial: false, exists: false },
    ]);
    expect(machine.states[0]).toMatchObject({ description: 'Shut.', spec: 'RFC 1 §1', also: '' });
  });

  it('has its arms in the order of their evaluation', () => {
    const [first, second, ...none] = armsOf(machine, 'closed', 'pushed');
    expect(none).toEqual([]);
    expect(first).toMatchObject({ state: 'closed', event: 'pushed', place: 1, of: 2, guard: 'locked', to: 'closed' });
    expect(first?.effects).toEqual([{ name: 'reject', params: { reason: 'locked', times: 2 } }]);
    expect(first?.effects.map(effectWords)).toEqual(['reject locked 2']);
    expect(first?.effects.map(callWords)).toEqual(['reject(locked, 2)']);
    expect(second).toMatchObject({ place: 2, of: 2, guard: null, to: 'open', description: 'In.', spec: 'RFC 1 §2' });
    expect(second?.effects.map(callWords)).toEqual(['creak', 'greet']);
    expect([first, second].flatMap((arm) => (arm ? questionOf(arm) : []))).toEqual(['locked', 'otherwise']);
  });

  it('may be written in the short form', () => {
    expect(armsOf(machine, 'closed', 'pulled')).toMatchObject([{ to: 'open', guard: null, of: 1 }]);
    expect(armsOf(machine, 'closed', 'kicked')).toMatchObject([{ to: 'closed', effects: [], also: '' }]);
    expect(armsOf(machine, 'open', 'pushed')).toMatchObject([{ to: 'closed', also: 'reenter: true' }]);
    expect(armsOf(machine, 'open', 'kicked')).toEqual([]);
    expect(armsOf(machine, 'nowhere', 'pushed')).toEqual([]);
  });

  it('lists every other property', () => {
    const { also, states } = readMachine({
      ...DOOR,
      on: { fire: { target: 'open' } },
      states: {
        closed: { type: 'final', entry: () => {}, meta: { specs: 'misspelt' } },
        open: { meta: 'RFC 1', on: 'pushed' },
        ajar: 7,
      },
    });
    expect(also).toBe('on: {"fire":{"target":"open"}}');
    expect(states.map((state) => state.also)).toEqual([
      'type: final, entry: "(inline code)", meta: {"specs":"misspelt"}',
      'on: pushed, meta: RFC 1',
      '7',
    ]);
  });

  it.each(subjects)('of $name reads as in XState', ({ config, machine: read }) => {
    const nodes = createMachine(config as unknown as Parameters<typeof createMachine>[0]).states;
    expect(read.states.map(({ name }) => name)).toEqual(Object.keys(nodes));
    for (const state of read.states) {
      const events = Object.entries(nodes[state.name]?.on ?? {});
      const expected = events.flatMap(([event, arms]) =>
        arms.map(({ guard, target, actions, description, meta }) => ({
          event,
          guard: guardWords(guard) ?? null,
          to: target?.[0]?.key ?? state.name,
          effects: actions.map((one) => (typeof one === 'string' ? { type: one } : one)),
          description,
          spec: meta?.['spec'] ?? '',
        })),
      );
      const found = state.arms.map(({ event, guard, to, effects, description, spec }) => ({
        event,
        guard,
        to,
        effects: effects.map(({ name, params }) => ({
          type: name,
          ...(Object.keys(params).length > 0 && { params }),
        })),
        description,
        spec,
      }));
      expect(found).toEqual(expected);
    }
  });

  it.each(subjects)('of $name reads the same from JSON', ({ config, machine: read }) => {
    // JSON has a compound guard as one text, so its parts are left out.
    const withoutWritten = (key: string, value: unknown) =>
      typeof value === 'object' && value !== null && 'written' in value
        ? { ...value, written: null }
        : key === 'asks'
          ? null
          : value;
    const fromJson = readMachine(asJson(config));
    expect(JSON.stringify(fromJson, withoutWritten)).toBe(JSON.stringify(read, withoutWritten));
  });
});

describe('a guard', () => {
  const atLeast = { type: 'atLeast', params: { count: 2 } };
  it.each([
    ['expired', 'expired', ['expired']],
    ['atLeast(2)', atLeast, ['atLeast(2)']],
    ['within(1, noon)', { type: 'within', params: { from: 1, to: 'noon' } }, ['within(1, noon)']],
    ['not expired', not('expired'), ['expired']],
    ['not atLeast(2)', not(atLeast), ['atLeast(2)']],
    ['a and b', and(['a', 'b']), ['a', 'b']],
    ['a or not b', or(['a', not('b')]), ['a', 'b']],
    ['not (a and b)', not(and(['a', 'b'])), ['a', 'b']],
    ['not not a', not(not('a')), ['a']],
    ['(a or b) and c', and([or(['a', 'b']), 'c']), ['a', 'b', 'c']],
    ['(a and b) or c', or([and(['a', 'b']), 'c']), ['a', 'b', 'c']],
    ['a and c', and([or(['a']), 'c']), ['a', 'c']],
    ['a', and(['a']), ['a']],
    ['and()', and([]), []],
    ['(inline code)', () => true, ['(inline code)']],
    ['a and (inline code)', and(['a', () => true]), ['a', '(inline code)']],
    ['atLeast("(inline code)")', { type: 'atLeast', params: () => ({ count: 2 }) }, ['atLeast("(inline code)")']],
    ['{}', {}, ['{}']],
    ['7', 7, ['7']],
    ['null', null, ['null']],
  ])('%s', (words, written, asks) => {
    const guard = readGuard(written);
    expect({ words: guard.words, asks: guard.asks.map(callWords) }).toEqual({ words, asks });
  });

  it("of a machine from XState's setup reads as written", () => {
    const { config } = setup({
      types: { events: {} as { type: 'presented' } },
      guards: { expired: () => true, olderThan: (_, { days }: { days: number }) => days > 1 },
    }).createMachine({
      id: 'refreshToken',
      initial: 'active',
      states: {
        active: {
          on: {
            presented: [
              { guard: and([not('expired'), { type: 'olderThan', params: { days: 30 } }]), target: 'used' },
              {},
            ],
          },
        },
        used: {},
      },
    });
    const [arm] = armsOf(readMachine(config), 'active', 'presented');
    expect(arm).toMatchObject({ guard: 'not expired and olderThan(30)', place: 1, of: 2 });
    // The policy's number is beside the predicate wherever the guard uses it.
    expect(arm && numbersOf('refreshToken', arm, NUMBERS satisfies Numbers)).toBe(
      'after 13 days idle, 117 days at most',
    );
  });
});

describe('the possible next states', () => {
  const machine = readMachine({
    states: {
      a: { on: { go: [{ guard: 'never', target: 'b' }, { target: 'a' }] } },
      b: { on: { go: 'c', back: 'a' } },
      c: { on: { stay: {} } },
      d: { on: { go: ['nowhere', 'c'] } },
      __proto__x: { on: { go: 'd' } },
    },
  });
  it.each([
    ['a', ['a', 'b', 'c']],
    ['b', ['a', 'b', 'c']],
    ['c', ['c']],
    ['d', ['c', 'd', 'nowhere']],
    ['__proto__x', ['__proto__x', 'c', 'd', 'nowhere']],
  ])('of %s: for any result of the guards', (from, states) => {
    expect([...statesReachableFrom(machine, from)].sort()).toEqual(states);
  });
});

/** Mostly of the right shape, so that the wrong parts are reached. */
const anything = fc.jsonValue({ maxDepth: 3 });
const wrong = fc.oneof(
  anything,
  fc.record({
    id: anything,
    initial: anything,
    states: fc.dictionary(fc.string(), fc.record({ on: fc.dictionary(fc.string(), anything), meta: anything })),
  }),
);

property.prop([wrong])('whatever JSON it is given, it reads', (written) => {
  const machine = readMachine(written);
  for (const { name, arms } of machine.states) {
    expect(typeof name).toBe('string');
    for (const arm of arms) expect(machine.states.some((state) => state.name === arm.to)).toBe(true);
    expect(statesReachableFrom(machine, name).has(name)).toBe(true);
  }
});

test.each([undefined, null, 7, 'door', [], [DOOR], () => DOOR])('%s is a machine without states', (written) => {
  expect(readMachine(written)).toMatchObject({ name: 'machine', initial: '', states: [] });
});
