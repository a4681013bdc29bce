/** The throttle alone: its waits, its memory, and its expiry. */
import { describe, expect, it } from 'vitest';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import { clientThrottle } from '../../../src/protocol/client-throttle.ts';
import { keys } from './memory.ts';

const LIMIT = 20;
const WINDOW = 300_000;
const PAIRS = 10_000;

function given() {
  let now = 1_000;
  const throttle = clientThrottle(keys, () => now);
  const pair = (clientId = 'shop', address = '192.0.2.1') => ({ clientId, address: () => address });
  return {
    throttle,
    pair,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    guess: (times: number, guesser = pair()) => {
      for (let n = 0; n < times; n++) throttle.count(guesser, rawSecret(`guess ${n}`));
    },
  };
}

describe('the throttle on client secrets', () => {
  it('does not read the address while no guess is counted', () => {
    const address = () => {
      throw new Error('asked');
    };
    expect(given().throttle.waitSeconds({ clientId: 'shop', address })).toBeNull();
  });

  it('blocks from the last allowed guess to the end of the window, which begins with the first', () => {
    const { throttle, pair, guess, pass } = given();
    guess(LIMIT - 1);
    expect(throttle.waitSeconds(pair())).toBeNull();
    pass(100_500);
    guess(LIMIT);
    expect(throttle.waitSeconds(pair())).toBe(200);
    pass(WINDOW - 100_501);
    expect(throttle.waitSeconds(pair())).toBe(1);
    pass(1);
    expect(throttle.waitSeconds(pair())).toBeNull();
    guess(LIMIT - 1);
    expect(throttle.waitSeconds(pair())).toBeNull();
  });

  it('begins a new window when a guess finds the old one expired', () => {
    const { throttle, pair, guess, pass } = given();
    guess(LIMIT - 1);
    pass(WINDOW);
    throttle.count(pair(), rawSecret('another'));
    expect(throttle.waitSeconds(pair())).toBeNull();
  });

  it('separates client and address, whatever characters they have', () => {
    const { throttle, pair, guess } = given();
    guess(LIMIT, pair('b', 'a'));
    expect(throttle.waitSeconds(pair('b', 'a'))).toBe(300);
    for (const [clientId, address] of [
      ['a', 'b'],
      ['', 'ab'],
      ['ab', ''],
      ['b","a', ''],
    ] as const) {
      expect(throttle.waitSeconds(pair(clientId, address))).toBeNull();
    }
  });

  it('keeps a bounded number of pairs, and drops the one whose window ends first', () => {
    const { throttle, pair, guess } = given();
    guess(LIMIT, pair('first'));
    guess(LIMIT, pair('second'));
    for (let n = 0; n < PAIRS - 2; n++) guess(1, pair(`made-up-${n}`));
    expect(throttle.waitSeconds(pair('first'))).toBe(300);
    guess(1, pair('one too many'));
    expect(throttle.waitSeconds(pair('first'))).toBeNull();
    expect(throttle.waitSeconds(pair('second'))).toBe(300);
  });

  it('keeps a pair in a new window past the end of its old one', () => {
    const { throttle, pair, guess, pass } = given();
    guess(1, pair('again'));
    pass(WINDOW - 1);
    guess(LIMIT, pair('between'));
    pass(1);
    guess(LIMIT, pair('again'));
    for (let n = 0; n < PAIRS - 1; n++) guess(1, pair(`made-up-${n}`));
    expect(throttle.waitSeconds(pair('between'))).toBeNull();
    expect(throttle.waitSeconds(pair('again'))).toBe(300);
  });
});
