/**
 * Firebase: `firebase auth:export` as JSON or CSV. Members and columns as src/accountExporter.ts of firebase/firebase-tools writes them;
 * https://firebase.google.com/docs/cli/auth. The parameters of the hashes are those that the console of the project shows.
 */
import { type Draft, linked, userOf } from './draft.ts';
import {
  type Adapter,
  type Converted,
  type JsonObject,
  type Source,
  type SourceOptions,
  SourceRefused,
} from './source.ts';
import { flagOf, instantOf, listOf, objectOf, textOf } from './values.ts';

const PROVIDERS = ['google.com', 'facebook.com', 'twitter.com', 'github.com'];

export const firebase: Source = {
  name: 'firebase',
  system: 'Firebase',
  file: 'the output of "firebase auth:export" (JSON or CSV); the hash parameters in STATEHOUSE_FIREBASE_HASH',
  brings: 'passwords, links to identity providers, disabled users, custom attributes, dates',
  reference: 'https://firebase.google.com/docs/cli/auth',
  lists: ['users'],
  // The CSV file has no header.
  columns: [
    ...['localId', 'email', 'emailVerified', 'passwordHash', 'salt', 'displayName', 'photoUrl'],
    ...PROVIDERS.flatMap((name) => [`${name} id`, `${name} email`, `${name} displayName`, `${name} photoUrl`]),
    ...['createdAt', 'lastSignedInAt', 'phoneNumber', 'disabled', 'customAttributes'],
  ],
  open,
};

type Parameters = { readonly ln: string; readonly r: string; readonly separator: string; readonly signerKey: string };

/** The text of the console: `base64_signer_key: …, base64_salt_separator: …, rounds: 8, mem_cost: 14`. */
function parametersIn(text: string): Parameters {
  const partOf = (name: string) => new RegExp(`["']?${name}["']?\\s*[:=]\\s*["']?([A-Za-z0-9+/_=-]+)`).exec(text)?.[1];
  const [signerKey, separator, r, ln] = ['base64_signer_key', 'base64_salt_separator', 'rounds', 'mem_cost'].map(
    partOf,
  );
  if (signerKey === undefined || separator === undefined || r === undefined || ln === undefined)
    throw new SourceRefused(
      'STATEHOUSE_FIREBASE_HASH: Expected the hash parameters as the Firebase console shows them: base64_signer_key, base64_salt_separator, rounds, mem_cost.',
    );
  return { signerKey: standard(signerKey), separator: standard(separator), r, ln };
}

const standard = (base64: string): string => base64.replaceAll('-', '+').replaceAll('_', '/');

function open(options: SourceOptions): Adapter {
  const parameters = options.firebaseHash === null ? null : parametersIn(options.firebaseHash);
  return { convert: ({ value }) => convert(options, parameters, value) };
}

const NO_PARAMETERS = 'password: the hash parameters of the project are missing (STATEHOUSE_FIREBASE_HASH)';

function convert(options: SourceOptions, parameters: Parameters | null, user: JsonObject): Converted {
  const links = linked(options, linksOf(user));
  const [id, email, phone] = ['localId', 'email', 'phoneNumber'].map((name) => textOf(user, name));
  const [hash, salt] = [textOf(user, 'passwordHash'), textOf(user, 'salt')];
  const hasHash = hash !== undefined && salt !== undefined;
  const draft: Draft = {
    sub: id,
    username: email ?? phone ?? id,
    passwordHash: hasHash && parameters !== null ? hashOf(parameters, salt, hash) : undefined,
    disabled: flagOf(user, 'disabled') === true,
    createdAt: instantOf(user, 'createdAt'),
    identities: links.identities,
    claims: {
      email,
      email_verified: flagOf(user, 'emailVerified'),
      phone_number: phone,
      // Firebase has no number that it did not verify.
      phone_number_verified: true,
      name: textOf(user, 'displayName'),
      picture: textOf(user, 'photoUrl'),
    },
    custom: objectOf(user, 'customAttributes'),
  };
  const second = listOf(user, 'mfaInfo').length > 0 ? ['second factor: a phone number is none here'] : [];
  return userOf(options, draft, [
    ...links.leftOut,
    ...second,
    ...(hasHash && parameters === null ? [NO_PARAMETERS] : []),
  ]);
}

const hashOf = ({ ln, r, separator, signerKey }: Parameters, salt: string, hash: string): string =>
  `$firescrypt$ln=${ln},r=${r},p=1$${standard(salt)}$${standard(hash)}$${separator}$${signerKey}`;

/** Passwords and phone numbers are providers too, of Firebase itself. */
const linksOf = (user: JsonObject) => [
  ...listOf(user, 'providerUserInfo').flatMap((one) => {
    const provider = textOf(one, 'providerId') ?? '';
    return ['password', 'phone', ''].includes(provider) ? [] : [{ provider, sub: textOf(one, 'rawId') }];
  }),
  ...PROVIDERS.flatMap((provider) => {
    const sub = textOf(user, `${provider} id`);
    return sub === undefined ? [] : [{ provider, sub }];
  }),
];
