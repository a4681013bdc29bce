/** The values of exports, as each system writes them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addTo,
  base64urlIn,
  flagIn,
  flagOf,
  fullName,
  instantIn,
  instantOf,
  listOf,
  memberOf,
  numberIn,
  objectOf,
  textIn,
  textOf,
  totpIn,
} from '../../../../src/registration/sources/values.ts';

/** An instant without a zone is one of UTC, wherever the server runs. */
const zone = process.env['TZ'];
beforeAll(() => {
  process.env['TZ'] = 'Asia/Tokyo';
});
afterAll(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

describe('a value of an export', () => {
  it.each<[unknown, string | undefined]>([
    ['a text', 'a text'],
    [' a text ', ' a text '],
    [7, '7'],
    [0, '0'],
    [1.5, undefined],
    [2 ** 53, undefined],
    ['', undefined],
    [' \t', undefined],
    [true, undefined],
    [null, undefined],
    [undefined, undefined],
    [['a'], undefined],
    [{}, undefined],
  ])('%j is the text %j', (value, text) => {
    expect(textIn(value)).toBe(text);
    expect(textOf({ name: value }, 'name')).toBe(text);
  });

  it.each<[unknown, boolean | undefined]>([
    [true, true],
    [false, false],
    ...['true', 't', '1', 'yes', 'y', 'on', 'TRUE', 'Yes'].map((text): [string, boolean] => [text, true]),
    ...['false', 'f', '0', 'no', 'n', 'off', 'FALSE', 'No'].map((text): [string, boolean] => [text, false]),
    [1, true],
    [0, false],
    ['', undefined],
    ['maybe', undefined],
    ['stryker was here!', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('%j is the flag %j', (value, flag) => {
    expect(flagIn(value)).toBe(flag);
    expect(flagOf({ name: value }, 'name')).toBe(flag);
  });

  it.each<[unknown, string | undefined]>([
    [1_700_000_000, '2023-11-14T22:13:20.000Z'],
    ['1700000000', '2023-11-14T22:13:20.000Z'],
    [1_700_000_000_000, '2023-11-14T22:13:20.000Z'],
    ['100000000000', '1973-03-03T09:46:40.000Z'],
    ['99999999999', '5138-11-16T09:46:39.000Z'],
    ['100000000', '1973-03-03T09:46:40.000Z'],
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05.000Z'],
    ['2024-01-02T03:04:05+02:00', '2024-01-02T01:04:05.000Z'],
    ['2024-01-02 03:04:05', '2024-01-02T03:04:05.000Z'],
    [' 2024-01-02 03:04:05 ', '2024-01-02T03:04:05.000Z'],
    ['2024-01-02 03:04:05.123456', '2024-01-02T03:04:05.123Z'],
    ['2024-01-02 03:04:05.5', '2024-01-02T03:04:05.500Z'],
    ['2024-01-02 03:04:05 UTC', '2024-01-02T03:04:05.000Z'],
    ['2024-01-02 03:04:05 Z', '2024-01-02T03:04:05.000Z'],
    ['2024-01-02 03:04:05+02', '2024-01-02T01:04:05.000Z'],
    ['2024-01-02 03:04:05-0130', '2024-01-02T04:34:05.000Z'],
    ['2024-01-02 03:04:05.123456+05:30', '2024-01-01T21:34:05.123Z'],
    ['2024-01-02T03:04:05.1234567', '2024-01-02T03:04:05.123Z'],
    ['yesterday', undefined],
    ['x1700000000', undefined],
    ['1700000000x', undefined],
    ['2024-13-02 03:04:05', undefined],
    ['', undefined],
    [true, undefined],
  ])('%j is the instant %j', (value, instant) => {
    expect(instantIn(value)).toBe(instant);
    expect(instantOf({ name: value }, 'name')).toBe(instant);
  });

  it.each<[unknown, number | undefined]>([
    [7, 7],
    ['70', 70],
    ['999999999999999', 999_999_999_999_999],
    ['1000000000000000', undefined],
    ['7x', undefined],
    ['x7', undefined],
    [-1, undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j is the number %j', (value, number) => {
    expect(numberIn(value)).toBe(number);
  });

  it.each<[unknown, string | undefined]>([
    ['JBSW Y3DP-ehpk 3pxp==', 'JBSWY3DPEHPK3PXP'],
    [7, '7'],
    [null, undefined],
  ])('%j is the secret of an app %j', (value, secret) => {
    expect(totpIn(value)).toBe(secret);
  });

  it.each<[unknown, string | undefined]>([
    ['+/A\nb==', '-_Ab'],
    ['-_Ab', '-_Ab'],
    [null, undefined],
  ])('%j is %j in base64url', (value, text) => {
    expect(base64urlIn(value)).toBe(text);
  });
});

describe('a member of an export', () => {
  it('is one of its own', () => {
    expect(memberOf({ a: 1 }, 'a')).toBe(1);
    for (const value of [{}, [], null, 'a text', undefined]) expect(memberOf(value, 'constructor')).toBeUndefined();
    expect(memberOf({}, '__proto__')).toBeUndefined();
  });

  it('is a list, or else an empty one', () => {
    expect(listOf({ a: [1] }, 'a')).toEqual([1]);
    for (const value of [{}, { a: {} }, { a: 'a text' }, null]) expect(listOf(value, 'a')).toEqual([]);
  });

  it('is an object, also as a text of JSON, or else an empty one', () => {
    expect(objectOf({ a: { b: 1 } }, 'a')).toEqual({ b: 1 });
    expect(objectOf({ a: '{"b":1}' }, 'a')).toEqual({ b: 1 });
    for (const a of ['[1]', '{', 'null', 7, [1], null, undefined]) expect(objectOf({ a }, 'a')).toEqual({});
  });
});

it('a full name has the parts that are there', () => {
  expect(fullName('Ada', 'Lovelace')).toBe('Ada Lovelace');
  expect(fullName('Ada', undefined)).toBe('Ada');
  expect(fullName(undefined, 'Lovelace')).toBe('Lovelace');
  expect(fullName(undefined, undefined)).toBeUndefined();
});

it('a value comes to those of its key, in order', () => {
  const map = new Map<string, number[]>();
  addTo(map, 'a', 1);
  addTo(map, 'b', 2);
  addTo(map, 'a', 3);
  expect([...map]).toEqual([
    ['a', [1, 3]],
    ['b', [2]],
  ]);
});
