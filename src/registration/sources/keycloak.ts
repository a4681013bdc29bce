/**
 * Keycloak: a realm as `kc.sh export` writes it, in one file or with its users in further files. UserRepresentation and
 * CredentialRepresentation are described in https://www.keycloak.org/docs-api/latest/rest-api/. The models of
 * credentials in keycloak/keycloak (server-spi, models/credential) write secretData and credentialData.
 */
import { totpSecretText } from '../../crypto/totp.ts';
import { type Draft, issuerNamed, linked, type Passkey, userOf } from './draft.ts';
import type { Adapter, JsonObject, Source, SourceOptions, SourceRecord } from './source.ts';
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
  totpIn,
} from './values.ts';

/** Of the policies for security keys and for passkeys: a host name, whether passkeys are discoverable, and verify their owner. */
const RP_ID = { webauthn: 'webAuthnPolicyRpId', 'webauthn-passwordless': 'webAuthnPolicyPasswordlessRpId' } as const;
const RESIDENT_KEY = 'webAuthnPolicyPasswordlessRequireResidentKey';
const VERIFICATION = 'webAuthnPolicyPasswordlessUserVerificationRequirement';
const REALM_MEMBERS = [...Object.values(RP_ID), RESIDENT_KEY, VERIFICATION];

export const keycloak: Source = {
  name: 'keycloak',
  system: 'Keycloak',
  file: 'the realm, as "kc.sh export" writes it (JSON; with users in further files: name all of them)',
  brings:
    'passwords, authenticator apps, passkeys, recovery codes, links to identity providers, disabled users, groups, roles, attributes, dates',
  reference: 'https://www.keycloak.org/server/importExport',
  lists: ['users', 'identityProviders'],
  members: REALM_MEMBERS,
  areDocuments: true,
  open,
};

function open(options: SourceOptions): Adapter {
  const issuers = new Map<string, string>();
  const realm = new Map<string, Set<string>>();
  return {
    prepare: ({ list, value }) => {
      for (const name of REALM_MEMBERS) {
        const text = textOf(value, name);
        if (list === '' && text !== undefined) realm.set(name, (realm.get(name) ?? new Set()).add(text));
      }
      const alias = textOf(value, 'alias');
      // Those of social providers are not in the file.
      const issuer = textOf(objectOf(value, 'config'), 'issuer') ?? issuerNamed(textOf(value, 'providerId'));
      if (list === 'identityProviders' && alias !== undefined && issuer !== undefined) issuers.set(alias, issuer);
    },
    convert: (record) => convert({ options, issuers, realm: (name) => onlyIn(realm.get(name)) }, record),
  };
}

/** Files of several realms may differ. */
const onlyIn = (values: ReadonlySet<string> = new Set()): string | undefined =>
  values.size === 1 ? [...values][0] : undefined;

type Known = {
  readonly options: SourceOptions;
  readonly issuers: ReadonlyMap<string, string>;
  /** A member of the realm. */
  readonly realm: (name: string) => string | undefined;
};

function convert({ options, issuers, realm }: Known, { list, value: user }: SourceRecord) {
  if (list === 'identityProviders' || REALM_MEMBERS.some((name) => list === '' && Object.hasOwn(user, name)))
    return { kind: 'other' } as const;
  if (textOf(user, 'serviceAccountClientId') !== undefined)
    return { kind: 'other', leftOut: ['service account: a client has its own credentials here'] } as const;
  const credentials = credentialsOf(user, realm);
  const identities = linked(
    options,
    listOf(user, 'federatedIdentities').map((link) => {
      const alias = textOf(link, 'identityProvider') ?? '';
      return { provider: alias, sub: textOf(link, 'userId'), issuer: issuers.get(alias) };
    }),
  );
  const { attributes, claims } = attributesOf(user);
  const draft: Draft = {
    sub: textOf(user, 'id'),
    username: textOf(user, 'username') ?? textOf(user, 'email'),
    passwordHash: credentials.passwordHash,
    disabled: flagOf(user, 'enabled') === false,
    createdAt: instantOf(user, 'createdTimestamp'),
    identities: identities.identities,
    totp: credentials.totp,
    passkeys: credentials.passkeys,
    recoveryCodes: credentials.recoveryCodes,
    claims: {
      ...claims,
      email: textOf(user, 'email'),
      email_verified: flagOf(user, 'emailVerified') === true && !actionsOf(user).includes('VERIFY_EMAIL'),
      given_name: textOf(user, 'firstName'),
      family_name: textOf(user, 'lastName'),
      name: fullName(textOf(user, 'firstName'), textOf(user, 'lastName')),
    },
    custom: { ...attributes, ...rolesOf(user) },
  };
  return userOf(options, draft, [...credentials.leftOut, ...identities.leftOut, ...otherParts(user)]);
}

const actionsOf = (user: JsonObject): readonly string[] =>
  listOf(user, 'requiredActions').flatMap((action) => textIn(action) ?? []);

/** Required actions that the draft has. */
const CARRIED_ACTIONS = ['VERIFY_EMAIL', 'UPDATE_PASSWORD'];

const otherParts = (user: JsonObject): readonly string[] => [
  ...actionsOf(user)
    .filter((action) => !CARRIED_ACTIONS.includes(action))
    .map((action) => `required action ${action.slice(0, 60)}: policies/sign-in.yaml says what is asked of a user`),
  ...(listOf(user, 'clientConsents').length > 0 ? ['consents: the user is asked once more'] : []),
];

/** Roles that Keycloak gives to each user. */
const DEFAULT_ROLE = /^(default-roles-.*|offline_access|uma_authorization)$/;

function rolesOf(user: JsonObject): JsonObject {
  const roles = listOf(user, 'realmRoles').filter((role) => !DEFAULT_ROLE.test(String(role)));
  const ofClients = objectOf(user, 'clientRoles');
  const groups = listOf(user, 'groups');
  return {
    ...(groups.length > 0 && { groups }),
    ...(roles.length > 0 && { roles }),
    ...(Object.keys(ofClients).length > 0 && { client_roles: ofClients }),
  };
}

/** Attributes that are standard claims by other names, or by their own. */
const CLAIM_OF: ReadonlyMap<string, string> = new Map([
  ...['locale', 'picture', 'zoneinfo', 'website', 'profile', 'gender', 'birthdate', 'nickname', 'middle_name'].map(
    (name) => [name, name] as const,
  ),
  ['phoneNumber', 'phone_number'],
  ['phone_number', 'phone_number'],
]);

/** Each attribute is a list; most have one value. */
function attributesOf(user: JsonObject): { readonly attributes: JsonObject; readonly claims: JsonObject } {
  const all = Object.entries(objectOf(user, 'attributes')).map(
    ([name, value]) => [name, Array.isArray(value) && value.length === 1 ? value[0] : value] as const,
  );
  return {
    attributes: Object.fromEntries(all.filter(([name]) => !CLAIM_OF.has(name))),
    claims: Object.fromEntries(
      all.flatMap(([name, value]) => {
        const claim = CLAIM_OF.get(name);
        return claim === undefined ? [] : [[claim, value] as const];
      }),
    ),
  };
}

type Credentials = {
  readonly passwordHash: string | undefined;
  readonly totp: readonly string[];
  readonly passkeys: readonly Passkey[];
  readonly recoveryCodes: readonly string[];
  readonly leftOut: readonly string[];
};

const CARRIED = ['password', 'otp', 'totp', 'webauthn', 'webauthn-passwordless', 'recovery-authn-codes'];

function credentialsOf(user: JsonObject, realm: Known['realm']): Credentials {
  const all = listOf(user, 'credentials');
  const ofType = (type: string) => all.filter((one) => textOf(one, 'type') === type);
  const apps = [...ofType('otp'), ...ofType('totp')].map(appOf);
  const others = all.flatMap((one) => {
    const type = textOf(one, 'type') ?? '';
    if (CARRIED.includes(type)) return [];
    return [`credential of the type ${JSON.stringify(type.slice(0, 60))}: it is unknown here`];
  });
  const codes = ofType('recovery-authn-codes').map(recoveryCodesOf);
  const [first] = ofType('password');
  const isTemporary = actionsOf(user).includes('UPDATE_PASSWORD');
  const passwordHash = first === undefined || isTemporary ? undefined : hashOf(first);
  const why = isTemporary ? 'Keycloak would ask for another (UPDATE_PASSWORD)' : 'its algorithm is unknown here';
  const inDirectory = first === undefined && textOf(user, 'federationLink') !== undefined;
  return {
    passwordHash,
    totp: apps.flatMap(({ secret }) => secret ?? []),
    passkeys: [
      ...ofType('webauthn').map((one) => ({
        ...passkeyOf(user, one),
        isSecondFactorOnly: true,
        rpId: realm(RP_ID.webauthn),
      })),
      ...ofType('webauthn-passwordless').map((one) => ({
        ...passkeyOf(user, one),
        isSecondFactorOnly: false,
        rpId: realm(RP_ID['webauthn-passwordless']),
        ...(realm(RESIDENT_KEY) === 'No' && { discoverable: false }),
        ...(realm(VERIFICATION) === 'discouraged' && { userVerified: false }),
      })),
    ],
    recoveryCodes: codes.flatMap(({ hashes }) => hashes),
    leftOut: [
      ...others,
      ...codes.flatMap(({ reason }) => reason ?? []),
      ...apps.flatMap(({ reason }) => reason ?? []),
      ...(first !== undefined && passwordHash === undefined ? [`password: ${why}`] : []),
      ...(inDirectory ? ['password: it is in the directory that Keycloak asks'] : []),
    ],
  };
}

/** A value of `additionalParameters` is a list. */
const parameterOf = (data: JsonObject, name: string): string | undefined => {
  const value = memberOf(objectOf(data, 'additionalParameters'), name);
  return textIn(Array.isArray(value) ? value[0] : value);
};

const PBKDF2: ReadonlyMap<string, string> = new Map([
  ['pbkdf2', '$pbkdf2'],
  ['pbkdf2-sha1', '$pbkdf2'],
  ['pbkdf2-sha256', '$pbkdf2-sha256'],
  ['pbkdf2-sha512', '$pbkdf2-sha512'],
]);
const ARGON2_VERSIONS: ReadonlyMap<string, number> = new Map([
  ['1.0', 16],
  ['1.3', 19],
]);

/** Versions before 4.8 have the same members in the credential itself. */
function hashOf(credential: unknown): string | undefined {
  const secret = objectOf(credential, 'secretData');
  const data = objectOf(credential, 'credentialData');
  const value = (textOf(secret, 'value') ?? textOf(credential, 'hashedSaltedValue'))?.replace(/=+$/, '');
  const salt = (textOf(secret, 'salt') ?? textOf(credential, 'salt'))?.replace(/=+$/, '');
  const iterations = textOf(data, 'hashIterations') ?? textOf(credential, 'hashIterations');
  const algorithm = textOf(data, 'algorithm') ?? textOf(credential, 'algorithm') ?? '';
  if (value === undefined) return undefined;
  if (/^\$(2[aby]|argon2|scrypt|pbkdf2)/.test(value)) return value;
  const pbkdf2 = PBKDF2.get(algorithm);
  if (pbkdf2 !== undefined) return `${pbkdf2}$i=${iterations}$${salt}$${value}`;
  if (algorithm !== 'argon2') return undefined;
  const [type, version, memory, lanes] = ['type', 'version', 'memory', 'parallelism'].map((name) =>
    parameterOf(data, name),
  );
  return `$argon2${type}$v=${ARGON2_VERSIONS.get(version ?? '')}$m=${memory},t=${iterations},p=${lanes}$${salt}$${value}`;
}

/** The codes that this server verifies. */
const isUsual = (data: JsonObject): boolean =>
  (textOf(data, 'subType') ?? 'totp') === 'totp' &&
  (textOf(data, 'digits') ?? '6') === '6' &&
  (textOf(data, 'period') ?? '30') === '30' &&
  (textOf(data, 'algorithm') ?? 'HmacSHA1') === 'HmacSHA1';

/** Keycloak hashes the characters of the secret, and shows apps their base32. */
function appOf(credential: unknown): { readonly secret?: string | undefined; readonly reason?: string } {
  const data = objectOf(credential, 'credentialData');
  if (!isUsual(data)) return { reason: 'authenticator app: its codes are not those of SHA-1, 6 digits and 30 seconds' };
  const value = textOf(objectOf(credential, 'secretData'), 'value') ?? textOf(credential, 'value');
  if (value === undefined) return { reason: 'authenticator app: the export has no secret of it' };
  const isBase32 = textOf(data, 'secretEncoding') === 'BASE32';
  return { secret: isBase32 ? totpIn(value) : totpSecretText(Buffer.from(value)) };
}

/** WebAuthnCredentialData. Keycloak gives the id of the user to the authenticator (WebAuthnRegister). */
function passkeyOf(user: JsonObject, credential: unknown): Omit<Passkey, 'isSecondFactorOnly'> {
  const data = objectOf(credential, 'credentialData');
  return {
    credentialId: base64urlIn(memberOf(data, 'credentialId')),
    publicKey: base64urlIn(memberOf(data, 'credentialPublicKey')),
    userHandle: Buffer.from(textOf(user, 'id') ?? '').toString('base64url'),
    counter: numberIn(memberOf(data, 'counter')),
    transports: transportsOf(data),
    name: textOf(credential, 'userLabel'),
    createdAt: instantOf(credential, 'createdDate'),
  };
}

const transportsOf = (data: JsonObject) => {
  const transports = listOf(data, 'transports');
  return transports.length > 0 ? transports : undefined;
};

/** RecoveryAuthnCodesUtils: SHA-512 of each code that is left. Before version 26.2 the algorithm is called RS512. */
function recoveryCodesOf(credential: unknown): { readonly hashes: readonly string[]; readonly reason?: string } {
  const algorithm = textOf(objectOf(credential, 'credentialData'), 'algorithm') ?? '';
  if (!['SHA-512', 'RS512'].includes(algorithm))
    return { hashes: [], reason: 'recovery codes: their algorithm is unknown here; the user gets others' };
  const codes = listOf(objectOf(credential, 'secretData'), 'codes');
  return { hashes: codes.flatMap((code) => textOf(code, 'encodedHashedValue') ?? []) };
}
