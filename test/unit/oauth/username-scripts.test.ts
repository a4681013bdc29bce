/** The scripts that a new username may mix (UTS #39 §5.2, "Highly Restrictive"). */
import { describe, expect, it } from 'vitest';
import { isOfOneWriting } from '../../../src/oauth/username-scripts.ts';

describe('a mix of scripts', () => {
  it.each([
    ['of ASCII', 'ada-2_lovelace@example.com'],
    ['Latin with accents, composed and not', 'Zoë Zoe\u0308 Łukasz Þór'],
    ['Cyrillic alone', 'Мария-2'],
    ['Cyrillic alone that looks Latin', 'рауре'],
    ['Greek alone', 'Αθηνά'],
    ['Japanese beside Latin', 'ada東京ひらカタカナー'],
    ['Chinese beside Latin', 'ada 台北ㄅㄆ'],
    ['Korean beside Latin', 'ada金김철수'],
    ['Arabic with its own digits and signs', 'محمد١٢'],
    ['Hebrew', 'דָּוִד'],
    ['Thai', 'สมชาย'],
    ['Devanagari', 'राम'],
    ['a script that few write', '\u{16800}\u{16801}'],
    ['pictures and digits', '🦊 42'],
  ])('%s: %s', (_, username) => {
    expect(isOfOneWriting(username)).toBe(true);
  });
});

describe('confusable letters', () => {
  it.each([
    ['Cyrillic among Latin', 'pаypal'],
    ['Greek among Latin', 'αlice'],
    ['Greek among Latin, as a sign of mathematics', '\u{1d6fc}lice'],
    ['Cherokee among Latin', 'Ꭺda'],
    ['Armenian among Latin', 'aոna'],
    ['Cyrillic among Greek', 'Αнα'],
    ['Cyrillic among Han', '東я'],
    ['Japanese and Korean', 'ひ김'],
    ['Bopomofo and Hiragana', 'ㄅひ'],
  ])('%s: %s', (_, username) => {
    expect(isOfOneWriting(username)).toBe(false);
  });
});

it('every script of the Basic Multilingual Plane is known, and new scripts are outside it', () => {
  const unknown: string[] = [];
  for (let point = 0; point <= 0xffff; point++) {
    const letter = String.fromCodePoint(point);
    if (/\p{L}/u.test(letter) && !isOfOneWriting(letter)) unknown.push(`U+${point.toString(16)}`);
  }
  expect(unknown).toEqual([]);
});
