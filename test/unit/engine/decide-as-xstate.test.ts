/** XState selects the transition; the engine's reading of it must match XState's own `transition`. */
import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, and, createMachine, not, or, setup, transition } from 'xstate';
import { authorizationCodeMachine } from '../../../machines/authorization-code/machine.ts';
import { grantMachine } from '../../../machines/grant/machine.ts';
import { interactionMachine } from '../../../machines/interaction/machine.ts';
import { refreshTokenMachine } from '../../../machines/refresh-token/machine.ts';
import { sessionMachine } from '../../../machines/session/machine.ts';
import { reject } from '../../../machines/shared/effects.ts';
import { signingKeyMachine } from '../../../machines/signing-key/machine.ts';
import { decide } from '../../../src/engine/decide.ts';
import { InvariantViolation } from '../../../src/engine/errors.ts';
import { effects } from '../../support/effects.ts';

const instants = fc.integer({ min: 0, max: 3 });
const names = fc.constantFrom('one', 'two');
const lists = fc.subarray(['read', 'write', 'admin']);
const endedBy = fc.constantFrom('client', 'user', 'server', null);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

const proofs = fc.record({ key: maybe(names), problem: fc.constantFrom('invalid', 'nonceMissing', null) });

const machines = {
  authorizationCode: {
    machine: authorizationCodeMachine,
    context: fc.record({
      clientId: names,
      redirectUri: names,
      codeChallenge: names,
      boundTo: maybe(names),
      proofRequired: fc.boolean(),
      certificateRequired: fc.boolean(),
      scopeToday: lists,
      resources: lists,
      endsAt: instants,
      endedBy,
    }),
    event: fc.record({
      type: fc.constant('presented'),
      now: instants,
      clientId: names,
      redirectUri: maybe(names),
      challengeOfVerifier: maybe(names),
      proof: proofs,
      resources: maybe(lists),
    }),
  },
  refreshToken: {
    machine: refreshTokenMachine,
    context: fc.record({
      clientId: names,
      boundTo: maybe(names),
      proofRequired: fc.boolean(),
      certificateRequired: fc.boolean(),
      scope: lists,
      scopeToday: lists,
      resources: lists,
      mayRefresh: fc.boolean(),
      endsAt: instants,
      endedBy,
    }),
    event: fc.record({
      type: fc.constant('presented'),
      now: instants,
      clientId: names,
      proof: proofs,
      scope: maybe(lists),
      resources: maybe(lists),
    }),
  },
  grant: {
    machine: grantMachine,
    context: fc.constant({}),
    event: fc.record({
      type: fc.constantFrom(
        'authorizationCodeReused',
        'refreshTokenReused',
        'chainFellBehind',
        'revocationRequested',
        'clientDeleted',
        'userDisabled',
        'passwordChanged',
        'serverRecovered',
      ),
    }),
  },
  interaction: {
    machine: interactionMachine,
    context: fc.record({
      endsAt: instants,
      scope: lists,
      resources: lists,
      userId: maybe(names),
      client: fc.record({
        isDeleted: fc.boolean(),
        epoch: fc.bigInt({ min: 0n, max: 1n }),
        epochAtRequest: fc.bigInt({ min: 0n, max: 1n }),
        isStillRegistered: fc.boolean(),
      }),
      consentMayBeRemembered: fc.boolean(),
      code: maybe(fc.record({ isUnused: fc.boolean(), endsAt: instants })),
      prompt: fc.subarray(['none', 'login', 'consent', 'select_account']),
      maxAgeSeconds: maybe(fc.nat({ max: 3 })),
      hintedUserId: maybe(names),
    }),
    event: fc.record({
      type: fc.constantFrom(
        'requested',
        'viewed',
        'switchRequested',
        'signedIn',
        'accountChosen',
        'consented',
        'refused',
      ),
      now: instants,
      userId: maybe(names),
      signedInAt: maybe(instants),
      remembered: maybe(fc.record({ scope: lists, resources: lists })),
    }),
  },
  session: {
    machine: sessionMachine,
    context: fc.record({
      endsAt: instants,
      idleEndsAt: instants,
      useDueAt: instants,
      endedBy,
      endReason: maybe(
        fc.constantFrom(
          'session_idle',
          'session_too_old',
          'signed_out',
          'ended_by_user',
          'ended_by_administrator',
          'signed_in_again',
        ),
      ),
    }),
    event: fc.record({
      type: fc.constantFrom(
        'used',
        'signOutRequested',
        'endRequested',
        'endRequestedByAdministrator',
        'signedInAgain',
        'userDisabled',
        'passwordChanged',
        'serverRecovered',
      ),
      now: instants,
    }),
  },
  signingKey: {
    machine: signingKeyMachine,
    context: fc.record({ successorDueAt: instants, signsUntil: instants, publishedUntil: instants }),
    event: fc.record({
      type: fc.constantFrom(
        'noKeySigns',
        'successorNeeded',
        'timePassed',
        'rotationRequested',
        'revocationRequested',
        'signerStopped',
      ),
      now: instants,
      signer: fc.option(fc.string()),
      successor: fc.option(fc.record({ maySignAt: instants })),
      algorithmIsWanted: fc.boolean(),
      atOnce: fc.boolean(),
    }),
  },
};

describe.each(Object.entries(machines))('%s', (_, { machine, context, event }) => {
  const states = Object.keys(machine.states);
  propertyTest.prop([fc.constantFrom(...states), context as fc.Arbitrary<object>, event], { numRuns: 500 })(
    'is read as XState runs it',
    (from, seen, happened) => {
      const any: AnyStateMachine = machine;
      const [after, actions] = transition(any, any.resolveState({ value: from, context: seen }), happened);
      const { to, effects: read } = decide(any, from, seen, happened);
      expect({ to, effects: read.map(paramsToo) }).toEqual({ to: after.value, effects: actions.map(paramsToo) });
    },
  );
});

const paramsToo = ({ type, params }: { readonly type: string; readonly params?: unknown }) => ({ type, params });

describe("XState's compound guards work", () => {
  const machine = setup({
    types: { context: {} as { yes: boolean; count: number } },
    guards: {
      yes: ({ context }) => context.yes,
      atLeast: ({ context }, params: { least: number }) => context.count >= params.least,
    },
    actions: effects,
  }).createMachine({
    id: 'guarded',
    context: { yes: false, count: 0 },
    initial: 'a',
    states: {
      a: {
        on: {
          go: [
            { guard: and(['yes', { type: 'atLeast', params: { least: 2 } }]), target: 'b' },
            { guard: or([not('yes'), { type: 'atLeast', params: { least: 5 } }]), target: 'c' },
            { actions: reject('grant_revoked') },
          ],
        },
      },
      b: {},
      c: {},
    },
  });
  it.each([
    [{ yes: true, count: 2 }, 'b'],
    [{ yes: false, count: 2 }, 'c'],
    [{ yes: true, count: 1 }, 'a'],
  ])('with and(), or(), not() and parameters: %j leads to %s', (context, to) => {
    expect(decide(machine, 'a', context, { type: 'go' }).to).toBe(to);
  });
});

describe('a machine with more than arms', () => {
  const refuses = (machine: AnyStateMachine, words: string) => {
    const deciding = () => decide(machine, 'a', {}, { type: 'go' });
    expect(deciding).toThrow(InvariantViolation);
    // The second time too: only machines that passed are remembered.
    expect(deciding).toThrow(words);
  };
  const NOT_FLAT = 'm: the state b has nested states, timers, entry or exit actions. Expected transitions only.';
  const { createMachine: create } = setup({ actions: effects, guards: { yes: () => true } });

  it('is rejected: entry actions', () => {
    refuses(
      create({ id: 'm', initial: 'a', states: { a: { on: { go: 'b' } }, b: { entry: 'issueTokens', on: {} } } }),
      NOT_FLAT,
    );
  });
  it('is rejected: exit actions', () => {
    refuses(
      create({ id: 'm', initial: 'a', states: { a: { exit: 'issueTokens', on: { go: 'b' } }, b: {} } }),
      'm: the state a has nested states, timers, entry or exit actions. Expected transitions only.',
    );
  });
  it('is rejected: a transient state', () => {
    refuses(create({ id: 'm', initial: 'a', states: { a: { on: { go: 'b' } }, b: { always: 'c' }, c: {} } }), NOT_FLAT);
  });
  it('is rejected: a delayed transition', () => {
    refuses(
      create({ id: 'm', initial: 'a', states: { a: { on: { go: 'b' } }, b: { after: { 1000: 'c' } }, c: {} } }),
      NOT_FLAT,
    );
  });
  it('is rejected: nested states', () => {
    refuses(
      create({ id: 'm', initial: 'a', states: { a: { on: { go: 'b' } }, b: { initial: 'c', states: { c: {} } } } }),
      NOT_FLAT,
    );
  });
  it('is rejected: a final state, which would answer with silence', () => {
    refuses(create({ id: 'm', initial: 'a', states: { a: { on: { go: 'b' } }, b: { type: 'final' } } }), NOT_FLAT);
  });
  it('is rejected: an arm at the root, behind those of the states', () => {
    refuses(
      create({
        id: 'm',
        initial: 'a',
        on: { go: '.b' },
        states: { a: { on: { go: { guard: 'yes', target: 'b' } } }, b: {} },
      }),
      'm: the machine has transitions outside its states. Expected transitions of states only.',
    );
  });
  it('is rejected: an action that is a function', () => {
    refuses(
      createMachine({
        id: 'm',
        initial: 'a',
        states: { a: { on: { go: { actions: () => {}, target: 'b' } } }, b: {} },
      }),
      'an effect is a name with its params, not a function',
    );
  });
});
