import { describe, expect, test } from 'vitest';
import { InvariantViolation } from '../../../src/engine/errors.ts';
import { send, type Turn } from '../../../src/engine/lifecycle.ts';
import { stepOf, stepsOf } from '../../../src/engine/step.ts';
import { dark, facts, type Lamp, lampLifecycle, machineOf } from './lamp.ts';

const goes = (state: string) => (row: Lamp) => ({ ...row, state });
const counts = (row: Lamp) => ({ ...row, presses: row.presses + 1 });
const reject = (reason: string) => ({ type: 'reject', params: { reason } });
const pressed = { type: 'pressed' };

const failureOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('a step', () => {
  test('that changes the state is one ledger entry, with the reason of its effects', () => {
    const lifecycle = lampLifecycle(
      {
        dark: { pressed: { target: 'bright', actions: ['advanceHead', reject('used_up'), reject('a second reason')] } },
        bright: {},
      },
      { changes: { advanceHead: goes('bright') } },
    );
    expect(stepOf(lifecycle, dark, facts, pressed)).toEqual({
      before: dark,
      after: { state: 'bright', presses: 0 },
      decisions: [expect.objectContaining({ machine: 'lamp', event: 'pressed', from: 'dark', to: 'bright' })],
      entries: [{ machine: 'lamp', event: 'pressed', from: 'dark', to: 'bright', reason: 'used_up', generation: null }],
    });
  });

  test('that changes nothing keeps the row itself and writes no entry', () => {
    const lifecycle = lampLifecycle({ dark: { pressed: { actions: [reject('no_power')] } } });
    const step = stepOf(lifecycle, dark, facts, pressed);
    expect(step.after).toBe(dark);
    expect(step.entries).toEqual([]);
    expect(step.decisions).toHaveLength(1);
  });

  test('that changes the row in the same state is an entry, without a reason if no effect has one', () => {
    const lifecycle = lampLifecycle(
      { dark: { pressed: { actions: ['advanceHead'] } } },
      { changes: { advanceHead: counts } },
    );
    expect(stepOf(lifecycle, dark, facts, pressed)).toMatchObject({
      after: { presses: 1 },
      entries: [{ from: 'dark', to: 'dark', reason: null }],
    });
  });

  test('of effects without a decision is no entry', () => {
    const lifecycle = lampLifecycle(
      { dark: { pressed: { actions: ['advanceHead'] } } },
      { changes: { advanceHead: counts }, notAudited: ['advanceHead'] },
    );
    const step = stepOf(lifecycle, dark, facts, pressed);
    expect(step.after).toEqual({ state: 'dark', presses: 1 });
    expect(step.entries).toEqual([]);
  });

  test('is no entry where another lifecycle has it, in another state too', () => {
    const arms = { dark: { pressed: { target: 'bright', actions: ['advanceHead', 'issueTokens'] } }, bright: {} };
    const changes = { advanceHead: goes('bright'), issueTokens: counts };
    const step = stepOf(lampLifecycle(arms, { changes, notAudited: 'everything' }), dark, facts, pressed);
    expect(step.after).toEqual({ state: 'bright', presses: 1 });
    expect(step.entries).toEqual([]);
  });

  test('is an entry when only some of its effects have no decision, in any order', () => {
    const changes = { advanceHead: counts, issueTokens: counts };
    for (const actions of [
      ['advanceHead', 'issueTokens'],
      ['issueTokens', 'advanceHead'],
    ]) {
      const lifecycle = lampLifecycle({ dark: { pressed: { actions } } }, { changes, notAudited: ['advanceHead'] });
      expect(stepOf(lifecycle, dark, facts, pressed).entries).toHaveLength(1);
    }
  });

  test('passes params and facts to the effects', () => {
    const seen: unknown[] = [];
    const notes = (row: Lamp, ...rest: unknown[]) => {
      seen.push(rest);
      return row;
    };
    const lifecycle = lampLifecycle(
      { dark: { pressed: { actions: [reject('no_power'), 'advanceHead'] } } },
      {
        changes: {
          reject: notes,
          advanceHead: notes,
        },
      },
    );
    stepOf(lifecycle, dark, facts, pressed);
    expect(seen).toEqual([
      [facts, { reason: 'no_power' }],
      [facts, undefined],
    ]);
  });

  test('has entries with the facts that the lifecycle adds, of the row afterwards', () => {
    const lifecycle = lampLifecycle(
      { dark: { pressed: { target: 'bright', actions: ['advanceHead'] } }, bright: {} },
      {
        changes: { advanceHead: (row: Lamp) => counts(goes('bright')(row)) },
        ledgerFacts: (row: Lamp) => ({ generation: BigInt(row.presses) }),
      },
    );
    expect(stepOf(lifecycle, dark, facts, pressed).entries).toMatchObject([{ generation: 1n }]);
  });

  test('uses the machine that replaces the own machine of the lifecycle', () => {
    const lifecycle = lampLifecycle(
      { dark: { pressed: { actions: ['advanceHead'] } } },
      { changes: { advanceHead: counts } },
    );
    const other = machineOf({ dark: { pressed: {} } }, 'other');
    expect(stepOf(lifecycle, dark, facts, pressed, () => other)).toMatchObject({
      after: { presses: 0 },
      decisions: [{ machine: 'other' }],
    });
  });
});

describe('an effect that is an event', () => {
  const bulb = lampLifecycle(
    { dark: { lit: { target: 'bright', actions: ['issueTokens'] } }, bright: { lit: {} } },
    {
      machine: machineOf(
        { dark: { lit: { target: 'bright', actions: ['issueTokens'] } }, bright: { lit: {} } },
        'bulb',
      ),
      changes: { issueTokens: goes('bright') },
    },
  );
  const switchOf = (actions: unknown[], changes: Record<string, unknown>) =>
    lampLifecycle(
      { dark: { pressed: { target: 'bright', actions } }, bright: {} },
      {
        machine: machineOf({ dark: { pressed: { target: 'bright', actions } }, bright: {} }, 'switch'),
        changes,
        sends: { reject: () => send(bulb, facts, { type: 'lit' }) },
      },
    );

  test('is decided by the other lifecycle on the same row, and both are reported', () => {
    const { after, decisions, entries } = stepOf(switchOf([reject('no_power')], {}), dark, facts, pressed);
    expect(after.state).toBe('bright');
    expect(decisions.map(({ machine }) => machine)).toEqual(['switch', 'bulb']);
    // The switch changed nothing itself: its entry stands before that of the bulb.
    expect(entries.map(({ machine }) => machine)).toEqual(['switch', 'bulb']);
  });

  test('has its entry after that of its sender if the sender changed the row before', () => {
    const step = stepOf(switchOf(['advanceHead', reject('no_power')], { advanceHead: counts }), dark, facts, pressed);
    expect(step.entries.map(({ machine }) => machine)).toEqual(['switch', 'bulb']);
  });

  test('has its entry before that of its sender if the sender changed the row afterwards, and only once', () => {
    const changes = { advanceHead: counts, revokeGrant: counts };
    const step = stepOf(switchOf([reject('no_power'), 'advanceHead', 'revokeGrant'], changes), dark, facts, pressed);
    expect(step.entries.map(({ machine }) => machine)).toEqual(['bulb', 'switch']);
    expect(step.after.presses).toBe(2);
  });

  test('stands between two changes of its sender: the first of them has the entry', () => {
    const changes = { advanceHead: counts, revokeGrant: counts };
    const step = stepOf(switchOf(['advanceHead', reject('no_power'), 'revokeGrant'], changes), dark, facts, pressed);
    expect(step.entries.map(({ machine }) => machine)).toEqual(['switch', 'bulb']);
  });

  test('is sent only when the lifecycle requests it', () => {
    const lifecycle = lampLifecycle({ dark: { pressed: { actions: [reject('no_power')] } } }, { sends: {} });
    expect(stepOf(lifecycle, dark, facts, pressed).decisions).toHaveLength(1);
  });
});

describe('a defect is an invariant violation with its position', () => {
  const wrong: [name: string, lifecycle: () => ReturnType<typeof lampLifecycle>, message: string][] = [
    [
      'effects that make another state than the machine says',
      () => lampLifecycle({ dark: { pressed: { target: 'bright' } }, bright: {} }),
      'lamp: the machine says bright, its effects make dark',
    ],
    [
      'an invariant of the lifecycle',
      () => lampLifecycle({ dark: { pressed: {} } }, { violation: () => 'two lamps' }),
      'lamp: pressed in dark: two lamps',
    ],
    [
      'no answer where one is needed',
      () => lampLifecycle({ dark: { pressed: {} } }, { answers: { pressed: ['reject', 'issueTokens'] } }),
      'lamp: pressed in dark has 0 answers; expected exactly one',
    ],
    [
      'two answers',
      () =>
        lampLifecycle(
          { dark: { pressed: { actions: [reject('no_power'), 'issueTokens'] } } },
          { answers: { pressed: ['reject', 'issueTokens'] } },
        ),
      'lamp: pressed in dark has 2 answers; expected exactly one',
    ],
  ];
  test.each(wrong)('%s', (_, lifecycle, message) => {
    const failure = failureOf(() => stepOf(lifecycle(), dark, facts, pressed));
    expect(failure).toBeInstanceOf(InvariantViolation);
    expect(failure).toMatchObject({ message });
  });

  test('one answer is enough, and unlisted events need none', () => {
    const answers = { pressed: ['reject', 'issueTokens'] };
    const arms = { dark: { pressed: { actions: [reject('no_power')] }, pulled: {} } };
    for (const type of ['pressed', 'pulled']) {
      expect(stepOf(lampLifecycle(arms, { answers }), dark, facts, { type }).after).toBe(dark);
    }
  });

  test('an invariant that holds reports nothing, and sees the whole step', () => {
    const seen: unknown[] = [];
    const violation = (...args: unknown[]) => {
      seen.push(args);
      return null;
    };
    const step = stepOf(lampLifecycle({ dark: { pressed: {} } }, { violation }), dark, facts, pressed);
    expect(seen).toEqual([[step, facts]]);
  });
});

describe('the events of one request', () => {
  const lifecycle = lampLifecycle(
    {
      dark: { pressed: { target: 'bright', actions: ['advanceHead'] } },
      bright: { pressed: { target: 'bright', actions: ['revokeGrant'] }, dropped: { actions: [reject('it_is_hot')] } },
    },
    { changes: { advanceHead: goes('bright'), revokeGrant: counts } },
  );
  type LampTurn = Turn<Lamp, typeof facts>;
  const turn = (type: string, next: LampTurn | null = null): LampTurn => ({ facts, event: { type }, next: () => next });

  test('change the row together, each with its decision and its entry', () => {
    const step = stepsOf(lifecycle, dark, turn('pressed', turn('pressed', turn('pressed'))));
    expect(step.before).toBe(dark);
    expect(step.after).toEqual({ state: 'bright', presses: 2 });
    expect(step.decisions.map(({ from, to }) => [from, to])).toEqual([
      ['dark', 'bright'],
      ['bright', 'bright'],
      ['bright', 'bright'],
    ]);
    expect(step.entries.map(({ from, to }) => [from, to])).toEqual(step.decisions.map(({ from, to }) => [from, to]));
  });

  test('see the row as the previous event leaves it', () => {
    const seen: Lamp[] = [];
    const next = (row: Lamp) => {
      seen.push(row);
      return null;
    };
    stepsOf(lifecycle, dark, { facts, event: pressed, next });
    expect(seen).toEqual([{ state: 'bright', presses: 0 }]);
  });

  test('change nothing when a later event is rejected, and answer with that rejection', () => {
    const step = stepsOf(lifecycle, dark, turn('pressed', turn('dropped', turn('pressed'))));
    expect(step.after).toBe(dark);
    expect(step.entries).toEqual([]);
    expect(step.decisions).toEqual([expect.objectContaining({ event: 'dropped', effects: [reject('it_is_hot')] })]);
  });
});
