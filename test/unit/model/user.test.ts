/** The identifiers of an end-user. */
import { describe, expect, test } from 'vitest';
import { actorName, endUser, endUserIn, namesOfEndUser } from '../../../src/model/actor.ts';
import {
  addressesIdentify,
  addressKey,
  addressOf,
  type Claims,
  endUserOf,
  subOf,
  verifiedAddressKey,
} from '../../../src/model/user.ts';
import { NOW } from '../lifecycles/given.ts';

test('the sub is the imported one, or else the id', () => {
  expect(subOf({ id: 'an-id', sub: null })).toBe('an-id');
  expect(subOf({ id: 'an-id', sub: 'imported' })).toBe('imported');
});

test('guards see when the end-user was disabled', () => {
  expect(endUserOf(null)).toBeNull();
  expect(endUserOf({ disabledAt: null })).toEqual({ disabledAt: null });
  expect(endUserOf({ disabledAt: NOW })).toEqual({ disabledAt: NOW.getTime() });
});

describe('the address of an end-user', () => {
  test.each<[Claims, ReturnType<typeof addressOf>, string | null]>([
    [{}, null, null],
    [{ email: '' }, null, null],
    [{ email: '', email_verified: true }, null, null],
    [{ email: 7, email_verified: true }, null, null],
    [{ email: 'Mira@Example.com' }, { address: 'Mira@Example.com', isVerified: false }, null],
    [{ email: 'Mira@Example.com', email_verified: 'true' }, { address: 'Mira@Example.com', isVerified: false }, null],
    [
      { email: 'Mira@Example.com', email_verified: true },
      { address: 'Mira@Example.com', isVerified: true },
      'mira@example.com',
    ],
  ])('of %o', (claims, address, key) => {
    expect(addressOf({ claims })).toEqual(address);
    expect(verifiedAddressKey({ claims })).toBe(key);
  });

  test('has a key without case, spaces around it, and ways to compose a letter', () => {
    expect(addressKey(' Mira@Example.COM ')).toBe('mira@example.com');
    expect(addressKey('e\u0301@example.com')).toBe('\u00e9@example.com');
  });

  test.each([
    ['username', false],
    ['username_or_email', true],
    ['email', true],
  ])('identifies under identifiers: %s', (identifiers, identifies) => {
    expect(addressesIdentify({ identifiers })).toBe(identifies);
  });
});

describe('an end-user as the actor of a ledger entry', () => {
  test('is named in either role', () => {
    expect(namesOfEndUser('an-id')).toEqual(['operator an-id', 'end_user an-id']);
    expect(actorName(endUser('an-id'))).toBe('end_user an-id');
  });

  test.each([
    ['operator an-id', 'an-id'],
    ['end_user an-id', 'an-id'],
    ['client an-id', null],
    ['upstream google', null],
    ['command_line', null],
    ['operator', null],
    [null, null],
  ])('%s', (name, id) => {
    expect(endUserIn(name)).toBe(id);
  });
});
