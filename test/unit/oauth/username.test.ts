/** The key by which usernames are unique. */
import { describe, expect, it } from 'vitest';
import { usernameKey } from '../../../src/oauth/username.ts';

/** Combining marks that change a letter before them when it becomes lower case. */
const MARKS = ['', '\u0301', '\u0300', '\u0308', '\u0342', '\u0345', '\u0327'];

describe('the key of a username', () => {
  it('is its own key, whatever the letter', () => {
    const wrong: string[] = [];
    for (let point = 0; point <= 0x10ffff; point++) {
      const letter = String.fromCodePoint(point);
      if (!/\p{L}/u.test(letter)) continue;
      for (const key of MARKS.map((mark) => usernameKey(`${letter}${mark}`))) {
        if (usernameKey(key) !== key) wrong.push(key);
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ['Ada', 'ADA'],
    ['Ϊ\u0301ς', 'ΐς'],
    ['ﬁona', 'fiona'],
    ['  ada ', 'ada'],
  ])('is one for %j and %j', (one, other) => {
    expect(usernameKey(one)).toBe(usernameKey(other));
  });
});
