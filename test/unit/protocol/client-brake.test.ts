/** The brake alone: what it asks for, what it keeps, and when it forgets. */
import { describe, expect, it } from 'vitest';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import { clientBrake } from '../../../src/protocol/client-brake.ts';
import { keys } from './memory.ts';

const LIMIT = 20;
const WINDOW = 300_000;
const PAIRS = 10_000;

function given() {
  let now = 1_000;
  const brake = clientBrake(keys, () => now);
  const pair = (clientId = 'shop', address = '192.0.2.1') => ({ clientId, address: () => address });
  return {
    brake,
    pair,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    guess: (times: number, guesser = pair()) => {
      for (let n = 0; n < times; n++) brake.count(guesser, rawSecret(`guess ${n}`));
    },
  };
}

describe('the brake on client secrets', () => {
  it('does not even ask for the address while nothing is counted', () => {
    const address = () => {
      throw new Error('asked');
    };
    expect(given().brake.waitSeconds({ clientId: 'shop', address })).toBeNull();
  });

  it('holds from the last allowed guess to the end of the window, which begins with the first', () => {
    const { brake, pair, guess, pass } = given();
    guess(LIMIT - 1);
    expect(brake.waitSeconds(pair())).toBeNull();
    pass(100_500);
    guess(LIMIT);
    expect(brake.waitSeconds(pair())).toBe(200);
    pass(WINDOW - 100_501);
    expect(brake.waitSeconds(pair())).toBe(1);
    pass(1);
    expect(brake.waitSeconds(pair())).toBeNull();
    guess(LIMIT - 1);
    expect(brake.waitSeconds(pair())).toBeNull();
  });

  it('a new window begins when a guess finds the old one over', () => {
    const { brake, pair, guess, pass } = given();
    guess(LIMIT - 1);
    pass(WINDOW);
    brake.count(pair(), rawSecret('another'));
    expect(brake.waitSeconds(pair())).toBeNull();
  });

  it('client and address are two things, whatever characters they have', () => {
    const { brake, pair, guess } = given();
    guess(LIMIT, pair('b', 'a'));
    expect(brake.waitSeconds(pair('b', 'a'))).toBe(300);
    for (const [clientId, address] of [
      ['a', 'b'],
      ['', 'ab'],
      ['ab', ''],
      ['b","a', ''],
    ] as const) {
      expect(brake.waitSeconds(pair(clientId, address))).toBeNull();
    }
  });

  it('keeps so many pairs, and forgets the one whose window ends first', () => {
    const { brake, pair, guess } = given();
    guess(LIMIT, pair('first'));
    guess(LIMIT, pair('second'));
    for (let n = 0; n < PAIRS - 2; n++) guess(1, pair(`made-up-${n}`));
    expect(brake.waitSeconds(pair('first'))).toBe(300);
    guess(1, pair('one too many'));
    expect(brake.waitSeconds(pair('first'))).toBeNull();
    expect(brake.waitSeconds(pair('second'))).toBe(300);
  });

  it('a pair whose window begins again is not forgotten as if it were the old one', () => {
    const { brake, pair, guess, pass } = given();
    guess(1, pair('again'));
    pass(WINDOW - 1);
    guess(LIMIT, pair('between'));
    pass(1);
    guess(LIMIT, pair('again'));
    for (let n = 0; n < PAIRS - 1; n++) guess(1, pair(`made-up-${n}`));
    expect(brake.waitSeconds(pair('between'))).toBeNull();
    expect(brake.waitSeconds(pair('again'))).toBe(300);
  });
});
