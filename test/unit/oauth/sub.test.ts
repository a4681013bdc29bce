/** The forms of a `sub`, and the place of one that another system made. */
import { describe, expect, it } from 'vitest';
import {
  isSubText,
  isUuid,
  isUuidInEitherCase,
  NIL_UUID,
  placedSub,
  SUB_EXPECTED,
  subKey,
} from '../../../src/oauth/sub.ts';

const ID = '0c5f7c53-6d22-4a26-9a3b-0f4f5a3d2b1e';

describe('the text of a sub', () => {
  it.each(['a', '!', '~', 'auth0|5f7c8ec7c33c6c004bbafe82', 'x'.repeat(255), ID])('accepts %j', (text) => {
    expect(isSubText(text)).toBe(true);
  });
  it.each(['', ' ', 'a b', 'a\n', 'ä', '\u007f', 'x'.repeat(256), NIL_UUID])('refuses %j', (text) => {
    expect(isSubText(text)).toBe(false);
  });
  it('is described by its rule', () => {
    expect(SUB_EXPECTED).toBe('1 to 255 printable ASCII characters without spaces');
  });
});

describe('the id of an end-user', () => {
  it('is a UUID in small letters', () => {
    expect(isUuid(ID)).toBe(true);
    expect(isUuid(NIL_UUID)).toBe(true);
  });
  it.each([
    ID.toUpperCase(),
    `${ID}0`,
    `0${ID}`,
    ID.replaceAll('-', ''),
    ID.replace('0c5f', '0c5g'),
    ID.replace('6d22', 'x'),
    `{${ID}}`,
    '',
  ])('is not %j', (text) => {
    expect(isUuid(text)).toBe(false);
  });
  it('is recognized in either case where another system wrote it', () => {
    expect(isUuidInEitherCase(ID.toUpperCase())).toBe(true);
    expect(isUuidInEitherCase('A')).toBe(false);
  });
});

describe('the key of a sub', () => {
  it('is the same for a UUID in either case', () => {
    expect(subKey(ID.toUpperCase())).toBe(ID);
  });
  it('keeps the case of another text', () => {
    expect(subKey('Auth0|A')).toBe('Auth0|A');
  });
});

describe('the sub of a new end-user', () => {
  const made = () => 'made';
  it.each([
    ['a UUID: it is the id', ID, { id: ID, sub: null }],
    ['another text: it stands beside a new id', 'auth0|a', { id: 'made', sub: 'auth0|a' }],
    ['a UUID in capital letters: it stands beside a new id', ID.toUpperCase(), { id: 'made', sub: ID.toUpperCase() }],
    ['none: the id is new', null, { id: 'made', sub: null }],
  ])('%s', (_, sub, expected) => {
    expect(placedSub(sub, made)).toEqual(expected);
  });
});
