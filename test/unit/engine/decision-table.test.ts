/** The engine reads decisions off a table. It must be XState's own `transition`, or not be used at all. */
import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, createMachine, setup, transition } from 'xstate';
import { authorizationCodeMachine } from '../../../machines/authorization-code.machine.ts';
import { grantMachine } from '../../../machines/grant.machine.ts';
import { interactionMachine } from '../../../machines/interaction.machine.ts';
import { refreshTokenMachine } from '../../../machines/refresh-token.machine.ts';
import { signingKeyMachine } from '../../../machines/signing-key.machine.ts';
import { effects, reject } from '../../../machines/vocabulary.ts';
import { decisionTableOf } from '../../../src/engine/decision-table.ts';
import { InvariantViolation } from '../../../src/engine/errors.ts';

const instants = fc.integer({ min: 0, max: 3 });
const names = fc.constantFrom('one', 'two');
const lists = fc.subarray(['read', 'write', 'admin']);
const endedBy = fc.constantFrom('client', 'user', 'server', null);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

const machines = {
  authorizationCode: {
    machine: authorizationCodeMachine,
    context: fc.record({
      clientId: names,
      redirectUri: names,
      codeChallenge: names,
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
      resources: maybe(lists),
    }),
  },
  refreshToken: {
    machine: refreshTokenMachine,
    context: fc.record({
      clientId: names,
      scope: lists,
      resources: lists,
      endsAt: instants,
      endedBy,
      aheadOfChain: fc.boolean(),
    }),
    event: fc.record({
      type: fc.constant('presented'),
      now: instants,
      clientId: names,
      scope: maybe(lists),
      resources: maybe(lists),
    }),
  },
  grant: {
    machine: grantMachine,
    context: fc.constant({}),
    event: fc.record({
      type: fc.constantFrom('authorizationCodeReused', 'refreshTokenReused', 'chainFellBehind', 'revocationRequested'),
    }),
  },
  interaction: {
    machine: interactionMachine,
    context: fc.record({
      endsAt: instants,
      scope: lists,
      resources: lists,
      userId: maybe(names),
      clientEnded: fc.boolean(),
      consentMayBeRemembered: fc.boolean(),
      codeIsWaiting: fc.boolean(),
      prompt: fc.subarray(['none', 'login', 'consent', 'select_account']),
      maxAgeSeconds: maybe(fc.nat({ max: 3 })),
      hintedUserId: maybe(names),
    }),
    event: fc.record({
      type: fc.constantFrom('requested', 'signedIn', 'accountChosen', 'consented', 'refused'),
      now: instants,
      userId: maybe(names),
      signedInAt: maybe(instants),
      remembered: maybe(fc.record({ scope: lists, resources: lists })),
    }),
  },
  signingKey: {
    machine: signingKeyMachine,
    context: fc.record({ successorDueAt: instants, signsUntil: instants, publishedUntil: instants }),
    event: fc.record({
      type: fc.constantFrom('timePassed', 'rotationRequested', 'revocationRequested', 'signerStopped'),
      now: instants,
      anotherSigns: fc.boolean(),
      successor: fc.constantFrom('none', 'published', 'ready'),
      algorithmIsWanted: fc.boolean(),
      atOnce: fc.boolean(),
    }),
  },
};

describe.each(Object.entries(machines))('the table of %s', (_, { machine, context, event }) => {
  const states = Object.keys(machine.states);
  propertyTest.prop([fc.constantFrom(...states), context as fc.Arbitrary<object>, event], { numRuns: 500 })(
    'answers every event as XState does',
    (from, seen, happened) => {
      const any: AnyStateMachine = machine;
      const [after, actions] = transition(any, any.resolveState({ value: from, context: seen }), happened);
      expect(decisionTableOf(machine).answer(from, { context: seen, event: happened })).toMatchObject({
        to: after.value,
        actions: actions.map(({ type, params }) => ({ type, params })),
      });
    },
  );
});

describe('a machine that a table cannot say', () => {
  const refuses = (machine: AnyStateMachine) => expect(() => decisionTableOf(machine)).toThrow(InvariantViolation);
  const { createMachine: create } = setup({ actions: effects, guards: { yes: () => true } });

  it('is refused: entry actions', () => {
    refuses(create({ initial: 'a', states: { a: { on: { go: 'b' } }, b: { entry: 'issueTokens', on: {} } } }));
  });
  it('is refused: a state that is left at once', () => {
    refuses(create({ initial: 'a', states: { a: { on: { go: 'b' } }, b: { always: 'c' }, c: {} } }));
  });
  it('is refused: states within states', () => {
    refuses(create({ initial: 'a', states: { a: { on: { go: 'b' } }, b: { initial: 'c', states: { c: {} } } } }));
  });
  it('is refused: an arm at the root, behind those of the states', () => {
    refuses(
      create({ initial: 'a', on: { go: '.b' }, states: { a: { on: { go: { guard: 'yes', target: 'b' } } }, b: {} } }),
    );
  });
  it('is refused: a guard that is a function', () => {
    refuses(createMachine({ initial: 'a', states: { a: { on: { go: { guard: () => true, target: 'b' } } }, b: {} } }));
  });
  it('is refused: an action that is a function', () => {
    refuses(createMachine({ initial: 'a', states: { a: { on: { go: { actions: () => {}, target: 'b' } } }, b: {} } }));
  });
  it('and one that it can say is not', () => {
    const machine = create({ initial: 'a', states: { a: { on: { go: { actions: reject('grant_revoked') } } } } });
    expect(decisionTableOf(machine).answer('a', { context: {}, event: { type: 'go' } })).toMatchObject({
      to: 'a',
      actions: [reject('grant_revoked')],
    });
  });
});
