/**
 * Frameworks that keep their users in one table, as rows in CSV or JSON: a table of columns each. WordPress
 * (https://developer.wordpress.org/reference/functions/get_userdata/), ASP.NET Core Identity
 * (https://learn.microsoft.com/aspnet/core/security/authentication/customize-identity-model), Devise
 * (https://www.rubydoc.info/github/heartcombo/devise/main/Devise/Models).
 */
import { type Draft, userOf } from './draft.ts';
import type { Converted, JsonObject, Source, SourceOptions } from './source.ts';
import { flagOf, fullName, instantOf, textIn, textOf } from './values.ts';

type Table = Pick<Source, 'name' | 'system' | 'file' | 'brings' | 'reference'> & {
  readonly draftOf: (row: JsonObject, options: SourceOptions) => Draft;
  /** Parts of a row that stay behind. */
  readonly leftOut?: (row: JsonObject) => readonly string[];
};

const TABLES: readonly Table[] = [
  {
    name: 'wordpress',
    system: 'WordPress',
    file: 'the rows of wp_users (CSV or JSON)',
    brings: 'passwords, dates',
    reference: 'https://developer.wordpress.org/reference/functions/get_userdata/',
    draftOf: (row) => ({
      sub: textOf(row, 'ID'),
      username: textOf(row, 'user_login') ?? textOf(row, 'user_email'),
      passwordHash: textOf(row, 'user_pass'),
      // WordPress marks spam and deleted users of a network.
      disabled: flagOf(row, 'spam') === true || flagOf(row, 'deleted') === true,
      createdAt: instantOf(row, 'user_registered'),
      claims: { email: textOf(row, 'user_email'), name: textOf(row, 'display_name'), website: textOf(row, 'user_url') },
    }),
  },
  {
    name: 'aspnet',
    system: 'ASP.NET Identity',
    file: 'the rows of AspNetUsers (CSV or JSON)',
    brings: 'passwords, locked users',
    reference: 'https://learn.microsoft.com/aspnet/core/security/authentication/customize-identity-model',
    draftOf: (row) => ({
      sub: textOf(row, 'Id'),
      username: textOf(row, 'UserName') ?? textOf(row, 'Email'),
      passwordHash: valueIn(row, 'PasswordHash'),
      disabled: (instantOf(row, 'LockoutEnd') ?? '') > FAR_AWAY,
      claims: {
        email: valueIn(row, 'Email'),
        email_verified: flagOf(row, 'EmailConfirmed'),
        phone_number: valueIn(row, 'PhoneNumber'),
        phone_number_verified: flagOf(row, 'PhoneNumberConfirmed'),
      },
    }),
    leftOut: (row) =>
      flagOf(row, 'TwoFactorEnabled') === true
        ? ['second factor: the secret is in AspNetUserTokens; the user adds another']
        : [],
  },
  {
    name: 'devise',
    system: 'Devise (Rails)',
    file: 'the rows of users (CSV or JSON); a pepper in STATEHOUSE_PASSWORD_PEPPER',
    brings: 'passwords, locked users, dates',
    reference: 'https://www.rubydoc.info/github/heartcombo/devise/main/Devise/Models',
    draftOf: (row, { isPeppered }) => ({
      sub: textOf(row, 'id'),
      username: textOf(row, 'username') ?? textOf(row, 'login') ?? textOf(row, 'email'),
      passwordHash: deviseHash(textOf(row, 'encrypted_password'), isPeppered),
      disabled: valueIn(row, 'locked_at') !== undefined || valueIn(row, 'deleted_at') !== undefined,
      createdAt: instantOf(row, 'created_at'),
      claims: {
        email: textOf(row, 'email'),
        email_verified: valueIn(row, 'confirmed_at') !== undefined,
        name: textOf(row, 'name') ?? fullName(textOf(row, 'first_name'), textOf(row, 'last_name')),
        given_name: textOf(row, 'first_name'),
        family_name: textOf(row, 'last_name'),
      },
    }),
    leftOut: (row) => [
      ...(valueIn(row, 'otp_secret') !== undefined || valueIn(row, 'encrypted_otp_secret') !== undefined
        ? ['second factor: its secret is encrypted; the user adds another']
        : []),
      ...(valueIn(row, 'unconfirmed_email') !== undefined ? ['a changed e-mail address that was not confirmed'] : []),
    ],
  },
];

export const tableSources: readonly Source[] = TABLES.map(({ draftOf, leftOut, ...source }) => ({
  ...source,
  open: (options) => ({
    convert: ({ value }): Converted => userOf(options, draftOf(value, options), leftOut?.(value)),
  }),
}));

/** ASP.NET locks for good with a date of far away. */
const FAR_AWAY = '2100';

/** Exports of SQL write NULL as text. */
const valueIn = (row: JsonObject, name: string): string | undefined => {
  const value = textIn(row[name]);
  return value === undefined || /^(null|\\N)$/i.test(value) ? undefined : value;
};

const deviseHash = (hash: string | undefined, isPeppered: boolean): string | undefined =>
  hash === undefined || !isPeppered ? hash : `{devise}${hash}`;
