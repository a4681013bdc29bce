/**
 * Amazon Cognito: `aws cognito-idp list-users` as JSON
 * (https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_ListUsers.html), or CSV with the header of its user
 * import (https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-using-import-tool.html). It hands out no hashes.
 */
import { jsonIn } from '../../oauth/sent-text.ts';
import { type Draft, linked, userOf } from './draft.ts';
import type { Converted, JsonObject, Source, SourceOptions } from './source.ts';
import { flagOf, instantIn, instantOf, listOf, memberOf, textOf } from './values.ts';

export const cognito: Source = {
  name: 'cognito',
  system: 'Amazon Cognito',
  file: 'the output of "aws cognito-idp list-users" (JSON), or CSV with the header of its user import',
  brings: 'links to identity providers, disabled users, attributes, dates; no passwords: Cognito hands out none',
  reference: 'https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_ListUsers.html',
  lists: ['Users'],
  open: (options) => ({ convert: ({ value }) => convert(options, value) }),
};

const FLAGS = ['email_verified', 'phone_number_verified'];
const CLAIMS = [
  ...['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture'],
  ...['website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'email', 'phone_number'],
];
const BESIDE = ['sub', 'identities', 'address', 'updated_at', ...CLAIMS, ...FLAGS];

function convert(options: SourceOptions, user: JsonObject): Converted {
  const attributes = attributesOf(user);
  const links = linked(options, linksOf(attributes));
  const custom = Object.entries(attributes).filter(([name]) => !BESIDE.includes(name) && !name.startsWith('cognito:'));
  const address = textOf(attributes, 'address');
  const username = textOf(user, 'Username') ?? textOf(user, 'cognito:username');
  const sub = textOf(attributes, 'sub') ?? username;
  const draft: Draft = {
    sub,
    // A pool that signs in by address has ids as usernames.
    username:
      username === sub ? (textOf(attributes, 'email') ?? textOf(attributes, 'phone_number') ?? username) : username,
    disabled: flagOf(user, 'Enabled') === false,
    createdAt: dateOf(user),
    identities: links.identities,
    claims: {
      ...Object.fromEntries(CLAIMS.map((name) => [name, textOf(attributes, name)])),
      ...Object.fromEntries(FLAGS.map((name) => [name, flagOf(attributes, name)])),
      ...(address !== undefined && { address: { formatted: address } }),
    },
    custom: Object.fromEntries(custom),
  };
  const factor = flagOf(user, 'cognito:mfa_enabled') === true || listOf(user, 'MFAOptions').length > 0;
  return userOf(options, draft, [
    ...links.leftOut,
    ...(factor ? ['second factor: the export has no secret of it; the user adds another'] : []),
  ]);
}

/** Version 1 of the command writes seconds with a fraction. */
function dateOf(user: JsonObject): string | undefined {
  const value = memberOf(user, 'UserCreateDate');
  return typeof value === 'number' ? instantIn(Math.round(value)) : instantOf(user, 'UserCreateDate');
}

/** A list of names and values, or the columns. */
function attributesOf(user: JsonObject): JsonObject {
  const list = [...listOf(user, 'Attributes'), ...listOf(user, 'UserAttributes')];
  const isList = Object.hasOwn(user, 'Attributes') || Object.hasOwn(user, 'UserAttributes');
  return isList ? Object.fromEntries(list.map((one) => [textOf(one, 'Name') ?? '', memberOf(one, 'Value')])) : user;
}

/** The attribute is a text of JSON. */
function linksOf(attributes: JsonObject) {
  const identities = jsonIn(textOf(attributes, 'identities') ?? '[]');
  if (!Array.isArray(identities)) return [];
  return identities.map((one) => ({
    provider: textOf(one, 'providerName') ?? '',
    issuer: textOf(one, 'providerType') === 'OIDC' ? textOf(one, 'issuer') : undefined,
    sub: textOf(one, 'userId'),
  }));
}
