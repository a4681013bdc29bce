/** The change of each effect to a grant's row; and that no other effect changes it. */
import { expect, test } from 'vitest';
import { InvariantViolation } from '../../../src/engine/errors.ts';
import { authorizationCodeLifecycle } from '../../../src/lifecycles/authorization-code/lifecycle.ts';
import { grantLifecycle } from '../../../src/lifecycles/grant/lifecycle.ts';
import { refreshTokenLifecycle } from '../../../src/lifecycles/refresh-token/lifecycle.ts';
import { grantState } from '../../../src/model/grant.ts';
import { effects } from '../../support/effects.ts';
import { chainGrant, codeGrant, LIFETIMES, NONCE, seconds } from './given.ts';

const token = { generation: 0n, nonce: NONCE };
const facts = {
  now: seconds(5),
  policy: 'test',
  lifetimes: LIFETIMES,
  today: { scope: [], resources: [], mayRefresh: true },
  proofRequired: false,
  certificateRequired: false,
  nonce: new Uint8Array(16).fill(3),
  token,
};
const head = { refreshNonce: facts.nonce, lastUsedAt: facts.now, chainEndsAt: seconds(1005) };
const { beginChain } = authorizationCodeLifecycle.changes;
const { rotate } = refreshTokenLifecycle.changes;
const { writeRevoked, raiseEpoch } = grantLifecycle.changes;

test('beginning the chain makes the head of generation 0', () => {
  const row = codeGrant();
  expect(beginChain?.(row, facts, undefined)).toEqual({ ...row, ...head, refreshGeneration: 0n });
});

test('rotating moves the head by one, beyond the range of a number', () => {
  const row = chainGrant({ refreshGeneration: 2n ** 60n });
  expect(rotate?.(row, facts, undefined)).toEqual({ ...row, ...head, refreshGeneration: 2n ** 60n + 1n });
});

test('a chain that has not started cannot be rotated', () => {
  const rotated = () => rotate?.(codeGrant(), facts, undefined);
  expect(rotated).toThrow(InvariantViolation);
  expect(rotated).toThrow('the chain is not started');
});

test('revoking writes the state and its reason, and keeps the head', () => {
  const row = chainGrant();
  const revoked = writeRevoked?.(row, facts, { reason: 'refresh_token_reused' });
  expect(revoked).toEqual({ ...row, state: 'revoked', revokedReason: 'refresh_token_reused' });
});

test.each(['client', 'user', 'server'] as const)(
  'raising the epoch of the %s ends the grant, and writes no change of its own',
  (of) => {
    const row = chainGrant();
    const ended = raiseEpoch?.(row, facts, { of });
    expect(ended && grantState(ended)).toBe('revoked');
    expect(ended).toMatchObject({
      state: 'active',
      revokedReason: null,
      clientEpoch: 0n,
      userEpoch: 0n,
      serverEpoch: 0n,
    });
  },
);

test.each([
  ['client', 'liveClientEpoch'],
  ['user', 'liveUserEpoch'],
  ['server', 'liveServerEpoch'],
] as const)('raising the epoch of the %s raises it by one, and no other', (of, name) => {
  const row = chainGrant({ [name]: 3n });
  expect(raiseEpoch?.(row, facts, { of })).toEqual({ ...row, [name]: 4n });
  expect(raiseEpoch?.({ ...row, liveUserEpoch: null }, facts, { of: 'user' })?.liveUserEpoch).toBe(1n);
});

test('a row is never changed in place', () => {
  const row = Object.freeze(chainGrant());
  expect(rotate?.(row, facts, undefined)).not.toBe(row);
});

test('no other effect writes to the row', () => {
  const writing = [authorizationCodeLifecycle, refreshTokenLifecycle, grantLifecycle].map(({ changes }) =>
    Object.keys(changes),
  );
  expect(writing).toEqual([['beginChain'], ['rotate', 'repeatHead'], ['writeRevoked', 'raiseEpoch']]);
  for (const name of writing.flat()) expect(Object.keys(effects)).toContain(name);
});
