/**
 * Auth0: the bulk export of users as NDJSON (https://auth0.com/docs/manage-users/user-migration/bulk-user-exports), the file of password
 * hashes that its support hands out
 * (https://support.auth0.com/center/s/article/How-to-Use-the-Password-Hashes-Export-from-Auth0), or both: they are joined by their ids.
 */
import { type Draft, type Link, linked, userOf } from './draft.ts';
import type { Adapter, Converted, JsonObject, Source, SourceOptions } from './source.ts';
import { flagOf, instantOf, listOf, memberOf, objectOf, textOf, totpIn } from './values.ts';

export const auth0: Source = {
  name: 'auth0',
  system: 'Auth0',
  file: 'the bulk export of users (NDJSON), the export of password hashes, or both files',
  brings: 'passwords (from the file of hashes), links to identity providers, blocked users, metadata, dates',
  reference: 'https://auth0.com/docs/manage-users/user-migration/bulk-user-exports',
  open,
};

function open(options: SourceOptions): Adapter {
  const hashes = new Map<string, string>();
  const profiles = new Set<string>();
  return {
    prepare: ({ value }) => {
      const id = idOfHash(value);
      if (id !== undefined) hashes.set(id, textOf(value, 'passwordHash') ?? '');
      else if (idOf(value) !== undefined) profiles.add(idOf(value) ?? '');
    },
    convert: ({ value }): Converted => {
      const id = idOfHash(value);
      if (id !== undefined) return profiles.has(id) ? { kind: 'other' } : ofHash(options, id, value);
      return ofProfile(options, hashes, named(value));
    },
  };
}

/** An export with headings for people has "Email Verified" for `email_verified`. */
const named = (user: JsonObject): JsonObject =>
  Object.hasOwn(user, 'Id') || Object.hasOwn(user, 'Email')
    ? Object.fromEntries(Object.entries(user).map(([name, value]) => [name.toLowerCase().replaceAll(' ', '_'), value]))
    : user;

const idOf = (user: JsonObject): string | undefined =>
  textOf(user, 'user_id') ?? textOf(user, 'Id') ?? textOf(user, 'id');

/** Of a line in the file of hashes. */
function idOfHash(line: JsonObject): string | undefined {
  const own = textOf(line, 'alt_id') ?? textOf(objectOf(line, '_id'), '$oid') ?? textOf(line, '_id');
  return own === undefined ? undefined : `auth0|${own}`;
}

function ofHash(options: SourceOptions, id: string, line: JsonObject): Converted {
  const identifiers = listOf(line, 'identifiers');
  const address = identifiers.find((one) => textOf(one, 'type') === 'email');
  const email = textOf(line, 'email') ?? textOf(address, 'value');
  return userOf(options, {
    sub: id,
    username: textOf(line, 'username') ?? email ?? id,
    passwordHash: textOf(line, 'passwordHash'),
    claims: { email, email_verified: flagOf(line, 'email_verified') ?? flagOf(address, 'verified') },
  });
}

const PROFILE = ['name', 'given_name', 'family_name', 'nickname', 'picture', 'locale', 'phone_number'];

function ofProfile(options: SourceOptions, hashes: ReadonlyMap<string, string>, user: JsonObject): Converted {
  const id = idOf(user);
  const links = linked(options, linksOf(id, user));
  const email = textOf(user, 'email');
  const hash = hashes.get(id ?? '') ?? textOf(user, 'password_hash');
  const apps = listOf(user, 'mfa_factors').flatMap((one) => totpIn(textOf(objectOf(one, 'totp'), 'secret')) ?? []);
  const draft: Draft = {
    sub: id,
    username: textOf(user, 'username') ?? email ?? textOf(user, 'phone_number') ?? id,
    passwordHash: hash === '' ? undefined : hash,
    disabled: flagOf(user, 'blocked') === true,
    createdAt: instantOf(user, 'created_at'),
    identities: links.identities,
    totp: apps,
    claims: {
      ...Object.fromEntries(PROFILE.map((name) => [name, textOf(user, name)])),
      email,
      email_verified: flagOf(user, 'email_verified'),
      phone_number_verified: flagOf(user, 'phone_verified'),
    },
    custom: { app_metadata: ifAny(user, 'app_metadata'), user_metadata: ifAny(user, 'user_metadata') },
  };
  const hasFactor = listOf(user, 'multifactor').length > 0 && apps.length === 0;
  const leftOut = hasFactor ? ['second factor: the export has no secret of it; the user adds another'] : [];
  return userOf(options, draft, [...links.leftOut, ...leftOut]);
}

const ifAny = (user: JsonObject, name: string): JsonObject | undefined => {
  const value = objectOf(user, name);
  return Object.keys(value).length > 0 ? value : undefined;
};

/** A database of Auth0 is none. Providers of a company are known by their connection, whose name stands before the id. */
function linksOf(id: string | undefined, user: JsonObject): readonly Link[] {
  const identities = memberOf(user, 'identities');
  if (Array.isArray(identities))
    return identities.flatMap((one) => {
      const [provider = '', connection = ''] = [textOf(one, 'provider'), textOf(one, 'connection')];
      if (provider === 'auth0' || provider === '') return [];
      const name = ['oidc', 'okta', 'samlp', 'waad', 'adfs'].includes(provider) ? connection : provider;
      const sub = textOf(one, 'user_id');
      return [{ provider: name, sub: sub?.startsWith(`${connection}|`) ? sub.slice(connection.length + 1) : sub }];
    });
  const [provider = '', ...rest] = (id ?? '').split('|');
  if (rest.length === 0 || provider === 'auth0') return [];
  return rest.length === 1 ? [{ provider, sub: rest[0] }] : [{ provider: rest[0] ?? '', sub: rest.slice(1).join('|') }];
}
