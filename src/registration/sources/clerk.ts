/**
 * Clerk: the CSV of its dashboard, with digests and secrets (https://clerk.com/docs/guides/development/migrating/export-from-clerk), or the
 * users of its Backend API as JSON (https://clerk.com/docs/reference/backend-api), which has neither.
 */
import { type Draft, linked, userOf } from './draft.ts';
import type { Converted, JsonObject, Source, SourceOptions } from './source.ts';
import { flagOf, fullName, instantOf, listOf, objectOf, textOf, totpIn } from './values.ts';

export const clerk: Source = {
  name: 'clerk',
  system: 'Clerk',
  file: 'the CSV of "Export users" in the dashboard, or the users of the Backend API (JSON)',
  brings: 'passwords and authenticator apps (CSV), links to identity providers, banned users, metadata, dates (JSON)',
  reference: 'https://clerk.com/docs/guides/development/migrating/export-from-clerk',
  open: (options) => ({
    convert: ({ value }) =>
      Object.hasOwn(value, 'primary_email_address') ? ofRow(options, value) : ofUser(options, value),
  }),
};

function ofRow(options: SourceOptions, row: JsonObject): Converted {
  const addresses = (column: string) => (textOf(row, column) ?? '').split(/[|,;\s]+/).filter((one) => one !== '');
  const verified = [...addresses('verified_email_addresses'), ...addresses('verified_phone_numbers')];
  const email = textOf(row, 'primary_email_address');
  const phone = textOf(row, 'primary_phone_number');
  const others = [...verified, ...addresses('unverified_email_addresses'), ...addresses('unverified_phone_numbers')];
  const [given, family] = [textOf(row, 'first_name'), textOf(row, 'last_name')];
  const totp = totpIn(textOf(row, 'totp_secret'));
  const draft: Draft = {
    sub: textOf(row, 'id'),
    username: textOf(row, 'username') ?? email ?? phone ?? textOf(row, 'id'),
    passwordHash: textOf(row, 'password_digest'),
    createdAt: instantOf(row, 'created_at'),
    totp: totp === undefined ? [] : [totp],
    claims: {
      email,
      email_verified: email !== undefined && verified.includes(email),
      phone_number: phone,
      phone_number_verified: phone !== undefined && verified.includes(phone),
      given_name: given,
      family_name: family,
      name: fullName(given, family),
    },
  };
  return userOf(options, draft, secondAddresses(others.filter((one) => one !== email && one !== phone)));
}

const secondAddresses = (others: readonly unknown[]): readonly string[] =>
  others.length > 0 ? ['second e-mail address or phone number: a user has one of each here'] : [];

function ofUser(options: SourceOptions, user: JsonObject): Converted {
  const [emails, phones] = [listOf(user, 'email_addresses'), listOf(user, 'phone_numbers')];
  const primary = (list: readonly unknown[], id: string) =>
    list.find((one) => textOf(one, 'id') === textOf(user, id)) ?? list[0];
  const isVerified = (one: unknown) => textOf(objectOf(one, 'verification'), 'status') === 'verified';
  const [email, phone] = [primary(emails, 'primary_email_address_id'), primary(phones, 'primary_phone_number_id')];
  const links = linked(
    options,
    listOf(user, 'external_accounts').map((one) => ({
      provider: textOf(one, 'provider') ?? '',
      sub: textOf(one, 'provider_user_id') ?? textOf(one, 'google_id'),
    })),
  );
  const [given, family] = [textOf(user, 'first_name'), textOf(user, 'last_name')];
  const metadata = objectOf(user, 'public_metadata');
  const draft: Draft = {
    sub: textOf(user, 'id'),
    username:
      textOf(user, 'username') ?? textOf(email, 'email_address') ?? textOf(phone, 'phone_number') ?? textOf(user, 'id'),
    passwordHash: textOf(user, 'password_digest'),
    disabled: flagOf(user, 'banned') === true,
    createdAt: instantOf(user, 'created_at'),
    identities: links.identities,
    claims: {
      email: textOf(email, 'email_address'),
      email_verified: isVerified(email),
      phone_number: textOf(phone, 'phone_number'),
      phone_number_verified: isVerified(phone),
      given_name: given,
      family_name: family,
      name: fullName(given, family),
      picture: textOf(user, 'image_url'),
    },
    custom: Object.keys(metadata).length > 0 ? { public_metadata: metadata } : {},
  };
  return userOf(options, draft, [...links.leftOut, ...secondAddresses([...emails.slice(1), ...phones.slice(1)])]);
}
