import { describe, expect, test } from 'vitest';
import { grantMachine } from '../../../machines/grant/machine.ts';
import type { RefreshTokenContext, RefreshTokenEvent } from '../../../machines/refresh-token/facts.ts';
import { refreshTokenMachine } from '../../../machines/refresh-token/machine.ts';
import { decide, effectOf } from '../../../src/engine/decide.ts';
import { InvariantViolation } from '../../../src/engine/errors.ts';
import { NO_PROOF } from '../../../src/model/proof.ts';

const context: RefreshTokenContext = {
  clientId: 'client',
  boundTo: null,
  proofRequired: false,
  certificateRequired: false,
  scope: ['read'],
  scopeToday: ['read'],
  mayRefresh: true,
  resources: [],
  endsAt: 1000,
  isPredecessor: true,
  retryEndsAt: null,
  endedBy: null,
};
const event: RefreshTokenEvent = {
  type: 'presented',
  now: 0,
  clientId: 'client',
  proof: NO_PROOF,
  clientProvesKey: false,
  scope: null,
  resources: null,
};

describe('a decision', () => {
  test('is plain data: from, to, and effects with their params', () => {
    expect(decide(refreshTokenMachine, 'used', context, event)).toEqual({
      machine: 'refreshToken',
      event: 'presented',
      from: 'used',
      to: 'revoked',
      effects: [
        { type: 'revokeGrant', params: { event: 'refreshTokenReused' } },
        { type: 'reject', params: { reason: 'refresh_token_reused' } },
      ],
    });
  });

  test('begins in the given state, and is the same each time', () => {
    for (const from of ['active', 'used', 'revoked']) {
      const first = decide(refreshTokenMachine, from, context, event);
      expect(first.from).toBe(from);
      expect(decide(refreshTokenMachine, from, context, event)).toEqual(first);
    }
  });

  test('changes neither context nor event', () => {
    const frozenContext = Object.freeze({ ...context });
    const frozenEvent = Object.freeze({ ...event });
    expect(() => decide(refreshTokenMachine, 'active', frozenContext, frozenEvent)).not.toThrow();
  });

  test('offers its effects by name', () => {
    const decision = decide(refreshTokenMachine, 'used', context, event);
    expect(effectOf(decision, 'reject')?.params.reason).toBe('refresh_token_reused');
    expect(effectOf(decision, 'issueTokens')).toBeUndefined();
  });
});

test('an event without an arm in the state is a defect of the machine, named with state and event', () => {
  for (const event of [{ type: 'presented' }, { type: 'neverHeardOf' }]) {
    const deciding = () => decide(grantMachine, 'revoked', {}, event);
    expect(deciding).toThrow(InvariantViolation);
    expect(deciding).toThrow(`grant: no arm answers ${event.type} in revoked`);
  }
});

test('a state outside the machine is a defect, named with the machine', () => {
  const deciding = () => decide(grantMachine, 'used', {}, { type: 'revocationRequested' });
  expect(deciding).toThrow(InvariantViolation);
  expect(deciding).toThrow('grant: there is no state used');
});

describe('a decision about a grant', () => {
  test('writes its reason', () => {
    expect(decide(grantMachine, 'active', {}, { type: 'revocationRequested' })).toMatchObject({
      to: 'revoked',
      effects: [{ type: 'writeRevoked', params: { reason: 'revocation_requested' } }],
    });
  });

  test('writes no row when the grant has ended before', () => {
    expect(decide(grantMachine, 'revoked', {}, { type: 'refreshTokenReused' })).toMatchObject({
      to: 'revoked',
      effects: [],
    });
  });
});
