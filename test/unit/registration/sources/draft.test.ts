/** From the facts of another system to a record: the parts that come along, and those that stay behind. */
import { describe, expect, it } from 'vitest';
import { readImportedUser } from '../../../../src/registration/imported-user.ts';
import { type Draft, issuerNamed, linked, type Passkey, userOf } from '../../../../src/registration/sources/draft.ts';
import { settled } from '../../../../src/registration/sources/settle.ts';
import { NO_OPTIONS } from '../../../support/exports.ts';

const ADA: Draft = { sub: '1', username: 'ada' };
const of = (draft: Partial<Draft>, options = {}, leftOut?: readonly string[]) =>
  userOf({ ...NO_OPTIONS, ...options }, { ...ADA, ...draft }, leftOut);
const recordOf = (draft: Partial<Draft>, options = {}) => {
  const converted = of(draft, options);
  if (converted.kind !== 'user') throw new Error(converted.kind);
  return converted.record;
};
const BARE = { username: 'ada', sub: '1', without_password: true };

describe('the record of an end-user', () => {
  it('has a username, a sub, and no password where none comes along', () => {
    expect(of({})).toEqual({ kind: 'user', record: BARE, leftOut: [] });
    expect(of({}, {}, ['a part'])).toMatchObject({ leftOut: ['a part'] });
  });

  it('is refused without a username', () => {
    const reasons = ['It has no username, e-mail address or id.'];
    expect(of({ username: undefined })).toEqual({ kind: 'refused', reasons });
  });

  it('gets a sub of this server on request, and where the export has none', () => {
    expect(recordOf({}, { keepsSub: false })).toStrictEqual({ username: 'ada', without_password: true });
    expect(recordOf({ sub: undefined })).toStrictEqual({ username: 'ada', without_password: true });
  });

  it('has the parts that the draft has, and no empty ones', () => {
    const identities = [{ provider: 'p', issuer: 'i', sub: 's' }];
    const full = recordOf({
      ...{ passwordHash: '$hash', disabled: true, createdAt: '2024-01-01T00:00:00Z', identities, totp: ['A'] },
      ...{ recoveryCodes: ['B'], claims: { name: 'Ada' }, custom: { team: 'x' } },
    });
    expect(full).toStrictEqual({
      ...{ username: 'ada', sub: '1', password_hash: '$hash', disabled: true, created_at: '2024-01-01T00:00:00Z' },
      ...{ identities, totp: ['A'], recovery_codes: ['$sha512$B'], name: 'Ada', claims: { team: 'x' } },
    });
    const empty = {
      disabled: false,
      identities: [],
      totp: [],
      passkeys: [],
      recoveryCodes: [],
      claims: {},
      custom: {},
    };
    expect(recordOf({ ...empty, createdAt: undefined })).toStrictEqual(BARE);
  });

  it('leaves out empty claims, and flags without their claim', () => {
    const claims = { name: '', nickname: null, email: undefined, email_verified: true, phone_number_verified: false };
    expect(recordOf({ claims })).toStrictEqual(BARE);
    expect(recordOf({ claims: { email: 'a@b.c', email_verified: false } })).toStrictEqual({
      ...BARE,
      ...{ email: 'a@b.c', email_verified: false },
    });
  });

  it('leaves out custom claims with names that no claim can have, and names them', () => {
    const long = `a b${'x'.repeat(80)}`;
    const converted = of({ custom: { team: 'x', email: 'a@b.c', iss: 'i', [long]: 1, empty: '' } });
    expect(converted).toMatchObject({ record: { claims: { team: 'x' } } });
    expect(converted).toHaveProperty('leftOut', [
      'attribute "email": no claim can have this name',
      'attribute "iss": no claim can have this name',
      `attribute "${long.slice(0, 60)}": no claim can have this name`,
    ]);
  });
});

describe('the passkey of a record', () => {
  const passkey: Passkey = {
    ...{ credentialId: 'id', publicKey: 'key', userHandle: 'handle', isSecondFactorOnly: false },
  };
  const NO_HOST = 'passkey: the export does not say for which host name it was made; add --rp-id HOST';

  it('has the members that are there, and its host name in small letters', () => {
    const full = {
      ...{ ...passkey, counter: 0, transports: ['usb'], backupEligible: false, discoverable: true },
      ...{ userVerified: false, isSecondFactorOnly: true, name: 'key', createdAt: 'then', rpId: 'AS.test' },
    };
    expect(recordOf({ passkeys: [full, { ...passkey, rpId: 'b.test' }] })['passkeys']).toStrictEqual([
      {
        ...{ credential_id: 'id', public_key: 'key', user_handle: 'handle', counter: 0, transports: ['usb'] },
        ...{ backup_eligible: false, discoverable: true, user_verified: false, second_factor_only: true },
        ...{ name: 'key', created_at: 'then', rp_id: 'as.test' },
      },
      { credential_id: 'id', public_key: 'key', user_handle: 'handle', rp_id: 'b.test' },
    ]);
  });

  it('stays behind without a host name, unless the option names one', () => {
    expect(of({ passkeys: [passkey] })).toEqual({ kind: 'user', record: BARE, leftOut: [NO_HOST] });
    const options = { rpId: 'Other.test' };
    expect(recordOf({ passkeys: [passkey] }, options)['passkeys']).toMatchObject([{ rp_id: 'other.test' }]);
    expect(recordOf({ passkeys: [{ ...passkey, rpId: 'a.test' }] }, options)['passkeys']).toMatchObject([
      { rp_id: 'other.test' },
    ]);
  });
});

describe('the account at an identity provider', () => {
  const link = (one: Parameters<typeof linked>[1][number], issuers: readonly (readonly [string, string])[] = []) =>
    linked({ ...NO_OPTIONS, issuers: new Map(issuers) }, [one]);

  it.each([
    ...['google', 'google-oauth2', 'google.com', 'oauth_google', 'Google'].map((name) => [
      name,
      'google',
      'https://accounts.google.com',
    ]),
    ...['apple', 'apple.com', 'oauth_apple', 'SignInWithApple'].map((name) => [
      name,
      'apple',
      'https://appleid.apple.com',
    ]),
    ...['github', 'github.com', 'oauth_github', 'GitHub'].map((name) => [name, 'github', 'https://github.com']),
    ...['gitlab', 'oauth_gitlab', 'GitLab'].map((name) => [name, 'gitlab', 'https://gitlab.com']),
  ])('at %s has the provider %s', (name, provider, issuer) => {
    expect(issuerNamed(name)).toBe(issuer);
    expect(link({ provider: name as string, sub: '7' })).toEqual({
      identities: [{ provider, issuer, sub: '7' }],
      leftOut: [],
    });
  });

  it('has no issuer at an unknown provider, or at none', () => {
    expect([issuerNamed('facebook'), issuerNamed(undefined)]).toEqual([undefined, undefined]);
  });

  it('has the issuer of the option before that of the export, and then its own name', () => {
    const identities = (issuer: string, provider: string) => ({
      identities: [{ provider, issuer, sub: '7' }],
      leftOut: [],
    });
    expect(link({ provider: 'google', sub: '7' }, [['google', 'https://o.test']])).toEqual(
      identities('https://o.test', 'google'),
    );
    expect(link({ provider: 'oauth_google', sub: '7', issuer: 'https://f.test' })).toEqual(
      identities('https://f.test', 'oauth-google'),
    );
    const both = link({ provider: 'x', sub: '7', issuer: 'https://f.test' }, [['x', 'https://o.test']]);
    expect(both).toEqual(identities('https://o.test', 'x'));
  });

  it.each([
    ['  Our -- Login! ', 'our-login'],
    ['--our--', 'our'],
    ['--', 'provider'],
    ['x'.repeat(50), 'x'.repeat(40)],
  ])('%j is called %j', (provider, name) => {
    expect(link({ provider, sub: '7', issuer: 'https://f.test' }).identities).toMatchObject([{ provider: name }]);
  });

  it('stays behind without an id, or without a known issuer', () => {
    const long = 'x'.repeat(80);
    expect(link({ provider: long, sub: undefined })).toEqual({
      identities: [],
      leftOut: [`link to "${'x'.repeat(60)}": it has no id of the account there`],
    });
    expect(link({ provider: long, sub: '7' })).toEqual({
      identities: [],
      leftOut: [`link to "${'x'.repeat(60)}": its issuer is not known; add --issuer ${'x'.repeat(60)}=https://…`],
    });
  });
});

describe('a record that the rules refuse in part', () => {
  const read = (input: unknown) => readImportedUser(input, true, { hashes: { fast: false, peppered: false } });
  const HASH = '$2b$12$abcdefghijklmnopqrstuubAvJmxpQuyV3jn7x.SUSPxe.DearCPe';
  const settle = (record: object) => settled(read, { username: 'ada', ...record });

  it('loses a refused hash, and says that it has no password then', () => {
    const { reading, leftOut } = settle({ password_hash: '$y$x' });
    expect(reading).toMatchObject({ ok: true, value: { passwordHash: null, withoutPassword: true } });
    expect(leftOut).toEqual(['password: yescrypt']);
  });

  it('keeps its password beside another refused part', () => {
    const { reading, leftOut } = settle({ password_hash: HASH, email: 'none' });
    expect(reading).toMatchObject({ ok: true, value: { passwordHash: HASH, withoutPassword: false } });
    expect(leftOut).toHaveLength(1);
    const typed = settle({ password: 'correct horse battery staple', email: 'none' });
    expect(typed.reading).toMatchObject({ ok: true, value: { password: expect.any(String), withoutPassword: false } });
    const none = settle({ without_password: true, email: 'none' });
    expect(none.reading).toMatchObject({ ok: true, value: { withoutPassword: true } });
  });

  it('loses the flag of a refused e-mail address with it', () => {
    const { reading } = settle({ email: 'none', email_verified: true, name: 'Ada' });
    expect(reading).toMatchObject({ ok: true, value: { claims: { name: 'Ada' } } });
    expect(reading.ok && reading.value.claims).not.toHaveProperty('email_verified');
  });

  it.each([
    ['claims', { 'a.b': 'x\u0000', ok: 'y' }, { claims: { ok: 'y' } }],
    ['totp', ['short', 'A'.repeat(16)], { totpSecrets: ['A'.repeat(16)] }],
    [
      'identities',
      [{ provider: 'a' }, { provider: 'b', issuer: 'https://b.test', sub: '1' }],
      { identities: [{ provider: 'b', issuer: 'https://b.test', subject: '1' }] },
    ],
    [
      'recovery_codes',
      ['none', `$sha512$${Buffer.alloc(64).toString('base64')}`],
      { recoveryCodes: [Buffer.alloc(64)] },
    ],
    ['passkeys', [{ credential_id: '' }], { passkeys: [] }],
  ])('loses one of the %s, and keeps the others', (name, value, expected) => {
    const { reading, leftOut } = settle({ [name]: value, nickname: 'a' });
    expect(reading).toMatchObject({ ok: true, value: { ...expected, claims: { nickname: 'a' } } });
    expect(leftOut.every((words) => words.startsWith(name))).toBe(true);
  });

  it.each(['claims', 'totp', 'identities', 'recovery_codes', 'passkeys'])('loses %s that are a text', (name) => {
    const { reading, leftOut } = settle({ [name]: 'a text' });
    expect(reading).toMatchObject({ ok: true, value: { username: 'ada' } });
    expect(leftOut).toHaveLength(1);
    expect(leftOut[0]).toMatch(new RegExp(`^${name}: it is not `));
  });

  it('names a part without its place in a list', () => {
    const identities = Array.from({ length: 11 }, () => ({ provider: 'a', issuer: 'https://a.test', sub: '1' }));
    const broken = identities.with(10, { provider: 'A', issuer: 'https://a.test', sub: '1' });
    expect(settle({ identities: broken }).leftOut).toEqual([
      'identities.provider: it is not lower-case letters, digits and "-"',
    ]);
  });

  it('is refused whole for its username, beside whichever other problem', () => {
    const { reading, leftOut } = settle({ username: '', email: 'none' });
    expect(reading.ok).toBe(false);
    expect(leftOut).toEqual([]);
  });

  it('is given up after three rounds of problems', () => {
    let rounds = 0;
    const stubborn = () => {
      rounds += 1;
      return { ok: false, problems: [{ key: 'name', found: 'x', allowed: 'y', nearest: null }] } as const;
    };
    expect(settled(stubborn, { username: 'ada' }).reading.ok).toBe(false);
    expect(rounds).toBe(4);
  });
});
