/** The claims and usernames of just-in-time users: the rules of a record leave out all others. */
import { describe, expect, it } from 'vitest';
import { acceptableClaims, acceptableUsername, customClaimsFit } from '../../../src/registration/acceptable.ts';

describe('the claims of a just-in-time user', () => {
  it('are those that a record allows, standard or custom', () => {
    const claims = { name: 'Ada', email: 'a@b.c', email_verified: true, team: ['x'], locale: 'de' };
    expect(acceptableClaims(claims)).toEqual(claims);
    expect(acceptableClaims({})).toEqual({});
  });

  it.each<[string, unknown]>([
    ['email', 'none'],
    ['name', 7],
    ['team', 'x\u0000'],
    ['iss', 'https://else.test'],
    ['username', 'eve'],
    ['password', 'a password'],
    ['sub', 'another'],
    ['a name with spaces', 1],
  ])('have no %s as %j', (name, value) => {
    expect(acceptableClaims({ [name]: value, nickname: 'ada' })).toEqual({ nickname: 'ada' });
  });
});

it.each([
  ['ada', 'ada'],
  [' ada ', 'ada'],
  ['', null],
  ['a\u0000', null],
  [7, null],
  [null, null],
  [undefined, null],
])('the username of %j is %j', (text, username) => {
  expect(acceptableUsername(text)).toBe(username);
});

it('custom claims fit up to fifty, beside any standard ones', () => {
  const custom = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`claim_${at}`, 1]));
  expect(customClaimsFit({ ...custom(50), name: 'Ada', email: 'a@b.c' })).toBe(true);
  expect(customClaimsFit(custom(51))).toBe(false);
  expect(customClaimsFit({ team: 'x'.repeat(5000) })).toBe(false);
});
