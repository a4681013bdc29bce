/** Users of other systems, one record at a time: the spelling of each format, its alternatives, and the parts that stay behind. */
import { describe, expect, it } from 'vitest';
import { sha512 } from '../../../../src/crypto/recovery-code.ts';
import { rawSecret } from '../../../../src/crypto/secret-types.ts';
import { SOURCES } from '../../../../src/registration/sources/all.ts';
import type { JsonObject, SourceOptions } from '../../../../src/registration/sources/source.ts';
import { NO_OPTIONS } from '../../../support/exports.ts';

/** @returns the last record, as it becomes. Each may name its list. */
function converted(from: string, records: readonly JsonObject[], options: Partial<SourceOptions> = {}, list = '') {
  const source = SOURCES.find(({ name }) => name === from);
  if (source === undefined) throw new Error(from);
  const adapter = source.open({ ...NO_OPTIONS, ...options });
  const sent = records.map(({ $list = list, ...value }) => ({ list: String($list), value }));
  for (const one of sent) adapter.prepare?.(one);
  return adapter.convert(sent.at(-1) ?? { list, value: {} });
}
const recordOf = (...given: Parameters<typeof converted>): JsonObject => {
  const one = converted(...given);
  if (one.kind !== 'user') throw new Error(one.kind);
  return one.record;
};
const leftOut = (...given: Parameters<typeof converted>) => {
  const one = converted(...given);
  return 'leftOut' in one ? one.leftOut : undefined;
};
/** The username that a record gets, as more of its members are taken away. */
const usernames = (from: string, steps: readonly JsonObject[], options = {}) =>
  steps.map((one) => recordOf(from, [one], options)['username']);
const BARE = { without_password: true };

it.each(SOURCES.map((source) => [source.name, source] as const))('%s is described for the help', (_, source) => {
  expect(source.name).toMatch(/^[a-z0-9]+$/);
  for (const words of [source.system, source.file, source.brings]) expect(words.length).toBeGreaterThan(3);
  expect(source.reference).toMatch(/^https:\/\//);
});

describe('a user of Keycloak', () => {
  const USER = { id: '1', username: 'ada' };
  const of = (user: JsonObject, ...before: JsonObject[]) => recordOf('keycloak', [...before, { ...USER, ...user }]);
  const left = (user: JsonObject) => leftOut('keycloak', [{ ...USER, ...user }]);
  const withSecret = (type: string, secretData: object, credentialData: object, more: object = {}) => ({
    credentials: [
      { type, secretData: JSON.stringify(secretData), credentialData: JSON.stringify(credentialData), ...more },
    ],
  });

  it('has its username, or its e-mail address', () => {
    expect(of({})).toStrictEqual({ username: 'ada', sub: '1', ...BARE });
    expect(recordOf('keycloak', [{ id: '1', email: 'a@b.c' }])['username']).toBe('a@b.c');
  });

  it('has its name, date and state', () => {
    const user = { firstName: 'A', lastName: 'L', createdTimestamp: 1_700_000_000_000, enabled: false };
    expect(of(user)).toMatchObject({
      ...{ given_name: 'A', family_name: 'L', name: 'A L', created_at: '2023-11-14T22:13:20.000Z', disabled: true },
    });
    expect(of({ enabled: true })).not.toHaveProperty('disabled');
  });

  it('is none as a service account, an identity provider or a member of the realm', () => {
    expect(converted('keycloak', [{ ...USER, serviceAccountClientId: 'x' }])).toEqual({
      kind: 'other',
      leftOut: ['service account: a client has its own credentials here'],
    });
    expect(converted('keycloak', [{ $list: 'identityProviders', alias: 'x' }])).toEqual({ kind: 'other' });
    expect(converted('keycloak', [{ webAuthnPolicyRpId: 'a.test' }])).toEqual({ kind: 'other' });
    expect(converted('keycloak', [{ $list: 'users', ...USER, webAuthnPolicyRpId: 'a.test' }]).kind).toBe('user');
  });

  it.each([
    [{ emailVerified: true }, true],
    [{ emailVerified: false }, false],
    [{}, false],
    [{ emailVerified: true, requiredActions: ['VERIFY_EMAIL'] }, false],
    [{ emailVerified: true, requiredActions: ['UPDATE_PASSWORD'] }, true],
  ])('with %j has a verified address: %s', (user, isVerified) => {
    expect(of({ email: 'a@b.c', ...user })['email_verified']).toBe(isVerified);
  });

  it('has its attributes as claims: those of one value as this value, and standard ones by their names', () => {
    const attributes = { team: ['a'], tags: ['a', 'b'], phoneNumber: ['+49'], locale: ['de'], none: [] };
    expect(of({ attributes })).toMatchObject({
      ...{ claims: { team: 'a', tags: ['a', 'b'], none: [] }, phone_number: '+49', locale: 'de' },
    });
    expect(of({ attributes: { phoneNumber: ['+49'], team: ['a'] } })['claims']).toEqual({ team: 'a' });
    for (const name of ['picture', 'zoneinfo', 'website', 'profile', 'gender', 'birthdate', 'nickname', 'middle_name'])
      expect(of({ attributes: { [name]: ['x'] } })[name]).toBe('x');
    expect(of({ attributes: { phone_number: ['+1'] } })['phone_number']).toBe('+1');
  });

  it('has its groups and roles, without those that every user has', () => {
    const realmRoles = ['editor', 'default-roles-acme', 'offline_access', 'uma_authorization', 'my-offline_access'];
    const roles = { groups: ['/a'], realmRoles, clientRoles: { shop: ['x'] } };
    expect(of(roles)['claims']).toEqual({
      ...{ groups: ['/a'], roles: ['editor', 'my-offline_access'], client_roles: { shop: ['x'] } },
    });
    expect(of({ groups: [], realmRoles: ['offline_access'], clientRoles: {} })).not.toHaveProperty('claims');
  });

  it('leaves behind required actions, consents and credentials that are unknown', () => {
    const long = 'x'.repeat(80);
    const requiredActions = ['VERIFY_EMAIL', 'UPDATE_PASSWORD', 'CONFIGURE_TOTP', long, ''];
    expect(left({ requiredActions, clientConsents: [{}], credentials: [{ type: long }, {}] })).toEqual([
      `credential of the type "${'x'.repeat(60)}": it is unknown here`,
      'credential of the type "": it is unknown here',
      'required action CONFIGURE_TOTP: policies/sign-in.yaml says what is asked of a user',
      `required action ${'x'.repeat(60)}: policies/sign-in.yaml says what is asked of a user`,
      'consents: the user is asked once more',
    ]);
    expect(left({ requiredActions: [], clientConsents: [] })).toEqual([]);
  });

  it.each([
    ['pbkdf2', '$pbkdf2$i=7$c2FsdA$aGFzaA'],
    ['pbkdf2-sha1', '$pbkdf2$i=7$c2FsdA$aGFzaA'],
    ['pbkdf2-sha256', '$pbkdf2-sha256$i=7$c2FsdA$aGFzaA'],
    ['pbkdf2-sha512', '$pbkdf2-sha512$i=7$c2FsdA$aGFzaA'],
    ['md5', undefined],
  ])('with a password of %s has the hash %s', (algorithm, hash) => {
    const user = withSecret('password', { value: 'aGFzaA==', salt: 'c2FsdA==' }, { hashIterations: 7, algorithm });
    expect(of(user)['password_hash']).toBe(hash);
    expect(left(user)).toEqual(hash ? [] : ['password: its algorithm is unknown here']);
    const old = { type: 'password', hashedSaltedValue: 'aGFzaA==', salt: 'c2FsdA==', hashIterations: 7, algorithm };
    expect(of({ credentials: [old] })['password_hash']).toBe(hash);
  });

  it.each([
    ['1.0', 16],
    ['1.3', 19],
  ])('with a password of argon2 in version %s has its hash', (version, number) => {
    const additionalParameters = { type: ['id'], version: [version], memory: ['7168'], parallelism: '1' };
    const data = { hashIterations: 5, algorithm: 'argon2', additionalParameters };
    expect(of(withSecret('password', { value: 'aGFzaA==', salt: 'c2FsdA==' }, data))['password_hash']).toBe(
      `$argon2id$v=${number}$m=7168,t=5,p=1$c2FsdA$aGFzaA`,
    );
  });

  it.each(['$2a$x', '$2b$x', '$2y$x', '$argon2id$x', '$scrypt$x', '$pbkdf2$x'])(
    'with the hash %s has it as it is',
    (value) => {
      expect(of(withSecret('password', { value }, { algorithm: 'bcrypt' }))['password_hash']).toBe(value);
      const moved = withSecret('password', { value: ` ${value}` }, { algorithm: 'bcrypt' });
      expect(of(moved)['password_hash']).toBeUndefined();
    },
  );

  it('has no password that Keycloak would ask to change, that has no value, or that a directory has', () => {
    const user = withSecret('password', { value: '$2b$x' }, {});
    const temporary = { ...user, requiredActions: ['UPDATE_PASSWORD'] };
    expect(of(temporary)).toMatchObject(BARE);
    expect(left(temporary)).toEqual(['password: Keycloak would ask for another (UPDATE_PASSWORD)']);
    expect(left(withSecret('password', {}, { algorithm: 'pbkdf2' }))).toEqual([
      'password: its algorithm is unknown here',
    ]);
    expect(left({ federationLink: 'ldap' })).toEqual(['password: it is in the directory that Keycloak asks']);
    expect(left({ ...user, federationLink: 'ldap' })).toEqual([]);
  });

  it.each<[string, object]>([
    ['no settings', {}],
    ['the usual settings', { subType: 'totp', digits: 6, period: 30, algorithm: 'HmacSHA1' }],
  ])('has an authenticator app of %s', (_, data) => {
    expect(of(withSecret('otp', { value: 'secret' }, data))['totp']).toEqual(['ONSWG4TFOQ']);
    expect(of(withSecret('totp', { value: 'on sw' }, { ...data, secretEncoding: 'BASE32' }))['totp']).toEqual(['ONSW']);
    expect(of({ credentials: [{ type: 'otp', value: 'secret' }] })['totp']).toEqual(['ONSWG4TFOQ']);
  });

  it.each([{ subType: 'hotp' }, { digits: 8 }, { period: 60 }, { algorithm: 'HmacSHA256' }])(
    'leaves behind an authenticator app of %j',
    (data) => {
      const user = withSecret('otp', { value: 'secret' }, data);
      expect(of(user)).not.toHaveProperty('totp');
      expect(left(user)).toEqual(['authenticator app: its codes are not those of SHA-1, 6 digits and 30 seconds']);
    },
  );

  it('leaves behind an authenticator app without a secret', () => {
    expect(left(withSecret('otp', {}, {}))).toEqual(['authenticator app: the export has no secret of it']);
  });

  it.each([
    ['SHA-512', true],
    ['RS512', true],
    ['SHA-256', false],
    [undefined, false],
  ])('with recovery codes of %s has them: %s', (algorithm, isKnown) => {
    const codes = { codes: [{ encodedHashedValue: 'A' }, {}, { encodedHashedValue: 'B' }] };
    const user = withSecret('recovery-authn-codes', codes, { algorithm });
    expect(of(user)['recovery_codes']).toEqual(isKnown ? ['$sha512$A', '$sha512$B'] : undefined);
    expect(left(user)).toEqual(
      isKnown ? [] : ['recovery codes: their algorithm is unknown here; the user gets others'],
    );
  });

  const passkey = (type: string, data = {}) =>
    withSecret(
      type,
      {},
      { credentialId: 'aWQ=', credentialPublicKey: 'a+/b', counter: 7, ...data },
      {
        ...{ userLabel: 'Key', createdDate: 1_700_000_000_000 },
      },
    );
  const passkeysOf = (type: string, data: object, ...before: JsonObject[]) =>
    of(passkey(type, data), ...before)['passkeys'];

  it('has passkeys at the host name of the realm, and security keys as second factors only', () => {
    const realm = [{ webAuthnPolicyRpId: 'keys.test' }, { webAuthnPolicyPasswordlessRpId: 'passkeys.test' }];
    const common = {
      ...{ credential_id: 'aWQ', public_key: 'a-_b', user_handle: 'MQ', counter: 7 },
      ...{ name: 'Key', created_at: '2023-11-14T22:13:20.000Z' },
    };
    expect(passkeysOf('webauthn', { transports: ['usb'] }, ...realm)).toEqual([
      { ...common, transports: ['usb'], second_factor_only: true, rp_id: 'keys.test' },
    ]);
    expect(passkeysOf('webauthn-passwordless', { transports: [] }, ...realm)).toEqual([
      { ...common, rp_id: 'passkeys.test' },
    ]);
  });

  it.each<[string, string, object]>([
    ['webAuthnPolicyPasswordlessRequireResidentKey', 'No', { discoverable: false }],
    ['webAuthnPolicyPasswordlessRequireResidentKey', 'Yes', {}],
    ['webAuthnPolicyPasswordlessUserVerificationRequirement', 'discouraged', { user_verified: false }],
    ['webAuthnPolicyPasswordlessUserVerificationRequirement', 'required', {}],
  ])('with the realm saying %s %s has passkeys with %j', (name, value, expected) => {
    const [one] = passkeysOf(
      'webauthn-passwordless',
      {},
      { webAuthnPolicyPasswordlessRpId: 'a.test' },
      {
        [name]: value,
      },
    ) as readonly JsonObject[];
    expect({ discoverable: one?.['discoverable'], user_verified: one?.['user_verified'] }).toEqual({
      ...{ discoverable: undefined, user_verified: undefined },
      ...expected,
    });
  });

  it('of realms that differ has passkeys at no host name', () => {
    const [one, other] = [{ webAuthnPolicyRpId: 'a.test' }, { webAuthnPolicyRpId: 'b.test' }];
    expect(passkeysOf('webauthn', {}, one, other)).toBeUndefined();
    expect(passkeysOf('webauthn', {}, one, one)).toHaveLength(1);
    expect(passkeysOf('webauthn', {}, { ...one, $list: 'users' })).toBeUndefined();
  });

  it('has links with the issuer of the identity provider in the file', () => {
    const federatedIdentities = [{ identityProvider: 'work', userId: '7' }, { userId: '8' }];
    const provider = { $list: 'identityProviders', alias: 'work', config: { issuer: 'https://work.test' } };
    const user = { ...USER, federatedIdentities };
    expect(recordOf('keycloak', [provider, user])['identities']).toEqual([
      { provider: 'work', issuer: 'https://work.test', sub: '7' },
    ]);
    expect(leftOut('keycloak', [{ ...provider, $list: 'users' }, user])).toEqual([
      'link to "work": its issuer is not known; add --issuer work=https://…',
      'link to "": its issuer is not known; add --issuer =https://…',
    ]);
  });
});

describe('a user of Auth0', () => {
  const of = (user: JsonObject, ...before: JsonObject[]) => recordOf('auth0', [...before, user]);

  it('has its id in each spelling, and its username, address, number or id as the username', () => {
    for (const name of ['user_id', 'Id', 'id']) expect(of({ [name]: 'auth0|1' })['sub']).toBe('auth0|1');
    const all = { user_id: 'auth0|1', phone_number: '+49', email: 'a@b.c', username: 'ada' };
    const { username: _, ...address } = all;
    const { email: __, ...number } = address;
    expect(usernames('auth0', [all, address, number, { user_id: 'auth0|1' }])).toEqual([
      ...['ada', 'a@b.c', '+49', 'auth0|1'],
    ]);
  });

  it.each(['Id', 'Email'])('of an export with headings for people such as %s has the same members', (heading) => {
    const user = {
      [heading]: 'x',
      'Email Verified': 'true',
      Email: 'a@b.c',
      'Given Name': 'Ada',
      'Created At': '2024-01-01T00:00:00Z',
    };
    expect(of(user)).toMatchObject({
      ...{ username: 'a@b.c', email: 'a@b.c', email_verified: true, given_name: 'Ada' },
      created_at: '2024-01-01T00:00:00.000Z',
    });
  });

  it('has its profile, flags and metadata', () => {
    const profile = { name: 'n', given_name: 'g', family_name: 'f', nickname: 'k', picture: 'p', locale: 'de' };
    const user = { user_id: 'auth0|1', ...profile, phone_number: '+49', phone_verified: true, blocked: true };
    expect(of({ ...user, app_metadata: { a: 1 }, user_metadata: { b: 2 } })).toMatchObject({
      ...{ ...profile, phone_number: '+49', phone_number_verified: true, disabled: true },
      claims: { app_metadata: { a: 1 }, user_metadata: { b: 2 } },
    });
    const plain = of({ user_id: 'auth0|1', blocked: false, app_metadata: {}, user_metadata: {} });
    expect(plain).toStrictEqual({ username: 'auth0|1', sub: 'auth0|1', ...BARE });
  });

  it.each([{ alt_id: '1' }, { _id: { $oid: '1' } }, { _id: '1' }])(
    'has the hash of the line %j in the other file',
    (id) => {
      const line = { ...id, passwordHash: '$2b$x' };
      expect(of({ user_id: 'auth0|1' }, line)['password_hash']).toBe('$2b$x');
      expect(of({ user_id: 'auth0|2', password_hash: '$2b$y' }, line)['password_hash']).toBe('$2b$y');
      expect(of({ user_id: 'auth0|1', password_hash: '$2b$y' }, { ...id })).toMatchObject(BARE);
      expect(converted('auth0', [{ user_id: 'auth0|1' }, line])).toEqual({ kind: 'other' });
    },
  );

  it('of the file of hashes alone has its address', () => {
    const line = { _id: '1', passwordHash: '$2b$x', email: 'a@b.c', email_verified: true };
    const expected = {
      username: 'a@b.c',
      sub: 'auth0|1',
      password_hash: '$2b$x',
      email: 'a@b.c',
      email_verified: true,
    };
    expect(of(line)).toStrictEqual(expected);
    expect(of({ ...line, username: 'ada' })['username']).toBe('ada');
    expect(of({ _id: '1' })['username']).toBe('auth0|1');
    const identifiers = [
      { type: 'phone', value: '+49', verified: false },
      { type: 'email', value: 'a@b.c', verified: true },
    ];
    expect(of({ _id: '1', passwordHash: '$2b$x', identifiers })).toStrictEqual(expected);
  });

  it('has the secrets of its apps, and leaves a factor without one behind', () => {
    const mfa_factors = [{ totp: { secret: 'ab cd' } }, { phone: {} }];
    expect(of({ user_id: 'auth0|1', mfa_factors, multifactor: ['x'] })['totp']).toEqual(['ABCD']);
    expect(leftOut('auth0', [{ user_id: 'auth0|1', mfa_factors, multifactor: ['x'] }])).toEqual([]);
    expect(leftOut('auth0', [{ user_id: 'auth0|1', multifactor: ['x'] }])).toEqual([
      'second factor: the export has no secret of it; the user adds another',
    ]);
    expect(leftOut('auth0', [{ user_id: 'auth0|1', multifactor: [] }])).toEqual([]);
  });

  const issuers = new Map(['acme', 'samlp', 'auth0', ''].map((name) => [name, `https://${name}.test`]));
  const links = (user: JsonObject) => recordOf('auth0', [user], { issuers })['identities'];

  it.each(['oidc', 'okta', 'samlp', 'waad', 'adfs'])(
    'has a link of %s under the name of its connection',
    (provider) => {
      const identities = [{ provider, connection: 'acme', user_id: 'acme|7' }];
      expect(links({ user_id: '1', identities })).toEqual([
        { provider: 'acme', issuer: 'https://acme.test', sub: '7' },
      ]);
    },
  );

  it('has links to other providers, and none to Auth0 itself', () => {
    const identities = [
      { provider: 'auth0', user_id: '1' },
      { user_id: '1' },
      { provider: 'oidc' },
      { provider: 'google-oauth2', connection: 'google-oauth2', user_id: 7 },
      { provider: 'github', connection: 'gh', user_id: 'other|7' },
    ];
    expect(links({ user_id: 'auth0|1', identities })).toEqual([
      { provider: 'google', issuer: 'https://accounts.google.com', sub: '7' },
      { provider: 'github', issuer: 'https://github.com', sub: 'other|7' },
    ]);
    expect(links({ user_id: 'github|7', identities: [] })).toBeUndefined();
  });

  it.each([
    ['github|7', [{ provider: 'github', issuer: 'https://github.com', sub: '7' }]],
    ['samlp|acme|7|8', [{ provider: 'acme', issuer: 'https://acme.test', sub: '7|8' }]],
    ['auth0|7', undefined],
    ['github', undefined],
  ])('without a list of identities has those of its id %s', (id, expected) => {
    expect(links({ user_id: id })).toEqual(expected);
  });
});

describe('a user of Clerk', () => {
  const row = (more: JsonObject) => recordOf('clerk', [{ id: 'u', primary_email_address: '', ...more }]);

  it('of the CSV has its username, address, number or id', () => {
    const all = { id: 'u', primary_phone_number: '+49', primary_email_address: 'a@b.c', username: 'ada' };
    const { username: _, ...address } = all;
    const number = { ...address, primary_email_address: '' };
    expect(usernames('clerk', [all, address, number, { id: 'u', primary_email_address: '' }])).toEqual([
      ...['ada', 'a@b.c', '+49', 'u'],
    ]);
  });

  it('of the CSV has its hash, app, name and verified addresses', () => {
    const sent = {
      ...{ primary_email_address: 'a@b.c', verified_email_addresses: 'x@y.z|a@b.c', password_digest: '$2b$x' },
      ...{ primary_phone_number: '+49', verified_phone_numbers: '+1, +49', totp_secret: 'ab', first_name: 'A' },
      ...{ last_name: 'L', created_at: '2024-01-01T00:00:00Z' },
    };
    expect(row(sent)).toStrictEqual({
      ...{ username: 'a@b.c', sub: 'u', password_hash: '$2b$x', created_at: '2024-01-01T00:00:00.000Z', totp: ['AB'] },
      ...{ email: 'a@b.c', email_verified: true, phone_number: '+49', phone_number_verified: true },
      ...{ given_name: 'A', family_name: 'L', name: 'A L' },
    });
    expect(leftOut('clerk', [{ id: 'u', ...sent }])).toEqual([
      'second e-mail address or phone number: a user has one of each here',
    ]);
  });

  it.each([
    ['unverified_email_addresses', 'x@y.z', 1],
    ['unverified_phone_numbers', '+1', 1],
    ['unverified_email_addresses', 'a@b.c', 0],
    ['unverified_phone_numbers', '+49', 0],
    ['unverified_email_addresses', ' ', 0],
  ])('of the CSV with %s %j leaves %i behind', (name, value, count) => {
    const user = { id: 'u', primary_email_address: 'a@b.c', primary_phone_number: '+49', [name]: value };
    expect(leftOut('clerk', [user])).toHaveLength(count);
    expect(recordOf('clerk', [user])).toMatchObject({ email_verified: false, phone_number_verified: false });
  });

  const EMAILS = [
    { id: 'e1', email_address: 'x@y.z', verification: { status: 'unverified' } },
    { id: 'e2', email_address: 'a@b.c', verification: { status: 'verified' } },
  ];
  const PHONES = [{ id: 'p1', phone_number: '+49', verification: { status: 'verified' } }];

  it('of the API has its primary address, or else the first', () => {
    const user = { id: 'u', email_addresses: EMAILS, phone_numbers: PHONES };
    expect(recordOf('clerk', [{ ...user, primary_email_address_id: 'e2' }])).toMatchObject({
      ...{ username: 'a@b.c', email: 'a@b.c', email_verified: true, phone_number: '+49', phone_number_verified: true },
    });
    expect(recordOf('clerk', [user])).toMatchObject({ email: 'x@y.z', email_verified: false });
    expect(leftOut('clerk', [user])).toEqual(['second e-mail address or phone number: a user has one of each here']);
    expect(leftOut('clerk', [{ ...user, email_addresses: EMAILS.slice(1) }])).toEqual([]);
    const phones = [...PHONES, { id: 'p2', phone_number: '+1' }];
    expect(leftOut('clerk', [{ ...user, email_addresses: [], phone_numbers: phones }])).toHaveLength(1);
  });

  it('of the API has its username, address, number or id', () => {
    const all = { id: 'u', username: 'ada', email_addresses: EMAILS, phone_numbers: PHONES };
    const { username: _, ...address } = all;
    expect(usernames('clerk', [all, address, { ...address, email_addresses: [] }, { id: 'u' }])).toEqual([
      ...['ada', 'x@y.z', '+49', 'u'],
    ]);
  });

  it('of the API has its links, flags, name and metadata', () => {
    const external_accounts = [
      { provider: 'oauth_github', provider_user_id: '7' },
      { provider: 'oauth_google', google_id: '8' },
      { provider_user_id: '9' },
    ];
    const user = {
      ...{ id: 'u', username: 'ada', external_accounts, banned: true, first_name: 'A', last_name: 'L' },
      ...{
        image_url: 'https://i.test',
        public_metadata: { a: 1 },
        password_digest: '$2b$x',
        created_at: 1_700_000_000_000,
      },
    };
    expect(recordOf('clerk', [user])).toStrictEqual({
      ...{ username: 'ada', sub: 'u', password_hash: '$2b$x', disabled: true, created_at: '2023-11-14T22:13:20.000Z' },
      identities: [
        { provider: 'github', issuer: 'https://github.com', sub: '7' },
        { provider: 'google', issuer: 'https://accounts.google.com', sub: '8' },
      ],
      ...{ given_name: 'A', family_name: 'L', name: 'A L', picture: 'https://i.test' },
      claims: { public_metadata: { a: 1 } },
    });
    expect(recordOf('clerk', [{ id: 'u', primary_email_address: 'a@b.c' }])).not.toHaveProperty('totp');
    expect(recordOf('clerk', [{ id: 'u', banned: false, public_metadata: {} }])).toStrictEqual({
      ...{ username: 'u', sub: 'u', ...BARE },
    });
  });
});

describe('a user of Amazon Cognito', () => {
  const attribute = (Name: string, Value: string) => ({ Name, Value });
  const of = (user: JsonObject) => recordOf('cognito', [user]);

  it('of a pool that signs in by address has it as the username', () => {
    const [sub, email, phone] = [attribute('sub', '1'), attribute('email', 'a@b.c'), attribute('phone_number', '+49')];
    expect(of({ Username: '1', Attributes: [sub, phone, email] })['username']).toBe('a@b.c');
    expect(of({ Username: '1', Attributes: [sub, phone] })['username']).toBe('+49');
    expect(of({ Username: '1', Attributes: [sub] })['username']).toBe('1');
    expect(of({ Username: 'ada', Attributes: [sub, email] })).toMatchObject({ username: 'ada', sub: '1' });
    expect(of({ Username: 'ada', UserAttributes: [] })).toMatchObject({ username: 'ada', sub: 'ada' });
    expect(of({ Username: 'ada', UserAttributes: [attribute('name', 'Ada')] })['name']).toBe('Ada');
    expect(of({ 'cognito:username': 'ada', email: 'a@b.c', sub: '1' })).toMatchObject({ username: 'ada', sub: '1' });
  });

  it('has its attributes as claims, and others as custom ones', () => {
    const names = [
      ...['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture'],
      ...['website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'email', 'phone_number'],
    ];
    const all = [attribute('sub', '1'), ...names.map((name) => attribute(name, 'x')), attribute('address', 'Street 1')];
    const more = ['email_verified', 'phone_number_verified'].map((name) => attribute(name, 'true'));
    const rest = ['updated_at', 'cognito:x', 'team'].map((name) => attribute(name, 'y'));
    expect(of({ Username: 'ada', Attributes: [...all, ...more, ...rest] })).toStrictEqual({
      ...{ username: 'ada', sub: '1', ...BARE },
      ...Object.fromEntries(names.map((name) => [name, 'x'])),
      ...{ email_verified: true, phone_number_verified: true, address: { formatted: 'Street 1' } },
      claims: { team: 'y' },
    });
  });

  it.each([
    [1_700_000_000.4, '2023-11-14T22:13:20.000Z'],
    ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000Z'],
    [undefined, undefined],
  ])('that was made at %j has the date %j', (UserCreateDate, date) => {
    expect(of({ Username: 'ada', Attributes: [], UserCreateDate })['created_at']).toBe(date);
  });

  it('is disabled where the pool says so', () => {
    expect([true, false].map((Enabled) => of({ Username: 'a', Attributes: [], Enabled })['disabled'])).toEqual([
      ...[undefined, true],
    ]);
  });

  it('leaves a second factor behind', () => {
    const words = ['second factor: the export has no secret of it; the user adds another'];
    expect(leftOut('cognito', [{ Username: 'a', Attributes: [], MFAOptions: [{}] }])).toEqual(words);
    expect(leftOut('cognito', [{ Username: 'a', 'cognito:mfa_enabled': 'true' }])).toEqual(words);
    expect(leftOut('cognito', [{ Username: 'a', 'cognito:mfa_enabled': 'false', MFAOptions: [] }])).toEqual([]);
  });

  it('has links, with the issuer where the provider speaks OpenID Connect', () => {
    const identities = JSON.stringify([
      { providerName: 'Google', providerType: 'Google', issuer: 'https://no.test', userId: '7' },
      { providerName: 'work', providerType: 'OIDC', issuer: 'https://work.test', userId: '8' },
      { userId: '9' },
    ]);
    const user = { Username: 'a', Attributes: [attribute('identities', identities)] };
    expect(of(user)['identities']).toEqual([
      { provider: 'google', issuer: 'https://accounts.google.com', sub: '7' },
      { provider: 'work', issuer: 'https://work.test', sub: '8' },
    ]);
    for (const text of ['{}', 'x', '[]'])
      expect(of({ Username: 'a', Attributes: [attribute('identities', text)] })).not.toHaveProperty('identities');
  });
});

describe('a user of Django', () => {
  const user = (fields: JsonObject, pk: unknown = 7) => ({
    model: 'auth.user',
    pk,
    fields: { username: 'ada', password: 'h', ...fields },
  });
  const of = (fields: JsonObject, ...before: JsonObject[]) => recordOf('django', [...before, user(fields)]);

  it('has its username, or its address, and the hash', () => {
    expect(of({})).toStrictEqual({ username: 'ada', sub: '7', password_hash: 'h' });
    expect(of({ username: undefined, email: 'a@b.c' })['username']).toBe('a@b.c');
    expect(of({ password: '!x' })).toMatchObject(BARE);
    expect(of({ password: 'x!' })['password_hash']).toBe('x!');
    expect(of({ password: '' })).toMatchObject(BARE);
  });

  it.each([{ fields: {} }, { fields: { username: 'ada' } }, { fields: { password: 'x' } }])(
    'is none as %j',
    (record) => {
      expect(converted('django', [record])).toEqual({ kind: 'other' });
    },
  );

  it('has its name, date and state', () => {
    const fields = { first_name: 'A', last_name: 'L', date_joined: '2024-01-01T00:00:00Z', is_active: false };
    expect(of(fields)).toMatchObject({
      ...{ given_name: 'A', family_name: 'L', name: 'A L', created_at: '2024-01-01T00:00:00.000Z', disabled: true },
    });
    expect(of({ is_active: true })).not.toHaveProperty('disabled');
  });

  it('has the groups that the file names, by number or by natural key', () => {
    const group = { model: 'auth.Group', pk: 1, fields: { name: 'staff' } };
    expect(of({ groups: [1, 2, ['editors']] }, group)['claims']).toEqual({ groups: ['staff', '2', 'editors'] });
    expect(of({ groups: [] })).not.toHaveProperty('claims');
  });

  it.each<[string, unknown]>([
    ['number', 7],
    ['natural key', ['ada']],
  ])('has the facts of other apps that name it by %s', (_, owner) => {
    const before = [
      { model: 'socialaccount.socialaccount', fields: { user: owner, provider: 'github', uid: '42' } },
      { model: 'account.emailaddress', fields: { user: owner, email: 'a@b.c', verified: true } },
      { model: 'otp_totp.totpdevice', fields: { user: owner, key: '3132', confirmed: true } },
      { model: 'otp_totp.totpdevice', fields: { user: owner, key: '33', confirmed: false } },
    ];
    expect(of({ email: 'a@b.c' }, ...before)).toMatchObject({
      ...{ identities: [{ provider: 'github', issuer: 'https://github.com', sub: '42' }], totp: ['GEZA'] },
      email_verified: true,
    });
    const others = before.map(({ fields, ...rest }) => ({ ...rest, fields: { ...fields, user: 8 } }));
    const alone = of({ email: 'a@b.c' }, ...others);
    expect(alone).toMatchObject({ email_verified: false });
    expect(alone).not.toHaveProperty('identities');
  });

  it.each([
    [{ email: 'a@b.c', verified: false }, false],
    [{ email: 'x@y.z', verified: true }, false],
    [{ email: 'a@b.c', verified: true }, true],
  ])('with the address %j has a verified one: %s', (fields, isVerified) => {
    const before = { model: 'account.EmailAddress', fields: { user: 7, ...fields } };
    expect(of({ email: 'a@b.c' }, before)['email_verified']).toBe(isVerified);
  });

  it.each<[object, number]>([
    [{}, 0],
    [{ step: 30, digits: 6, t0: 0 }, 0],
    [{ step: 60 }, 1],
    [{ digits: 8 }, 1],
    [{ t0: 1 }, 1],
  ])('with an authenticator app of %j leaves %i behind', (settings, count) => {
    const app = { model: 'otp_totp.totpdevice', fields: { user: 7, key: '3132', ...settings } };
    expect(of({}, app)['totp']).toEqual(count === 0 ? ['GEZA'] : undefined);
    expect(leftOut('django', [app, user({})])).toEqual(
      Array(count).fill('authenticator app: its codes are not those of SHA-1, 6 digits and 30 seconds'),
    );
  });

  it('leaves its roles behind', () => {
    expect(leftOut('django', [user({ is_staff: true, is_superuser: true })])).toEqual([
      'is_staff: roles at this server are in operators.yaml',
      'is_superuser: roles at this server are in operators.yaml',
    ]);
    expect(leftOut('django', [user({ is_staff: false })])).toEqual([]);
  });
});

describe('a user of Firebase', () => {
  const HASH = { passwordHash: 'a-_b', salt: 'c-_d' };
  const firebaseHash = rawSecret('base64_signer_key: k-_1==, base64_salt_separator: B_-w==, rounds: 8, mem_cost: 14');

  it('has its address, number or id, and its profile', () => {
    const all = { localId: 'u', phoneNumber: '+49', email: 'a@b.c' };
    expect(usernames('firebase', [all, { localId: 'u', phoneNumber: '+49' }, { localId: 'u' }])).toEqual([
      ...['a@b.c', '+49', 'u'],
    ]);
    const more = { emailVerified: true, displayName: 'Ada', photoUrl: 'p', disabled: true, createdAt: '1700000000000' };
    expect(recordOf('firebase', [{ ...all, ...more, customAttributes: '{"team":"x"}' }])).toStrictEqual({
      ...{ username: 'a@b.c', sub: 'u', ...BARE, disabled: true, created_at: '2023-11-14T22:13:20.000Z' },
      ...{ email: 'a@b.c', email_verified: true, phone_number: '+49', phone_number_verified: true },
      ...{ name: 'Ada', picture: 'p', claims: { team: 'x' } },
    });
  });

  it.each([
    'base64_signer_key: k-_1==, base64_salt_separator: B_-w==, rounds: 8, mem_cost: 14',
    '{"base64_signer_key": "k-_1==", "base64_salt_separator": "B_-w==", "rounds": 8, "mem_cost": 14}',
    "base64_signer_key='k-_1==' base64_salt_separator = 'B_-w==' rounds=8 mem_cost=14",
  ])('has the hash with the parameters %j', (text) => {
    const record = recordOf('firebase', [{ localId: 'u', ...HASH }], { firebaseHash: rawSecret(text) });
    expect(record['password_hash']).toBe('$firescrypt$ln=14,r=8,p=1$c+/d$a+/b$B/+w==$k+/1==');
  });

  it.each(['base64_signer_key', 'base64_salt_separator', 'rounds', 'mem_cost'])(
    'is not read with parameters without %s',
    (name) => {
      const text = rawSecret(firebaseHash.replace(name, 'other'));
      expect(() => converted('firebase', [], { firebaseHash: text })).toThrow(
        'STATEHOUSE_FIREBASE_HASH: Expected the hash parameters as the Firebase console shows them: base64_signer_key, base64_salt_separator, rounds, mem_cost.',
      );
    },
  );

  it('has no password without the parameters, which is said, nor without hash or salt', () => {
    const words = ['password: the hash parameters of the project are missing (STATEHOUSE_FIREBASE_HASH)'];
    expect(leftOut('firebase', [{ localId: 'u', ...HASH }])).toEqual(words);
    expect(leftOut('firebase', [{ localId: 'u', ...HASH }], { firebaseHash })).toEqual([]);
    expect(recordOf('firebase', [{ localId: 'u', disabled: false }])).not.toHaveProperty('disabled');
    for (const part of [{ passwordHash: 'a' }, { salt: 'a' }]) {
      expect(leftOut('firebase', [{ localId: 'u', ...part }])).toEqual([]);
      expect(recordOf('firebase', [{ localId: 'u', ...part }], { firebaseHash })).toMatchObject(BARE);
    }
  });

  it('leaves a number as the second factor behind', () => {
    expect(leftOut('firebase', [{ localId: 'u', mfaInfo: [{}] }])).toEqual([
      'second factor: a phone number is none here',
    ]);
    expect(leftOut('firebase', [{ localId: 'u', mfaInfo: [] }])).toEqual([]);
  });

  it('has links of JSON and of CSV, and none to Firebase itself', () => {
    const providerUserInfo = [
      ...['password', 'phone', undefined].map((providerId) => ({ providerId, rawId: '1' })),
      { providerId: 'google.com', rawId: '7' },
    ];
    const issuers = new Map(['facebook.com', 'twitter.com'].map((name) => [name, `https://${name}`]));
    const ids = { 'github.com id': '8', 'facebook.com id': '9', 'twitter.com id': '10', 'google.com id': '' };
    const sent = { localId: 'u', providerUserInfo, ...ids };
    expect(recordOf('firebase', [sent], { issuers })['identities']).toEqual([
      { provider: 'google', issuer: 'https://accounts.google.com', sub: '7' },
      { provider: 'facebook-com', issuer: 'https://facebook.com', sub: '9' },
      { provider: 'twitter-com', issuer: 'https://twitter.com', sub: '10' },
      { provider: 'github', issuer: 'https://github.com', sub: '8' },
    ]);
    expect(leftOut('firebase', [sent], { issuers })).toEqual([]);
  });
});

describe('an identity of Kratos', () => {
  const of = (identity: JsonObject, options = {}) => recordOf('kratos', [{ id: 'u', ...identity }], options);
  const address = (via: string, value: string, verified: boolean) => ({ via, value, verified });

  it('has its username, address, number or id', () => {
    const traits = { username: 'ada', email: 'a@b.c', phone: '+49' };
    const steps = [traits, { email: 'a@b.c', phone: '+49' }, { phone: '+49' }, {}];
    expect(
      usernames(
        'kratos',
        steps.map((one) => ({ id: 'u', traits: one })),
      ),
    ).toEqual(['ada', 'a@b.c', '+49', 'u']);
  });

  it('has its verifiable addresses where the traits have none, and says which are verified', () => {
    const verifiable_addresses = [address('sms', '+49', false), address('email', 'a@b.c', true)];
    expect(of({ verifiable_addresses })).toMatchObject({
      ...{ email: 'a@b.c', email_verified: true, phone_number: '+49', phone_number_verified: false },
    });
    const traits = { email: 'x@y.z', phone: '+1' };
    expect(
      of({ traits, verifiable_addresses: [address('sms', '+1', true), address('email', 'a@b.c', true)] }),
    ).toMatchObject({
      ...{ email: 'x@y.z', email_verified: false, phone_number: '+1', phone_number_verified: true },
    });
  });

  it.each<[JsonObject, JsonObject]>([
    [{ name: { first: 'A', last: 'L' } }, { given_name: 'A', family_name: 'L', name: 'A L' }],
    [
      { first_name: 'A', last_name: 'L' },
      { given_name: 'A', family_name: 'L', name: 'A L' },
    ],
    [{ name: 'Ada' }, { name: 'Ada' }],
  ])('with the traits %j has the name %j', (traits, expected) => {
    expect(of({ traits })).toMatchObject(expected);
  });

  it('has other traits and public metadata as custom claims', () => {
    const traits = { email: 'a@b.c', username: 'ada', name: 'Ada', phone: '+49', team: 'x' };
    expect(of({ traits, metadata_public: { a: 1 } })['claims']).toEqual({ team: 'x', metadata_public: { a: 1 } });
    for (const metadata_public of [null, undefined]) expect(of({ metadata_public })).not.toHaveProperty('claims');
  });

  it('is disabled where it is inactive, and has its date, hash and links', () => {
    const config = { providers: [{ provider: 'github', subject: '7' }] };
    const credentials = { oidc: { config }, password: { config: { hashed_password: '$2b$x' } }, totp: {} };
    const identity = { state: 'inactive', created_at: '2024-01-01T00:00:00Z', credentials };
    expect(of(identity)).toStrictEqual({
      ...{ username: 'u', sub: 'u', password_hash: '$2b$x', disabled: true, created_at: '2024-01-01T00:00:00.000Z' },
      identities: [{ provider: 'github', issuer: 'https://github.com', sub: '7' }],
    });
    expect(leftOut('kratos', [{ id: 'u', ...identity }])).toEqual([
      'authenticator app: Kratos encrypts its secret; the user adds another',
    ]);
    expect(of({ state: 'active' })).not.toHaveProperty('disabled');
  });

  it('has passkeys, and security keys as second factors unless they are passwordless', () => {
    const key = (more: object) => ({ id: 'aWQ=', public_key: 'a+/b', authenticator: { sign_count: 7 }, ...more });
    const webauthn = { user_handle: 'aA==', credentials: [key({}), key({ is_passwordless: true })] };
    const passkey = {
      user_handle: 'aA==',
      credentials: [
        key({
          transport: ['usb'],
          flags: { backup_eligible: true },
          display_name: 'k',
          added_at: '2024-01-01T00:00:00Z',
        }),
      ],
    };
    const credentials = { webauthn: { config: webauthn }, passkey: { config: passkey } };
    const common = { credential_id: 'aWQ', public_key: 'a-_b', user_handle: 'aA', counter: 7, rp_id: 'a.test' };
    expect(of({ credentials }, { rpId: 'a.test' })['passkeys']).toEqual([
      { ...common, transports: [], second_factor_only: true },
      { ...common, transports: [] },
      { ...common, transports: ['usb'], backup_eligible: true, name: 'k', created_at: '2024-01-01T00:00:00.000Z' },
    ]);
  });

  it('has the recovery codes that are left', () => {
    const recovery_codes = [
      { code: 'a' },
      { code: 'b', used_at: '0001-01-01T00:00:00Z' },
      { code: 'c', used_at: '2024-01-01T00:00:00Z' },
      {},
    ];
    const stored = ['a', 'b'].map((code) => `$sha512$${sha512(code).toString('base64')}`);
    expect(of({ credentials: { lookup_secret: { config: { recovery_codes } } } })['recovery_codes']).toEqual(stored);
  });
});

describe('a user of Okta', () => {
  const of = (user: JsonObject) => recordOf('okta', [{ id: 'u', ...user }]);

  it('has its login, address or id', () => {
    const steps = [{ login: 'ada', email: 'a@b.c' }, { email: 'a@b.c' }, {}];
    expect(
      usernames(
        'okta',
        steps.map((profile) => ({ id: 'u', profile })),
      ),
    ).toEqual(['ada', 'a@b.c', 'u']);
  });

  it('has its profile, as members or as columns', () => {
    const profile = {
      ...{ login: 'ada', email: 'a@b.c', firstName: 'A', lastName: 'L', middleName: 'M', nickName: 'N', locale: 'de' },
      ...{ timezone: 'UTC', profileUrl: 'https://p.test', mobilePhone: '+1', displayName: 'Ada', team: 'x' },
    };
    const expected = {
      ...{ username: 'ada', sub: 'u', ...BARE, email: 'a@b.c', given_name: 'A', family_name: 'L', middle_name: 'M' },
      ...{ nickname: 'N', name: 'Ada', locale: 'de', zoneinfo: 'UTC', profile: 'https://p.test', phone_number: '+1' },
      claims: { team: 'x' },
    };
    expect(of({ profile })).toStrictEqual(expected);
    const beside = { activated: 'a', statusChanged: 'b', lastLogin: 'c', lastUpdated: 'd', passwordChanged: 'e' };
    expect(of({ ...profile, ...beside, status: 'ACTIVE' })).toStrictEqual(expected);
    const columns = Object.fromEntries(Object.entries(profile).map(([name, value]) => [`profile.${name}`, value]));
    expect(of(columns)).toStrictEqual(expected);
    expect(of({ profile: { ...profile, primaryPhone: '+2' } })['phone_number']).toBe('+2');
    expect(of({ 'my.profile.x': 'y' })['claims']).toEqual({ 'my.profile.x': 'y' });
  });

  it.each([
    [{ firstName: 'A', lastName: 'L' }, 'A L'],
    [{ firstName: 'A' }, 'A'],
    [{ lastName: 'L' }, 'L'],
    [{}, undefined],
  ])('with %j has the full name %j', (profile, name) => {
    expect(of({ profile: { login: 'ada', ...profile } })['name']).toBe(name);
  });

  it.each([
    ['SUSPENDED', true],
    ['DEPROVISIONED', true],
    ['ACTIVE', undefined],
    [undefined, undefined],
  ])('with the status %s is disabled: %s', (status, disabled) => {
    expect(of({ profile: { login: 'ada' }, status })['disabled']).toBe(disabled);
  });

  it('has a hash of bcrypt alone, and its date', () => {
    const hash = { algorithm: 'BCRYPT', workFactor: 9, salt: 's', value: 'v' };
    const user = (change: object) => ({
      created: '2024-01-01T00:00:00Z',
      credentials: { password: { hash: { ...hash, ...change } } },
    });
    expect(of(user({}))).toMatchObject({ password_hash: '$2a$09$sv', created_at: '2024-01-01T00:00:00.000Z' });
    expect(of(user({ algorithm: 'SHA-1' }))).toMatchObject(BARE);
  });

  it('leaves a second address behind', () => {
    expect(leftOut('okta', [{ id: 'u', profile: { secondEmail: 'x@y.z' } }])).toEqual([
      'second e-mail address: a user has one here',
    ]);
    expect(leftOut('okta', [{ id: 'u', profile: {} }])).toEqual([]);
  });
});

describe('a user of Supabase', () => {
  const of = (row: JsonObject, ...before: JsonObject[]) => recordOf('supabase', [...before, { id: 'u', ...row }]);

  it('has its address, number or id', () => {
    const steps = [{ id: 'u', email: 'a@b.c', phone: '49' }, { id: 'u', phone: '49' }, { id: 'u' }];
    expect(usernames('supabase', steps)).toEqual(['a@b.c', '49', 'u']);
  });

  it.each<[JsonObject, JsonObject]>([
    [{ email_confirmed_at: '2024' }, { email_verified: true }],
    [{ confirmed_at: '2024' }, { email_verified: true }],
    [{}, { email_verified: false }],
    [
      { phone: '49', phone_confirmed_at: '2024' },
      { phone_number: '+49', phone_number_verified: true },
    ],
    [{ phone: '+49' }, { phone_number: '+49', phone_number_verified: false }],
  ])('with %j has %j', (row, expected) => {
    expect(of({ email: 'a@b.c', ...row })).toMatchObject(expected);
  });

  it('has its hash, date, name, picture and metadata', () => {
    const raw_user_meta_data = { full_name: 'Ada', avatar_url: 'p' };
    const row = { encrypted_password: '$2b$x', created_at: '2024-01-01 00:00:00+00', raw_user_meta_data };
    expect(of({ ...row, raw_app_meta_data: { a: 1 } })).toStrictEqual({
      ...{ username: 'u', sub: 'u', password_hash: '$2b$x', created_at: '2024-01-01T00:00:00.000Z' },
      ...{ name: 'Ada', picture: 'p', claims: { app_metadata: { a: 1 }, user_metadata: raw_user_meta_data } },
    });
    expect(of({ raw_user_meta_data: { name: 'A', picture: 'q' } })).toMatchObject({ name: 'A', picture: 'q' });
    expect(of({ raw_user_meta_data: {}, raw_app_meta_data: {} })).toStrictEqual({ username: 'u', sub: 'u', ...BARE });
  });

  it('is disabled while it is banned', () => {
    expect(of({ banned_until: '2999-01-01T00:00:00Z' })).toMatchObject({ disabled: true });
    expect(of({ banned_until: '2020-01-01T00:00:00Z' })).not.toHaveProperty('disabled');
  });

  it('is none where it is deleted or anonymous', () => {
    expect(converted('supabase', [{ id: 'u', deleted_at: '2024' }])).toEqual({
      kind: 'other',
      leftOut: ['deleted user'],
    });
    expect(converted('supabase', [{ id: 'u', is_anonymous: 't' }])).toEqual({
      kind: 'other',
      leftOut: ['anonymous user'],
    });
    expect(converted('supabase', [{ id: 'u', deleted_at: '', is_anonymous: 'f' }]).kind).toBe('user');
  });

  const identity = (more: JsonObject, data: object = { sub: '7' }) => ({
    ...{ user_id: 'u', provider: 'github', identity_data: JSON.stringify(data), ...more },
  });

  it('has the links of the other table, without those to GoTrue itself', () => {
    const own = ['email', 'phone', undefined].map((provider) =>
      identity({ provider }, { sub: '1', iss: 'https://own.test' }),
    );
    const before = [
      identity({}),
      ...own,
      identity({ user_id: 'other' }),
      identity({ provider: 'google', provider_id: '8' }, {}),
      identity({ provider: 'work' }, { sub: '9', iss: 'https://work.test' }),
      identity({ provider: 'gitlab' }, { sub: '10', iss: 'https://gitlab.com/oauth/userinfo' }),
    ];
    expect(of({}, ...before)['identities']).toEqual([
      { provider: 'github', issuer: 'https://github.com', sub: '7' },
      { provider: 'google', issuer: 'https://accounts.google.com', sub: '8' },
      { provider: 'work', issuer: 'https://work.test', sub: '9' },
      { provider: 'gitlab', issuer: 'https://gitlab.com', sub: '10' },
    ]);
    expect(converted('supabase', [identity({})])).toEqual({ kind: 'other' });
  });

  it.each([{ identity_data: '{}' }, { user_id: 'x' }])('with the column of identities %j is a user', (row) => {
    expect(converted('supabase', [{ id: 'u', ...row }]).kind).toBe('user');
  });
});

describe('a user of Zitadel', () => {
  const of = (user: JsonObject, ...before: JsonObject[]) =>
    recordOf('zitadel', [...before, { userId: 'u', user }], {}, 'humanUsers');

  it('has its name, address or id', () => {
    const steps = [{ userName: 'ada', email: { email: 'a@b.c' } }, { email: { email: 'a@b.c' } }, {}];
    expect(steps.map((user) => of(user)['username'])).toEqual(['ada', 'a@b.c', 'u']);
  });

  it('has its profile, addresses, hash and app', () => {
    const profile = { firstName: 'A', lastName: 'L', nickName: 'N', displayName: 'Ada', preferredLanguage: 'de' };
    const user = {
      ...{ profile, email: { email: 'a@b.c', isEmailVerified: true }, phone: { phone: '+49', isPhoneVerified: false } },
      ...{ hashedPassword: { value: '$2b$x' }, otpCode: 'ab cd' },
    };
    expect(of(user)).toStrictEqual({
      ...{ username: 'a@b.c', sub: 'u', password_hash: '$2b$x', totp: ['ABCD'], email: 'a@b.c', email_verified: true },
      ...{ phone_number: '+49', phone_number_verified: false, given_name: 'A', family_name: 'L', nickname: 'N' },
      ...{ name: 'Ada', locale: 'de' },
    });
    expect(of({ passwordHash: { value: '$2b$y' } })).toMatchObject({ password_hash: '$2b$y' });
    expect(of({ ...user, passwordChangeRequired: true })).toMatchObject(BARE);
    expect(of({})).toStrictEqual({ username: 'u', sub: 'u', ...BARE });
  });

  it('has its links, and leaves passkeys behind', () => {
    const link = (more: JsonObject) => ({
      $list: 'userLinks',
      userId: 'u',
      idpId: 'github',
      providedUserId: '7',
      ...more,
    });
    expect(of({}, link({}), link({ userId: 'x' }), link({ $list: 'humanUsers' }))['identities']).toEqual([
      { provider: 'github', issuer: 'https://github.com', sub: '7' },
    ]);
    expect(leftOut('zitadel', [{ userId: 'u', user: { passwordlessRegistration: [{}] } }])).toEqual([
      'passkey: the export of Zitadel has none; the user adds another',
    ]);
    expect(leftOut('zitadel', [{ userId: 'u', user: { passwordlessRegistration: [] } }])).toEqual([]);
  });

  it('is none as a machine user or a link', () => {
    expect(converted('zitadel', [{ $list: 'machineUsers', userId: 'u' }])).toEqual({
      kind: 'other',
      leftOut: ['machine user: a client has its own credentials here'],
    });
    expect(converted('zitadel', [{ $list: 'userLinks', userId: 'u' }])).toEqual({ kind: 'other' });
  });
});

describe('a row of a framework', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['wordpress', { ID: '1', user_login: 'ada', user_email: 'a@b.c' }, { username: 'ada', sub: '1', email: 'a@b.c' }],
    ['wordpress', { ID: '1', user_email: 'a@b.c' }, { username: 'a@b.c' }],
    [
      'wordpress',
      { user_login: 'a', user_pass: '$P$x', display_name: 'Ada', user_url: 'w' },
      { password_hash: '$P$x', name: 'Ada', website: 'w' },
    ],
    [
      'wordpress',
      { user_login: 'a', user_registered: '2024-01-01 00:00:00' },
      { created_at: '2024-01-01T00:00:00.000Z' },
    ],
    ['wordpress', { user_login: 'a', spam: '1' }, { disabled: true }],
    ['wordpress', { user_login: 'a', deleted: '1' }, { disabled: true }],
    ['aspnet', { Id: '1', UserName: 'ada', Email: 'a@b.c' }, { username: 'ada', sub: '1', email: 'a@b.c' }],
    ['aspnet', { Id: '1', Email: 'a@b.c', EmailConfirmed: 'True' }, { username: 'a@b.c', email_verified: true }],
    [
      'aspnet',
      { UserName: 'a', PasswordHash: 'AQ', PhoneNumber: '+49', PhoneNumberConfirmed: '0' },
      { password_hash: 'AQ', phone_number: '+49', phone_number_verified: false },
    ],
    ['aspnet', { UserName: 'a', LockoutEnd: '9999-12-31 23:59:59' }, { disabled: true }],
    ['devise', { id: '1', username: 'ada', login: 'x', email: 'a@b.c' }, { username: 'ada', sub: '1', email: 'a@b.c' }],
    ['devise', { login: 'ada', email: 'a@b.c' }, { username: 'ada' }],
    ['devise', { email: 'a@b.c', confirmed_at: '2024-01-01' }, { username: 'a@b.c', email_verified: true }],
    ['devise', { email: 'a@b.c', confirmed_at: 'NULL' }, { email_verified: false }],
    ['devise', { email: 'a@b.c', confirmed_at: '\\N' }, { email_verified: false }],
    ['devise', { email: 'a@b.c', confirmed_at: 'nullable' }, { email_verified: true }],
    ['devise', { email: 'a@b.c', confirmed_at: 'not null' }, { email_verified: true }],
    [
      'devise',
      { email: 'a', name: 'Ada', first_name: 'A', last_name: 'L' },
      { name: 'Ada', given_name: 'A', family_name: 'L' },
    ],
    ['devise', { email: 'a', first_name: 'A', last_name: 'L' }, { name: 'A L' }],
    ['devise', { email: 'a', locked_at: '2024' }, { disabled: true }],
    ['devise', { email: 'a', deleted_at: '2024' }, { disabled: true }],
    [
      'devise',
      { email: 'a', encrypted_password: '$2a$x', created_at: '2024-01-01 00:00:00' },
      { password_hash: '$2a$x', created_at: '2024-01-01T00:00:00.000Z' },
    ],
  ])('of %s: %j has %j', (from, row, expected) => {
    expect(recordOf(from, [row])).toMatchObject(expected);
  });

  it.each<[string, JsonObject]>([
    ['wordpress', { user_login: 'a', spam: '0', deleted: '0' }],
    ['aspnet', { UserName: 'a', LockoutEnd: '2024-01-01 00:00:00' }],
    ['aspnet', { UserName: 'a', LockoutEnd: 'NULL', PasswordHash: 'NULL', PhoneNumber: 'NULL' }],
    ['devise', { username: 'a', locked_at: 'NULL', deleted_at: '' }],
  ])('of %s: %j has nothing more', (from, row) => {
    expect(recordOf(from, [row], { keepsSub: false })).toStrictEqual({ username: 'a', ...BARE });
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['wordpress', { user_login: 'a' }, []],
    [
      'aspnet',
      { UserName: 'a', TwoFactorEnabled: '1' },
      ['second factor: the secret is in AspNetUserTokens; the user adds another'],
    ],
    ['aspnet', { UserName: 'a', TwoFactorEnabled: '0' }, []],
    ['devise', { email: 'a', otp_secret: 'x' }, ['second factor: its secret is encrypted; the user adds another']],
    [
      'devise',
      { email: 'a', encrypted_otp_secret: 'x' },
      ['second factor: its secret is encrypted; the user adds another'],
    ],
    ['devise', { email: 'a', unconfirmed_email: 'x@y.z' }, ['a changed e-mail address that was not confirmed']],
    ['devise', { email: 'a', otp_secret: 'NULL', unconfirmed_email: '' }, []],
  ])('of %s: %j leaves %j behind', (from, row, words) => {
    expect(leftOut(from, [row])).toEqual(words);
  });

  it('of Devise with a pepper has hashes that need it', () => {
    const of = (row: JsonObject) => recordOf('devise', [{ email: 'a', ...row }], { isPeppered: true });
    expect(of({ encrypted_password: '$2a$x' })['password_hash']).toBe('{devise}$2a$x');
    expect(of({})).toMatchObject(BARE);
  });
});

describe('an entry of a directory', () => {
  const of = (entry: JsonObject) => recordOf('ldif', [{ objectclass: ['top', 'inetOrgPerson'], ...entry }]);

  it.each(['person', 'inetOrgPerson', 'organizationalPerson', 'posixAccount', 'account', 'user'])(
    'of the class %s is an end-user',
    (name) => {
      expect(converted('ldif', [{ objectclass: ['top', name], uid: ['a'] }]).kind).toBe('user');
    },
  );

  it('of other classes is none', () => {
    expect(converted('ldif', [{ objectclass: ['groupOfNames'], uid: ['a'] }])).toEqual({ kind: 'other' });
    expect(converted('ldif', [{ uid: ['a'] }])).toEqual({ kind: 'other' });
  });

  it('has its uid, account name or address', () => {
    const all = { uid: ['ada'], samaccountname: ['x'], mail: ['a@b.c'] };
    expect(of(all)).toMatchObject({ username: 'ada', sub: 'ada' });
    expect(of({ samaccountname: ['x'], mail: ['a@b.c'] })['username']).toBe('x');
    expect(of({ mail: ['a@b.c'], entryuuid: ['1'] })).toMatchObject({ username: 'a@b.c', sub: '1' });
  });

  it.each<[JsonObject, string | undefined]>([
    [{ displayname: ['D'], cn: ['C'], givenname: ['G'] }, 'D'],
    [{ cn: ['C'], givenname: ['G'] }, 'C'],
    [{ givenname: ['G'], sn: ['S'] }, 'G S'],
    [{}, undefined],
  ])('with %j has the name %j', (entry, name) => {
    expect(of({ uid: ['a'], ...entry })['name']).toBe(name);
  });

  it('has its hash, number, language, groups and date', () => {
    const entry = {
      ...{ uid: ['a'], userpassword: ['{SSHA}x'], telephonenumber: ['+49'], preferredlanguage: ['de-AT , en;q=0.5'] },
      ...{ memberof: ['cn=x'], createtimestamp: ['20240102030405Z'], mail: ['a@b.c'], givenname: ['G'], sn: ['S'] },
    };
    expect(of(entry)).toStrictEqual({
      ...{ username: 'a', sub: 'a', password_hash: '{SSHA}x', created_at: '2024-01-02T03:04:05.000Z', email: 'a@b.c' },
      ...{
        given_name: 'G',
        family_name: 'S',
        name: 'G S',
        phone_number: '+49',
        locale: 'de-AT',
        claims: { groups: ['cn=x'] },
      },
    });
    expect(of({ uid: ['a'], createtimestamp: ['20240102030405.123Z'] })['created_at']).toBe('2024-01-02T03:04:05.000Z');
    expect(of({ uid: ['a'], memberof: [] })).not.toHaveProperty('claims');
  });

  it.each<[JsonObject, boolean | undefined]>([
    [{ pwdaccountlockedtime: ['000001010000Z'] }, true],
    [{ useraccountcontrol: ['514'] }, true],
    [{ useraccountcontrol: ['512'] }, undefined],
    [{}, undefined],
  ])('with %j is disabled: %s', (entry, disabled) => {
    expect(of({ uid: ['a'], ...entry })['disabled']).toBe(disabled);
  });

  it('leaves a second address behind', () => {
    const entry = { objectclass: ['person'], uid: ['a'] };
    expect(leftOut('ldif', [{ ...entry, mail: ['a@b.c', 'x@y.z'] }])).toEqual([
      'second e-mail address: a user has one here',
    ]);
    expect(leftOut('ldif', [{ ...entry, mail: ['a@b.c'] }])).toEqual([]);
  });
});

describe('a row of CSV', () => {
  const of = (row: JsonObject, columns: readonly (readonly [string, string])[] = []) =>
    recordOf('csv', [row], { columns: new Map(columns) });

  it('has its username, address or number', () => {
    const all = { username: 'ada', email: 'a@b.c', phone_number: '+49' };
    const { username: _, ...address } = all;
    expect(usernames('csv', [all, address, { phone_number: '+49' }])).toEqual(['ada', 'a@b.c', '+49']);
  });

  it('has the members of our own format', () => {
    const row = {
      ...{ username: 'ada', sub: '1', password_hash: '$2b$x', password: 'p', disabled: 'yes', totp: 'ab cd' },
      ...{ created_at: '2024-01-01 00:00:00', email: 'a@b.c', email_verified: 'no', phone_number: '+49' },
      ...{ phone_number_verified: true, 'claims.team': 'x', 'identity.github': '7' },
    };
    expect(of(row)).toStrictEqual({
      ...{ username: 'ada', sub: '1', password_hash: '$2b$x', disabled: true, created_at: '2024-01-01T00:00:00.000Z' },
      ...{ identities: [{ provider: 'github', issuer: 'https://github.com', sub: '7' }], totp: ['ABCD'] },
      ...{ email: 'a@b.c', email_verified: false, phone_number: '+49', phone_number_verified: true },
      claims: { team: 'x' },
    });
    expect(of({ username: 'ada', disabled: 'no' })).toStrictEqual({ username: 'ada', ...BARE });
  });

  it('has a password where it has no hash', () => {
    expect(of({ username: 'ada', password: 'p' })).toStrictEqual({ username: 'ada', password: 'p' });
    expect(converted('csv', [{ password: 'p' }]).kind).toBe('refused');
  });

  it('names columns that are no member, unless they are mapped or left out', () => {
    const row = { username: 'a', Dept: 'x', Note: 'y', Empty: '', [`${'z'.repeat(80)}`]: '1', 'my claims.x': '1' };
    const columns = new Map([
      ['Dept', 'claims.department'],
      ['Note', '-'],
    ]);
    expect(recordOf('csv', [row], { columns })).toStrictEqual({ username: 'a', ...BARE, claims: { department: 'x' } });
    expect(leftOut('csv', [row], { columns })).toEqual([
      `column "${'z'.repeat(60)}": add --map for it`,
      'column "my claims.x": add --map for it',
    ]);
  });

  it('is not read with a mapping to a member that does not exist', () => {
    expect(() => converted('csv', [], { columns: new Map([['a', 'b']]) })).toThrow(
      /^--map a=b: Expected one of username, sub, password, password_hash, disabled, created_at, totp, .*, claims\.NAME, identity\.PROVIDER, or "-" for none\.$/,
    );
  });
});
