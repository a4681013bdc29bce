import { describe, expect, test } from 'vitest';
import { brokenRule, minimumCharacters, serviceNames } from '../../../../src/people/passwords/rules.ts';

const ALONE = { username: 'ada.lovelace@example.com', hasSecondFactor: false };
const BESIDE = { ...ALONE, hasSecondFactor: true };
const reasonOf = (...[password, context]: Parameters<typeof brokenRule>) =>
  brokenRule(password, context)?.reason ?? null;

describe('a password alone', () => {
  test('has 15 characters; beside a second factor 8', () => {
    expect(brokenRule('fourteen chars', ALONE)).toEqual({ reason: 'too_short', characters: 14, atLeast: 15 });
    expect(brokenRule('fifteen chars !', ALONE)).toBeNull();
    expect(brokenRule('sevench', BESIDE)).toEqual({ reason: 'too_short', characters: 7, atLeast: 8 });
    expect(brokenRule('eight ch', BESIDE)).toBeNull();
  });

  test('may have to be longer by policy', () => {
    const policy = { passwordMinimumCharacters: 20, passwordMinimumCharactersWithSecondFactor: 12 };
    expect(minimumCharacters({ hasSecondFactor: false, policy })).toBe(20);
    expect(minimumCharacters({ hasSecondFactor: true, policy })).toBe(12);
    expect(brokenRule('fifteen chars !', { ...ALONE, policy })).toMatchObject({ atLeast: 20 });
    expect(brokenRule('eight ch', { ...BESIDE, policy })).toMatchObject({ atLeast: 12 });
  });

  test('is counted in characters as users see them typed, after composition', () => {
    expect(reasonOf('😀😁😂🤣😃😄😅', BESIDE)).toBe('too_short');
    expect(reasonOf('😀😁😂🤣😃😄😅😆', BESIDE)).toBeNull();
    expect(reasonOf('a\u0308o\u0308u\u0308e\u0308', BESIDE)).toBe('too_short');
  });

  test('may be long, up to a bound', () => {
    expect(reasonOf('correct horse '.repeat(73).slice(0, 1024), ALONE)).toBeNull();
    expect(reasonOf('correct horse '.repeat(80), ALONE)).toBe('too_long');
  });

  test.each(['all lower case letters', 'onlylettershereok', '900817263544510', '     spaces       x y'])(
    'needs no kinds of characters: %j',
    (password) => {
      expect(reasonOf(password, ALONE)).toBeNull();
    },
  );

  test.each(['with\0inside it, long', 'half \ud83d of a character'])('is text: %j', (password) => {
    expect(reasonOf(password, ALONE)).toBe('not_text');
  });
});

describe('a common password', () => {
  test.each([
    'password',
    'Password',
    'PASSWORD',
    'password1',
    'Password2024!',
    '!!password!!',
    'qwertyuiop',
    'passwordpassword',
    'PasswordPasswordPass',
    'bananabananabana',
    'bananabananabananab',
    '123456789012345',
    '9876543210987654',
    'abcdefghijklmnop',
    'iloveyou iloveyou iloveyou '.trim(),
  ])('is rejected: %j', (password) => {
    expect(reasonOf(password, BESIDE)).toBe('common');
  });

  test.each(['correct horse battery', 'my password is good', 'a-monkey-and-a-dragon', 'bananabananabbanana'])(
    'may be part of another: %j',
    (password) => {
      expect(reasonOf(password, BESIDE)).toBeNull();
    },
  );

  test.each(['aaaaaaaaaaaaaaaa', 'abababababababab'])('has three different characters: %j', (password) => {
    expect(reasonOf(password, ALONE)).toBe('repetitive');
  });
});

describe('a password that resembles its account', () => {
  test.each([
    'ada.lovelace@example.com',
    'ADA.LOVELACE@EXAMPLE.COM',
    'AdaLovelace2024!',
    'lovelace-ada-1815',
    'lovelacelovelace',
    'example example 1',
  ])('is rejected: %j', (password) => {
    expect(reasonOf(password, BESIDE)).toBe('names_the_user');
  });

  test('is rejected for the name of the service, and other names of the end-user', () => {
    const context = { ...BESIDE, alsoNamed: ['Countess'], service: ['Blue Harbour'] };
    expect(reasonOf('Statehouse2026!', BESIDE)).toBe('names_the_service');
    expect(reasonOf('blue harbour 12', context)).toBe('names_the_service');
    expect(reasonOf('blueharbour!', BESIDE)).toBeNull();
    expect(reasonOf('countess-99-ada', context)).toBe('names_the_user');
    expect(reasonOf('ada-at-statehouse', { ...context, service: ['at'] })).toBeNull();
    expect(reasonOf('ada@statehouse1', context)).toBe('names_the_user');
  });

  test('is accepted beside a username of two letters', () => {
    expect(reasonOf('al al al al al al', { username: 'al', hasSecondFactor: false })).toBeNull();
    expect(reasonOf('12345678', { username: '12345678', hasSecondFactor: true })).toBe('names_the_user');
  });

  test('is checked in constant time beside words with the same prefix', () => {
    const words = Array.from({ length: 40 }, (_, index) => 'a'.repeat(index + 3));
    expect(reasonOf(`${'a'.repeat(1000)}b c`, { username: 'x', hasSecondFactor: false, alsoNamed: words })).toBeNull();
  });
});

describe('the names around a password', () => {
  test('of the service are its host, and its organization where it has one', () => {
    expect(serviceNames('https://as.test:8443/tenant', null)).toEqual(['as.test']);
    expect(serviceNames('https://as.test', 'Acme')).toEqual(['as.test', 'Acme']);
  });

  test('count in full-width letters, and in any of several names', () => {
    expect(reasonOf('\uff4c\uff4f\uff56\uff45\uff4c\uff41\uff43\uff45 1', BESIDE)).toBe('names_the_user');
    const context = { username: 'x', hasSecondFactor: true, alsoNamed: ['12 34 56 78', '87 65 43 21'] };
    expect(reasonOf('87 65 43 21', context)).toBe('names_the_user');
    expect(reasonOf('eight ch', { ...context, alsoNamed: [''] })).toBeNull();
  });

  test('count between several signs', () => {
    expect(reasonOf('lovelace.1815', { username: 'ada__--lovelace', hasSecondFactor: true })).toBe('names_the_user');
  });
});

describe('a sequence', () => {
  test.each(['0123456789012345h', 'a012345678901234'])('of digits has no letter: %j', (password) => {
    expect(reasonOf(password, ALONE)).toBeNull();
  });

  test('in a password of 1024 characters is one, and one more character is too many', () => {
    const long = '0123456789'.repeat(103);
    expect(reasonOf(long.slice(0, 1024), ALONE)).toBe('common');
    expect(brokenRule(long.slice(0, 1025), ALONE)).toEqual({ reason: 'too_long', characters: 1025, atMost: 1024 });
  });
});
