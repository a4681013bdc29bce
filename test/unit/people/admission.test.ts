/** The policy's check of a federated sign-in: admission, registration, the age of the sign-in, and its methods. */
import { describe, expect, it } from 'vitest';
import type { Claims } from '../../../src/model/user.ts';
import { admits, isRecentEnough, methodsOf, registers } from '../../../src/people/upstream/admission.ts';

const VERIFIED = { email: 'ada@Example.com', email_verified: true };

describe('an end-user of an identity provider', () => {
  it.each<[string, object, Claims, boolean]>([
    ['without conditions', {}, {}, true],
    ['of an admitted domain', { emailDomains: ['example.com'] }, VERIFIED, true],
    ['of another domain', { emailDomains: ['example.org'] }, VERIFIED, false],
    ['of a domain below it', { emailDomains: ['example.com'] }, { ...VERIFIED, email: 'a@x.example.com' }, false],
    ['with an unverified address', { emailDomains: ['example.com'] }, { ...VERIFIED, email_verified: false }, false],
    ['with "true" as a text', { emailDomains: ['example.com'] }, { ...VERIFIED, email_verified: 'true' }, false],
    ['without an address', { emailDomains: ['example.com'] }, { email_verified: true }, false],
    [
      'with an address that is no text',
      { emailDomains: ['example.com'] },
      { ...VERIFIED, email: ['a@example.com'] },
      false,
    ],
    ['with a domain alone', { emailDomains: ['example.com'] }, { ...VERIFIED, email: '@example.com' }, false],
    ['with a second sign', { emailDomains: ['example.com'] }, { ...VERIFIED, email: 'a@else.test@example.com' }, true],
    ['with the admitted value', { claim: { name: 'hd', values: ['a', 'b'] } }, { hd: 'b' }, true],
    ['with one in a list', { claim: { name: 'hd', values: ['b'] } }, { hd: ['a', 'b'] }, true],
    ['with a number', { claim: { name: 'hd', values: ['7'] } }, { hd: 7 }, true],
    ['with true', { claim: { name: 'hd', values: ['true'] } }, { hd: true }, true],
    ['with another value', { claim: { name: 'hd', values: ['a'] } }, { hd: 'b' }, false],
    ['without the claim', { claim: { name: 'hd', values: ['a'] } }, {}, false],
    ['with an empty list', { claim: { name: 'hd', values: ['a'] } }, { hd: [] }, false],
    [
      'with one of two conditions',
      { emailDomains: ['example.com'], claim: { name: 'hd', values: ['a'] } },
      VERIFIED,
      false,
    ],
    ['with the other', { emailDomains: ['example.com'], claim: { name: 'hd', values: ['a'] } }, { hd: 'a' }, false],
    [
      'with both',
      { emailDomains: ['example.com'], claim: { name: 'hd', values: ['a'] } },
      { ...VERIFIED, hd: 'a' },
      true,
    ],
  ])('%s is admitted as the policy says', (_, admit, claims, isAdmitted) => {
    expect(admits({ admit } as never, claims)).toBe(isAdmitted);
  });

  it.each<[boolean, readonly string[] | undefined, Claims, boolean]>([
    [true, undefined, {}, true],
    [false, undefined, VERIFIED, false],
    [true, ['example.com'], VERIFIED, true],
    [true, ['example.org'], VERIFIED, false],
    [true, ['example.com'], {}, false],
    [false, ['example.com'], VERIFIED, false],
  ])('with createUsers %s from %j and the claims %j is registered: %s', (createUsers, createUsersFrom, claims, is) => {
    expect(registers({ createUsers, createUsersFrom } as never, claims)).toBe(is);
  });
});

describe('a sign-in again', () => {
  const NOW = 1_700_000_000;
  const recent = (prompt: readonly string[], maxAgeSeconds: number | null, authTime: number | null) =>
    isRecentEnough(
      { requested: { prompt, maxAgeSeconds }, beganAt: new Date((NOW - 100) * 1000) } as never,
      authTime,
      new Date(NOW * 1000),
    );

  it.each<[readonly string[], number | null, number | null, boolean]>([
    [[], null, null, true],
    [['consent'], null, null, true],
    [['login'], null, null, false],
    [[], 0, null, false],
    [['login'], null, NOW - 160, true],
    [['login'], null, NOW - 161, false],
    [[], 300, NOW - 360, true],
    [[], 300, NOW - 361, false],
    [[], 0, NOW - 60, true],
    [[], 0, NOW - 61, false],
    [['login'], 300, NOW - 161, false],
    [['login'], 10, NOW - 71, false],
    [['login'], 300, NOW - 160, true],
  ])('with the prompt %j, max_age %s and the time %s is recent enough: %s', (prompt, maxAge, authTime, isRecent) => {
    expect(recent(prompt, maxAge, authTime)).toBe(isRecent);
  });
});

describe('the methods of a sign-in', () => {
  const TRUSTED = { acr: ['high'], amr: ['duo'] };
  it.each<[string | null, readonly string[], readonly string[]]>([
    [null, ['pwd', 'otp'], ['pwd', 'otp']],
    [null, ['pwd', 'mfa'], ['pwd']],
    [null, ['pwd', 'hwk', 'swk'], ['pwd']],
    ['high', ['pwd', 'hwk'], ['pwd', 'hwk', 'mfa']],
    ['low', ['pwd'], ['pwd']],
    [null, ['pwd', 'duo'], ['pwd', 'duo', 'mfa']],
    ['high', ['mfa'], ['mfa']],
    [null, [], []],
  ])('with the class %s and %j are %j', (acr, amr, methods) => {
    expect(methodsOf({ multiFactor: TRUSTED } as never, { acr, amr })).toEqual(methods);
  });
});
