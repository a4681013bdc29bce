/** The life of a signing key, by its instants. */
import { describe, expect, test } from 'vitest';
import {
  keyTimes,
  type SigningKeyRow,
  signerAmong,
  signingKeyState,
  waitingKey,
} from '../../../src/model/signing-key.ts';
import { NOW, seconds } from '../lifecycles/given.ts';

const KEY: SigningKeyRow = {
  kid: 'a',
  alg: 'ES256',
  state: 'published',
  createdAt: NOW,
  maySignAt: seconds(10),
  beganSigningAt: null,
  rotationAskedAt: null,
  stoppedSigningAt: null,
  retiredAt: null,
  retiredReason: null,
  privateJwe: 'a.jwe',
};
const LIFETIMES = {
  publishedBeforeSigningSeconds: 10,
  signingLifetimeSeconds: 1000,
  successorLeadSeconds: 200,
  retiringSeconds: 50,
};
const NEVER = Number.POSITIVE_INFINITY;
const at = (count: number) => seconds(count).getTime();

test.each<[Partial<SigningKeyRow>, string]>([
  [{}, 'published'],
  [{ beganSigningAt: seconds(10) }, 'signing'],
  [{ beganSigningAt: seconds(10), stoppedSigningAt: seconds(20) }, 'retiring'],
  [{ beganSigningAt: seconds(10), stoppedSigningAt: seconds(20), retiredAt: seconds(30) }, 'retired'],
  [{ retiredAt: seconds(30) }, 'retired'],
])('with %o a key is %s', (change, state) => {
  expect(signingKeyState({ ...KEY, ...change })).toBe(state);
});

describe('the times of a key', () => {
  test.each<[string, Partial<SigningKeyRow>, number, number, number]>([
    ['that waits', {}, NEVER, NEVER, NEVER],
    ['that signs', { beganSigningAt: seconds(10) }, at(810), at(1010), NEVER],
    [
      'whose rotation was asked for',
      { beganSigningAt: seconds(10), rotationAskedAt: seconds(100) },
      at(100),
      at(100),
      NEVER,
    ],
    [
      'whose rotation was asked for after its end',
      { beganSigningAt: seconds(10), rotationAskedAt: seconds(2000) },
      at(810),
      at(1010),
      NEVER,
    ],
    ['that stopped', { beganSigningAt: seconds(10), stoppedSigningAt: seconds(20) }, at(810), at(1010), at(70)],
  ])('%s', (_, change, successorDueAt, signsUntil, publishedUntil) => {
    expect(keyTimes({ ...KEY, ...change }, LIFETIMES)).toEqual({ successorDueAt, signsUntil, publishedUntil });
  });
});

test('the signer and the waiting key are those of the algorithm', () => {
  const waiting = KEY;
  const signing: SigningKeyRow = { ...KEY, kid: 'b', state: 'signing', beganSigningAt: seconds(10) };
  const other: SigningKeyRow = { ...signing, kid: 'c', alg: 'RS256' };
  const keys = [other, { ...waiting, kid: 'd', alg: 'RS256' } as const, signing, waiting];
  expect(signerAmong(keys, 'ES256')?.kid).toBe('b');
  expect(signerAmong(keys, 'RS256')?.kid).toBe('c');
  expect(waitingKey(keys, 'ES256')?.kid).toBe('a');
  expect(waitingKey(keys, 'RS256')?.kid).toBe('d');
  expect(signerAmong([waiting], 'ES256')).toBeUndefined();
  expect(waitingKey([signing], 'ES256')).toBeUndefined();
});
