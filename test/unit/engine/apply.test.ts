import { fc, test as propertyTest } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { effects, reject, revokeGrant } from '../../../machines/vocabulary.ts';
import { applyEffects, type Draw } from '../../../src/engine/apply.ts';
import type { Effect } from '../../../src/engine/decide.ts';
import { InvariantViolation } from '../../../src/engine/errors.ts';
import { chainGrant, codeGrant, seconds } from './given.ts';

const draw: Draw = { now: seconds(5), nonce: new Uint8Array(16).fill(3), nextChainEndsAt: seconds(500) };
const head = { refreshNonce: draw.nonce, lastUsedAt: draw.now, chainEndsAt: draw.nextChainEndsAt };

test('beginning the chain makes the head of generation 0', () => {
  const row = codeGrant();
  expect(applyEffects(row, [{ type: 'beginChain' }], draw)).toEqual({ ...row, ...head, refreshGeneration: 0n });
});

test('rotating moves the head by one, beyond what a number can hold', () => {
  const row = chainGrant({ refreshGeneration: 2n ** 60n });
  expect(applyEffects(row, [{ type: 'rotate' }], draw)).toEqual({ ...row, ...head, refreshGeneration: 2n ** 60n + 1n });
});

test('what has not begun cannot be rotated', () => {
  expect(() => applyEffects(codeGrant(), [{ type: 'rotate' }], draw)).toThrow(InvariantViolation);
});

test('revoking writes the state and its reason, and leaves the head', () => {
  const row = chainGrant();
  const revoked = applyEffects(row, [{ type: 'writeRevoked', params: { reason: 'refresh_token_reused' } }], draw);
  expect(revoked).toEqual({ ...row, state: 'revoked', revokedReason: 'refresh_token_reused' });
});

test('a row is never changed in place', () => {
  const row = Object.freeze(chainGrant());
  expect(applyEffects(row, [{ type: 'rotate' }], draw)).not.toBe(row);
});

const writing = new Set(['beginChain', 'rotate', 'writeRevoked']);
const silent = (Object.keys(effects) as Effect['type'][])
  .filter((type) => !writing.has(type))
  .map((type): Effect => {
    if (type === 'reject') return reject('grant_revoked');
    if (type === 'revokeGrant') return revokeGrant('revocationRequested');
    return { type } as Effect;
  });

propertyTest.prop([fc.array(fc.constantFrom(...silent))])('no other effect writes to the row', (asked) => {
  const row = chainGrant();
  expect(applyEffects(row, asked, draw)).toEqual(row);
});
