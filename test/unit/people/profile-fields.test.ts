/** The fields of a profile that end-users edit: their kinds, the stored values that a field can hold, and the rules for new ones. */
import { describe, expect, it } from 'vitest';
import { MAX_TYPED_CHARACTERS } from '../../../policies/claims-schema.ts';
import { type FieldKind, fits, profileFields } from '../../../src/people/account/profile-fields.ts';

const fieldOf = (claim: object, claims: object = {}) =>
  profileFields({ editableByUser: [claim] } as never, claims as never)[0];
const accepts = (claim: object, typed: string): boolean => {
  const field = fieldOf(claim);
  if (field === undefined) throw new Error('no field');
  return fits(field, typed);
};

describe('a field of the profile', () => {
  it.each<[string, FieldKind, number]>([
    ['name', 'text', MAX_TYPED_CHARACTERS],
    ['profile', 'webAddress', 1000],
    ['picture', 'picture', 1000],
    ['website', 'webAddress', 1000],
    ['birthdate', 'birthdate', MAX_TYPED_CHARACTERS],
    ['zoneinfo', 'zoneinfo', MAX_TYPED_CHARACTERS],
    ['locale', 'locale', MAX_TYPED_CHARACTERS],
    ['phone_number', 'phone', 64],
    ['team', 'text', MAX_TYPED_CHARACTERS],
  ])('%s is of the kind %s, with at most %i characters', (name, kind, atMost) => {
    expect(fieldOf({ name })).toEqual({ name, kind, atMost, label: null, choices: [], value: '' });
  });

  it('has the label and choices of a custom claim, and the stored value', () => {
    const claim = { name: 'team', label: 'Team', choices: ['a', 'b'] };
    expect(fieldOf(claim, { team: 'b' })).toMatchObject({
      ...{ name: 'team', kind: 'choice', label: 'Team', choices: ['a', 'b'], value: 'b' },
    });
  });

  it.each([{}, ['a'], 7, true, 'x'.repeat(65)])('is absent where the stored value is %j', (value) => {
    expect(fieldOf({ name: 'phone_number' }, { phone_number: value })).toBeUndefined();
  });

  it('holds a value of the most characters', () => {
    expect(fieldOf({ name: 'phone_number' }, { phone_number: '1'.repeat(64) })?.value).toBe('1'.repeat(64));
    expect(profileFields({ scopes: [] }, {})).toEqual([]);
  });
});

describe('a new value', () => {
  it.each([
    ['name', 'Ada Lovelace', true],
    ['name', '', true],
    ['name', 'a<b', false],
    ['name', 'a>b', false],
    ['name', 'a\u0000', false],
    ['name', 'x'.repeat(MAX_TYPED_CHARACTERS), true],
    ['name', 'x'.repeat(MAX_TYPED_CHARACTERS + 1), false],
    ['picture', 'https://a.test/p.png', true],
    ['picture', 'http://a.test/p.png', false],
    ['picture', 'data:image/png;base64,AA', false],
    ['website', 'https://a.test', true],
    ['website', 'http://a.test', true],
    ['website', 'ftp://a.test', false],
    ['website', 'https:a.test', false],
    ['website', 'HTTPS://a.test', false],
    ['website', 'a.test', false],
    ['website', 'https://', false],
    ['website', 'https://ada@a.test', false],
    ['website', 'https://:secret@a.test', false],
    ...[' ', '"', '<', '>', '\\', '^', '`', '{', '|', '}'].map((sign): [string, string, boolean] => [
      ...(['website', `https://a.test/${sign}x`, false] as const),
    ]),
    ['website', `https://a.test/${'x'.repeat(985)}`, true],
    ['website', `https://a.test/${'x'.repeat(986)}`, false],
    ['birthdate', '1815-12-10', true],
    ['zoneinfo', 'Europe/Berlin', true],
    ['zoneinfo', 'Europe/Atlantis', false],
    ['locale', 'de-AT', true],
    ['locale', 'german language', false],
    ['phone_number', '+49 (30) 123-45/6.7', true],
    ['phone_number', '110', true],
    ['phone_number', '1', false],
    ['phone_number', '+49x30', false],
    ['phone_number', '(030) 1', false],
    ['phone_number', '030-', false],
    ['phone_number', '++49', false],
    ['phone_number', 'x110', false],
    ['phone_number', '110x', false],
  ])('of %s as %j is accepted: %s', (name, typed, isAccepted) => {
    expect(accepts({ name }, typed)).toBe(isAccepted);
  });

  it('of a claim with choices is one of them, or none', () => {
    const claim = { name: 'team', choices: ['a<b', 'c'] };
    expect(['a<b', 'c', '', 'd'].map((typed) => accepts(claim, typed))).toEqual([true, true, true, false]);
  });
});
