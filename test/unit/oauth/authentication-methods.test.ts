import { expect, it } from 'vitest';
import { AUTHENTICATION_CLASSES, authenticationClassOf, satisfies } from '../../../src/oauth/authentication-methods.ts';

const [PASSWORD, MULTI_FACTOR, PHISHING_RESISTANT] = AUTHENTICATION_CLASSES;

it.each([
  [['pwd'], PASSWORD],
  [[], PASSWORD],
  // A key without user verification is one factor.
  [['swk'], PASSWORD],
  [['pwd', 'otp', 'mfa'], MULTI_FACTOR],
  [['mfa'], MULTI_FACTOR],
  [['swk', 'user', 'mfa'], PHISHING_RESISTANT],
  [['hwk', 'user', 'mfa'], PHISHING_RESISTANT],
])('%j is of the class %s', (amr, expected) => {
  expect(authenticationClassOf(amr)).toBe(expected);
});

it('each class satisfies itself and those before it', () => {
  const pairs = AUTHENTICATION_CLASSES.map((actual) =>
    AUTHENTICATION_CLASSES.map((wanted) => satisfies(actual, wanted)),
  );
  expect(pairs).toEqual([
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ]);
});
