/**
 * Django: `manage.py dumpdata` (https://docs.djangoproject.com/en/stable/topics/serialization/#serialization-formats-json). Users are the
 * records that have a password. Where the file has them, groups, and of django-allauth and django-otp the addresses, accounts at
 * providers and authenticator apps come along.
 */
import { totpSecretText } from '../../crypto/totp.ts';
import { type Draft, type Link, linked, userOf } from './draft.ts';
import type { Adapter, Converted, JsonObject, Source, SourceOptions } from './source.ts';
import { addTo, flagOf, fullName, instantOf, listOf, memberOf, objectOf, textIn, textOf } from './values.ts';

export const django: Source = {
  name: 'django',
  system: 'Django',
  file: 'the output of "manage.py dumpdata auth" (JSON); with allauth and django-otp: their apps too',
  brings:
    'passwords, inactive users, groups, dates; with allauth and django-otp addresses, links and authenticator apps',
  reference: 'https://docs.djangoproject.com/en/stable/topics/serialization/',
  open,
};

/** By the key of the user. */
type Beside = {
  readonly groups: Map<string, string>;
  readonly accounts: Map<string, Link[]>;
  readonly addresses: Map<string, { readonly email: string | undefined; readonly isVerified: boolean }[]>;
  readonly apps: Map<string, JsonObject[]>;
};

function open(options: SourceOptions): Adapter {
  const beside: Beside = { groups: new Map(), accounts: new Map(), addresses: new Map(), apps: new Map() };
  return {
    prepare: ({ value }) => {
      const fields = objectOf(value, 'fields');
      const owner = keyIn(memberOf(fields, 'user'));
      READERS.get(textOf(value, 'model')?.toLowerCase() ?? '')?.(beside, value, fields, owner);
    },
    convert: ({ value }) => convert(options, beside, value),
  };
}

/** A number, or the parts of a natural key. */
const keyIn = (value: unknown): string => (Array.isArray(value) ? JSON.stringify(value) : (textIn(value) ?? ''));

const READERS: ReadonlyMap<string, (beside: Beside, record: JsonObject, fields: JsonObject, owner: string) => void> =
  new Map([
    [
      'auth.group',
      ({ groups }, record, fields) => void groups.set(keyIn(memberOf(record, 'pk')), textOf(fields, 'name') ?? ''),
    ],
    [
      'socialaccount.socialaccount',
      ({ accounts }, _, fields, owner) =>
        addTo(accounts, owner, { provider: textOf(fields, 'provider') ?? '', sub: textOf(fields, 'uid') }),
    ],
    [
      'account.emailaddress',
      ({ addresses }, _, fields, owner) =>
        addTo(addresses, owner, { email: textOf(fields, 'email'), isVerified: flagOf(fields, 'verified') === true }),
    ],
    ['otp_totp.totpdevice', ({ apps }, _, fields, owner) => addTo(apps, owner, fields)],
  ]);

function convert(options: SourceOptions, beside: Beside, record: JsonObject): Converted {
  const fields = objectOf(record, 'fields');
  const [username, email, password] = ['username', 'email', 'password'].map((name) => textOf(fields, name));
  if (!Object.hasOwn(fields, 'password') || (username === undefined && email === undefined)) return { kind: 'other' };
  const pk = textOf(record, 'pk');
  const keys = [pk ?? '', JSON.stringify([username ?? email])];
  const besideOf = <T>(map: ReadonlyMap<string, readonly T[]>) => keys.flatMap((key) => map.get(key) ?? []);
  const links = linked(options, besideOf(beside.accounts));
  const apps = besideOf(beside.apps).filter((app) => flagOf(app, 'confirmed') !== false);
  const [usual, unusual] = [apps.filter(isUsual), apps.filter((app) => !isUsual(app))];
  const draft: Draft = {
    sub: pk,
    username: username ?? email,
    // "!" marks a user without a password.
    passwordHash: password?.startsWith('!') ? undefined : password,
    disabled: flagOf(fields, 'is_active') === false,
    createdAt: instantOf(fields, 'date_joined'),
    identities: links.identities,
    totp: usual.map((app) => totpSecretText(Buffer.from(textOf(app, 'key') ?? '', 'hex'))),
    claims: {
      email,
      email_verified: besideOf(beside.addresses).some((one) => one.isVerified && one.email === email),
      given_name: textOf(fields, 'first_name'),
      family_name: textOf(fields, 'last_name'),
      name: fullName(textOf(fields, 'first_name'), textOf(fields, 'last_name')),
    },
    custom: { groups: groupsOf(beside, fields) },
  };
  const roles = ['is_staff', 'is_superuser'].filter((name) => flagOf(fields, name) === true);
  return userOf(options, draft, [
    ...links.leftOut,
    ...roles.map((name) => `${name}: roles at this server are in operators.yaml`),
    ...unusual.map(() => 'authenticator app: its codes are not those of SHA-1, 6 digits and 30 seconds'),
  ]);
}

const groupsOf = ({ groups }: Beside, fields: JsonObject): readonly string[] | undefined => {
  const names = listOf(fields, 'groups').map(
    (key) => groups.get(keyIn(key)) ?? (Array.isArray(key) ? String(key[0]) : keyIn(key)),
  );
  return names.length > 0 ? names : undefined;
};

const isUsual = (app: JsonObject): boolean =>
  (textOf(app, 'step') ?? '30') === '30' &&
  (textOf(app, 'digits') ?? '6') === '6' &&
  (textOf(app, 't0') ?? '0') === '0';
