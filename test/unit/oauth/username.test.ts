/** The key by which usernames are unique. */
import { describe, expect, it } from 'vitest';
import { isChosenUsername, isVisible, MAX_USERNAME_CHARACTERS, usernameKey } from '../../../src/oauth/username.ts';

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

describe('a username that its end-user chooses', () => {
  it.each(['ada', 'Ada Lovelace', '7', 'ada@example.com', 'Åsa', '東京', '🦊 a', '\u0639\u0644\u064a'])(
    'may be %j',
    (username) => {
      expect(isVisible(username)).toBe(true);
      expect(isChosenUsername(username)).toBe(true);
    },
  );

  it.each([
    ['a control character', 'a\u0007da'],
    ['a character without width', 'a\u200bda'],
    ['a direction mark', 'a\u202eda'],
    ['a line separator', 'a\u2028da'],
    ['a paragraph separator', 'a\u2029da'],
    ['a filler', 'a\u3164da'],
    ['an empty Braille pattern', 'a\u2800da'],
    ['half of a character', 'a\ud83dda'],
    ['no letter or digit', '.-_'],
    ['nothing', ''],
  ])('has not %s', (_, username) => {
    expect(isVisible(username)).toBe(false);
    expect(isChosenUsername(username)).toBe(false);
  });

  it('has at most 256 characters', () => {
    expect(MAX_USERNAME_CHARACTERS).toBe(256);
    expect(isChosenUsername('a'.repeat(256))).toBe(true);
    expect(isChosenUsername('a'.repeat(257))).toBe(false);
    expect(isVisible('a'.repeat(257))).toBe(true);
  });
});

it('the key of a username is in small letters, composed, and without spaces around it', () => {
  expect(usernameKey('  ADA Zoe\u0308 ')).toBe('ada zoë');
});
