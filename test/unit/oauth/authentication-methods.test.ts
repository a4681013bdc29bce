import { expect, it } from 'vitest';
import {
  AUTHENTICATION_CLASSES,
  authenticationClassOf,
  byPasskey,
  classAskedFor,
  classNamed,
  hasPassword,
  isByMailAlone,
  levelOf,
  methodsOf,
  satisfies,
  strongestOf,
} from '../../../src/oauth/authentication-methods.ts';

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

it('a passkey counts as a key, verification of the end-user and two factors', () => {
  expect(byPasskey(true)).toEqual(['swk', 'user', 'mfa']);
  expect(byPasskey(false)).toEqual(['hwk', 'user', 'mfa']);
});

it('a password is recognized among other methods', () => {
  expect(hasPassword(['otp', 'pwd'])).toBe(true);
  expect(hasPassword(['otp'])).toBe(false);
  expect(hasPassword([])).toBe(false);
});

it('a code in a mail is alone, or beside other methods', () => {
  expect(isByMailAlone(['otp'])).toBe(true);
  for (const amr of [[], ['pwd'], ['otp', 'mfa'], ['pwd', 'otp']]) expect(isByMailAlone(amr)).toBe(false);
});

it('a policy names a class without its prefix', () => {
  expect(classNamed('multi-factor')).toBe(MULTI_FACTOR);
  expect(classNamed('phishing-resistant')).toBe(PHISHING_RESISTANT);
});

it('the level of a class is its place, and 0 for every other text', () => {
  expect([...AUTHENTICATION_CLASSES, null, 'urn:other'].map(levelOf)).toEqual([0, 1, 2, 0, 0]);
});

it.each([
  ['', null],
  ['urn:other', null],
  [MULTI_FACTOR, MULTI_FACTOR],
  [`${PHISHING_RESISTANT} urn:other ${MULTI_FACTOR}`, MULTI_FACTOR],
])('acr_values %j ask for %j', (values, expected) => {
  expect(classAskedFor(values)).toBe(expected);
});

it('the strongest of several classes counts', () => {
  expect(strongestOf([null, PHISHING_RESISTANT, undefined, MULTI_FACTOR])).toBe(PHISHING_RESISTANT);
  expect(strongestOf([PASSWORD])).toBe(PASSWORD);
  expect(strongestOf([null, undefined])).toBeNull();
});

it('methods are joined without repetition, in their order', () => {
  expect(methodsOf(['pwd', 'otp'], ['otp', 'mfa'])).toEqual(['pwd', 'otp', 'mfa']);
});
