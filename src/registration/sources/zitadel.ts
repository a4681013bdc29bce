/**
 * Zitadel: organizations with their users as `/admin/v1/export` writes them (ExportData of https://zitadel.com/docs/apis/introduction,
 * proto/zitadel/admin.proto and v1.proto).
 */
import { type Draft, type Link, linked, userOf } from './draft.ts';
import type { Adapter, Converted, JsonObject, Source, SourceOptions, SourceRecord } from './source.ts';
import { addTo, flagOf, listOf, objectOf, textOf, totpIn } from './values.ts';

const ORGANIZATIONS = ['orgs', 'dataOrgs.orgs'];

export const zitadel: Source = {
  name: 'zitadel',
  system: 'Zitadel',
  file: 'the answer of POST /admin/v1/export, with passwords and OTP (JSON)',
  brings: 'passwords, authenticator apps, links to identity providers, the profile',
  reference: 'https://zitadel.com/docs/guides/migrate/sources/zitadel',
  lists: ORGANIZATIONS.flatMap((path) => [`${path}.*.humanUsers`, `${path}.*.userLinks`, `${path}.*.machineUsers`]),
  areDocuments: true,
  open,
};

function open(options: SourceOptions): Adapter {
  const links = new Map<string, Link[]>();
  return {
    prepare: ({ list, value }) => {
      if (list !== 'userLinks') return;
      const owner = textOf(value, 'userId') ?? '';
      const link = { provider: textOf(value, 'idpId') ?? '', sub: textOf(value, 'providedUserId') };
      addTo(links, owner, link);
    },
    convert: (record) => convert(options, links, record),
  };
}

function convert(
  options: SourceOptions,
  all: ReadonlyMap<string, readonly Link[]>,
  { list, value }: SourceRecord,
): Converted {
  if (list === 'machineUsers')
    return { kind: 'other', leftOut: ['machine user: a client has its own credentials here'] };
  if (list === 'userLinks') return { kind: 'other' };
  const id = textOf(value, 'userId');
  const user = objectOf(value, 'user');
  const [profile, email, phone] = ['profile', 'email', 'phone'].map((name) => objectOf(user, name)) as [
    JsonObject,
    JsonObject,
    JsonObject,
  ];
  const links = linked(options, all.get(id ?? '') ?? []);
  const totp = totpIn(textOf(user, 'otpCode'));
  const draft: Draft = {
    sub: id,
    username: textOf(user, 'userName') ?? textOf(email, 'email') ?? id,
    passwordHash: flagOf(user, 'passwordChangeRequired') === true ? undefined : hashOf(user),
    identities: links.identities,
    totp: totp === undefined ? [] : [totp],
    claims: {
      email: textOf(email, 'email'),
      email_verified: flagOf(email, 'isEmailVerified'),
      phone_number: textOf(phone, 'phone'),
      phone_number_verified: flagOf(phone, 'isPhoneVerified'),
      given_name: textOf(profile, 'firstName'),
      family_name: textOf(profile, 'lastName'),
      nickname: textOf(profile, 'nickName'),
      name: textOf(profile, 'displayName'),
      locale: textOf(profile, 'preferredLanguage'),
    },
  };
  const keys =
    listOf(user, 'passwordlessRegistration').length > 0
      ? ['passkey: the export of Zitadel has none; the user adds another']
      : [];
  return userOf(options, draft, [...links.leftOut, ...keys]);
}

const hashOf = (user: JsonObject): string | undefined =>
  textOf(objectOf(user, 'hashedPassword'), 'value') ?? textOf(objectOf(user, 'passwordHash'), 'value');
