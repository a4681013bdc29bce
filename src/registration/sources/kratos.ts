/**
 * Ory Kratos: identities as its admin API writes them with `include_credential=password&include_credential=oidc`
 * (https://www.ory.sh/docs/reference/api#tag/identity), as a JSON list or JSON lines.
 */
import { sha512 } from '../../crypto/recovery-code.ts';
import { type Draft, linked, type Passkey, userOf } from './draft.ts';
import type { Converted, JsonObject, Source, SourceOptions } from './source.ts';
import {
  base64urlIn,
  flagOf,
  fullName,
  instantOf,
  listOf,
  memberOf,
  numberIn,
  objectOf,
  textIn,
  textOf,
} from './values.ts';

export const kratos: Source = {
  name: 'kratos',
  system: 'Ory Kratos',
  file: 'the identities of the admin API with include_credential=password, oidc, webauthn, passkey and lookup_secret (JSON list or JSON lines)',
  brings: 'passwords, passkeys, recovery codes, links to identity providers, inactive users, traits, dates',
  reference: 'https://www.ory.sh/docs/reference/api',
  lists: ['identities'],
  open: (options) => ({ convert: ({ value }) => convert(options, value) }),
};

const STAYS: ReadonlyMap<string, string> = new Map([
  ['totp', 'authenticator app: Kratos encrypts its secret; the user adds another'],
]);
const STANDARD = ['email', 'username', 'name', 'phone'];

function convert(options: SourceOptions, identity: JsonObject): Converted {
  const traits = objectOf(identity, 'traits');
  const credentials = objectOf(identity, 'credentials');
  const config = (type: string) => objectOf(objectOf(credentials, type), 'config');
  const links = linked(
    options,
    listOf(config('oidc'), 'providers').map((one) => ({
      provider: textOf(one, 'provider') ?? '',
      sub: textOf(one, 'subject'),
    })),
  );
  const addresses = listOf(identity, 'verifiable_addresses');
  const firstOf = (via: string) => addresses.find((one) => textOf(one, 'via') === via);
  const email = textOf(traits, 'email') ?? textOf(firstOf('email'), 'value');
  const phone = textOf(traits, 'phone') ?? textOf(firstOf('sms'), 'value');
  const isVerified = (value: string | undefined) =>
    addresses.some((one) => textOf(one, 'value') === value && flagOf(one, 'verified') === true);
  const name = objectOf(traits, 'name');
  const [given, family] = [
    textOf(name, 'first') ?? textOf(traits, 'first_name'),
    textOf(name, 'last') ?? textOf(traits, 'last_name'),
  ];
  const metadata = memberOf(identity, 'metadata_public');
  const draft: Draft = {
    sub: textOf(identity, 'id'),
    username: textOf(traits, 'username') ?? email ?? phone ?? textOf(identity, 'id'),
    passwordHash: textOf(config('password'), 'hashed_password'),
    disabled: textOf(identity, 'state') === 'inactive',
    createdAt: instantOf(identity, 'created_at'),
    identities: links.identities,
    passkeys: [
      ...passkeysOf(config('webauthn'), (one) => flagOf(one, 'is_passwordless') !== true),
      ...passkeysOf(config('passkey'), () => false),
    ],
    recoveryCodes: recoveryCodesOf(config('lookup_secret')),
    claims: {
      email,
      email_verified: isVerified(email),
      phone_number: phone,
      phone_number_verified: isVerified(phone),
      given_name: given,
      family_name: family,
      name: textIn(memberOf(traits, 'name')) ?? fullName(given, family),
    },
    custom: {
      ...Object.fromEntries(Object.entries(traits).filter(([trait]) => !STANDARD.includes(trait))),
      ...(metadata !== null && metadata !== undefined && { metadata_public: metadata }),
    },
  };
  const left = Object.keys(credentials).flatMap((type) => STAYS.get(type) ?? []);
  return userOf(options, draft, [...links.leftOut, ...left]);
}

/** CredentialsWebAuthnConfig of ory/kratos: Go writes bytes in base64. */
function passkeysOf(config: JsonObject, isSecondFactorOnly: (credential: unknown) => boolean): readonly Passkey[] {
  return listOf(config, 'credentials').map((one) => ({
    credentialId: base64urlIn(memberOf(one, 'id')),
    publicKey: base64urlIn(memberOf(one, 'public_key')),
    userHandle: base64urlIn(memberOf(config, 'user_handle')),
    counter: numberIn(memberOf(objectOf(one, 'authenticator'), 'sign_count')),
    transports: listOf(one, 'transport'),
    backupEligible: flagOf(objectOf(one, 'flags'), 'backup_eligible'),
    isSecondFactorOnly: isSecondFactorOnly(one),
    name: textOf(one, 'display_name'),
    createdAt: instantOf(one, 'added_at'),
  }));
}

/** Kratos stores codes as they are. A used one has an instant. */
const recoveryCodesOf = (config: JsonObject): readonly string[] =>
  listOf(config, 'recovery_codes').flatMap((one) => {
    const code = textOf(one, 'code');
    const isLeft = (instantOf(one, 'used_at') ?? NEVER) <= NEVER;
    return code === undefined || !isLeft ? [] : [sha512(code).toString('base64')];
  });

/** Go's time that is none. */
const NEVER = '0001-01-01T00:00:00.000Z';
