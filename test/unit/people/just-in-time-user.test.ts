/** A just-in-time user: the usernames in the order of preference, and the claims that the policy copies. */
import { describe, expect, it } from 'vitest';
import { claimsOf, isReserved, usernamesFor } from '../../../src/people/external/just-in-time-user.ts';
import { acceptableClaims, acceptableUsername } from '../../../src/registration/acceptable.ts';
import { configuration } from '../protocol/ports.ts';

const shipped = configuration();
const names = (wanted: readonly unknown[], claims = {}, identifiers = 'username', change: object = {}) =>
  usernamesFor(
    {
      random: { bytes: (size: number) => Buffer.alloc(size, 0xab), uuid: () => '' },
      configuration: () => ({ ...shipped, signIn: { ...shipped.signIn, identifiers }, ...change }) as never,
    },
    { acceptableUsername },
    wanted,
    claims,
  );
const numbered = (base: string) => [...[2, 3, 4, 5, 6, 7, 8, 9].map((at) => `${base}-${at}`), `${base}-ababababab`];

describe('the usernames of a just-in-time user', () => {
  it('are the first wanted one that a record allows, then numbered ones, then a random one', () => {
    expect(names([null, 7, '', ' ada ', 'bob'])).toEqual(['ada', ...numbered('ada')]);
    expect(names([])).toEqual(['user', ...numbered('user')]);
  });

  it('are none that no reader sees, or of mixed writing', () => {
    expect(names(['\u2060', 'ada'])[0]).toBe('ada');
    expect(names(['p\u0430ypal', 'ada'])[0]).toBe('ada');
  });

  it('have a suffix behind the first hundred whole characters', () => {
    const long = '\u{20000}'.repeat(101);
    const base = '\u{20000}'.repeat(100);
    expect(names([long]).slice(0, 2)).toEqual([base, `${base}-2`]);
    expect(names(['x'.repeat(100)]).slice(0, 2)).toEqual(['x'.repeat(100), `${'x'.repeat(100)}-2`]);
    expect(names(['x'.repeat(101)])[0]).toBe('x'.repeat(100));
  });

  const OWN = { email: 'ada@example.com', email_verified: true };

  it('are addresses where only usernames identify', () => {
    expect(names(['ada@example.com'])).toEqual(['ada@example.com', ...numbered('ada@example.com')]);
  });

  it('are, where addresses identify, the own verified address, and else the part before the sign', () => {
    expect(names(['ADA@example.com'], OWN, 'email')).toEqual(['ADA@example.com', 'ADA', ...numbered('ADA')]);
    expect(names(['eve@example.com'], OWN, 'email')).toEqual(['eve', ...numbered('eve')]);
    const unverified = { ...OWN, email_verified: false };
    expect(names(['ada@example.com'], unverified, 'email')).toEqual(['ada', ...numbered('ada')]);
    expect(names(['@example.com', 'bob'], OWN, 'email')[0]).toBe('bob');
    expect(names(['ada'], OWN, 'email')).toEqual(['ada', ...numbered('ada')]);
  });

  it('are none to which operators.yaml gives a role', () => {
    const operators = { ...shipped.operators, operators: ['Root'], auditors: ['ada-2'] };
    expect(names(['root'], {}, 'username', { operators })).toEqual(numbered('root'));
    expect(names(['ada'], {}, 'username', { operators })).toEqual(['ada', ...numbered('ada').slice(1)]);
    expect(isReserved({ ...shipped, operators }, 'root')).toBe(true);
    expect(isReserved({ ...shipped, operators }, 'ada')).toBe(false);
  });
});

describe('the claims of a just-in-time user', () => {
  const of = (wanted: readonly string[], told: object) => claimsOf({ acceptableClaims }, wanted, told as never);

  it('are those that the policy names, and a record allows', () => {
    const told = { name: 'Ada', nickname: 'a', locale: null, email: 'none' };
    expect(of(['name', 'locale', 'email', 'absent'], told)).toEqual({ name: 'Ada' });
    expect(of([], told)).toEqual({});
  });

  it('have no flag without its claim', () => {
    const flags = { email_verified: true, phone_number_verified: true };
    const wanted = ['email', 'email_verified', 'phone_number', 'phone_number_verified'];
    expect(of(wanted, { ...flags, email: 'a@b.c' })).toEqual({ email: 'a@b.c', email_verified: true });
    expect(of(wanted, flags)).toEqual({});
    expect(of(['email_verified'], { ...flags, email: 'a@b.c' })).toEqual({});
  });
});
