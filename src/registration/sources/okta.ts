/**
 * Okta: users as the list of the API writes them (https://developer.okta.com/docs/api/openapi/okta-management/management/tag/User/), as a
 * JSON list or JSON lines, or the CSV of an exporter of the same members. Okta hands out no hashes.
 */
import { userOf } from './draft.ts';
import type { Converted, JsonObject, Source, SourceOptions } from './source.ts';
import { instantOf, objectOf, textOf } from './values.ts';

export const okta: Source = {
  name: 'okta',
  system: 'Okta',
  file: 'the users of GET /api/v1/users (JSON list, JSON lines), or CSV with the same names',
  brings: 'suspended users, the profile, dates; no passwords: Okta hands out none',
  reference: 'https://developer.okta.com/docs/api/openapi/okta-management/management/tag/User/',
  open: (options) => ({ convert: ({ value }) => convert(options, value) }),
};

const ENDED = ['SUSPENDED', 'DEPROVISIONED'];
const STANDARD = ['firstName', 'lastName', 'displayName', 'nickName', 'middleName', 'locale', 'timezone', 'profileUrl'];
const NAMED = ['login', 'email', 'mobilePhone', 'primaryPhone', 'secondEmail', ...STANDARD];
/** Columns beside the profile. */
const BESIDE = ['id', 'status', 'created', 'activated', 'statusChanged', 'lastLogin', 'lastUpdated', 'passwordChanged'];

function convert(options: SourceOptions, user: JsonObject): Converted {
  const profile = Object.hasOwn(user, 'profile') ? objectOf(user, 'profile') : columnsOf(user);
  const [given, family] = [textOf(profile, 'firstName'), textOf(profile, 'lastName')];
  const custom = Object.entries(profile).filter(([name]) => !NAMED.includes(name) && !BESIDE.includes(name));
  const password = objectOf(objectOf(user, 'credentials'), 'password');
  const hash = objectOf(password, 'hash');
  const passwordHash =
    textOf(hash, 'algorithm') === 'BCRYPT'
      ? `$2a$${String(textOf(hash, 'workFactor')).padStart(2, '0')}$${textOf(hash, 'salt')}${textOf(hash, 'value')}`
      : undefined;
  const draft = {
    sub: textOf(user, 'id'),
    username: textOf(profile, 'login') ?? textOf(profile, 'email') ?? textOf(user, 'id'),
    passwordHash,
    disabled: ENDED.includes(textOf(user, 'status') ?? ''),
    createdAt: instantOf(user, 'created'),
    claims: {
      email: textOf(profile, 'email'),
      given_name: given,
      family_name: family,
      middle_name: textOf(profile, 'middleName'),
      nickname: textOf(profile, 'nickName'),
      name: textOf(profile, 'displayName') ?? [given, family].filter((part) => part !== undefined).join(' '),
      locale: textOf(profile, 'locale'),
      zoneinfo: textOf(profile, 'timezone'),
      profile: textOf(profile, 'profileUrl'),
      phone_number: textOf(profile, 'primaryPhone') ?? textOf(profile, 'mobilePhone'),
    },
    custom: Object.fromEntries(custom),
  };
  const second = textOf(profile, 'secondEmail') === undefined ? [] : ['second e-mail address: a user has one here'];
  return userOf(options, draft, second);
}

/** `profile.login`, as exporters call a column. */
const columnsOf = (user: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(user).map(([name, value]) => [name.replace(/^profile\./, ''), value]));
