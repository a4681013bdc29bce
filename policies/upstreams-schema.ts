/** The schemas of `upstreams.yaml` and `delegated-sign-in.yaml`: federated and delegated sign-in. */
import { z } from 'zod';
import { CLAIM_NAME, CLAIM_NAME_EXPECTED, RESERVED_CLAIMS } from '../src/oauth/claims.ts';
import { formatScope, parseScope } from '../src/oauth/scope.ts';
import { expectations, expecting } from './expectations.ts';
import { isPlainText } from './plain-text.ts';
import { PRESET_NAMES, PRESETS } from './upstream-presets.ts';

const label = expecting(
  z
    .string()
    .min(1)
    .max(60)
    .refine((text) => isPlainText(text) && text.trim() !== ''),
  '1 to 60 characters without control characters',
);

const isLoopback = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host);

/** https, or http to a loopback address: the requests contain secrets. */
function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== '' || password !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
const SAFE = 'an https address without a fragment, or http to this machine';

const issuer = expecting(
  z
    .string()
    .max(512)
    .refine((text) => isSafeAddress(text) && new URL(text).search === ''),
  `${SAFE}, and without a query (OpenID Connect Core §2)`,
);

const claimName = expecting(z.string().regex(CLAIM_NAME), CLAIM_NAME_EXPECTED);
const takenOver = claimName.refine(
  (name) => !RESERVED_CLAIMS.includes(name),
  'a name without another meaning in tokens (such as sub, aud, scope)',
);

const scope = expecting(
  z.codec(
    z
      .string()
      .max(1024)
      .refine((text) => parseScope(text) !== null),
    z.array(z.string()),
    { decode: (text) => parseScope(text) ?? [], encode: formatScope },
  ),
  'scopes separated by spaces',
);

const words = (what: string) => z.array(expecting(z.string().min(1).max(255), what)).max(50);
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

const domain = expecting(z.string().regex(DOMAIN), 'a domain in lower case, such as example.com');

const said = z.strictObject({
  preset: z
    .enum(PRESET_NAMES)
    .optional()
    .describe('A provider whose other keys are known here; keys beside it come before those of the preset.'),
  name: expecting(z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/), 'lower-case letters, digits and "-"')
    .optional()
    .describe(
      'Stands in the redirect URI: {issuer}/sign-in/upstream/{name}/callback. Default: the name of the preset.',
    ),
  label: label.optional().describe('Of the button: "Continue with {label}". Default: that of the preset.'),
  issuer: issuer
    .optional()
    .describe(
      'The issuer identifier of the provider, byte for byte as in its metadata and its ID Tokens. Default: that of the preset, where it has one.',
    ),
  client_id: expecting(z.string().regex(/^[\x20-\x7e]{1,255}$/), '1 to 255 characters of %x20-7E').describe(
    'The client_id of this server at the provider.',
  ),
  client_secret: z
    .never()
    .register(expectations, {
      expected: 'no secret in this file: client_secret_environment names the variable that holds it',
      secret: true,
    })
    .optional()
    .describe('Never in this file: use client_secret_environment.'),
  client_secret_environment: expecting(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
    'the name of an environment variable',
  )
    .optional()
    .describe('The environment variable that holds the secret. Default with a preset: such as GOOGLE_CLIENT_SECRET.'),
  token_endpoint_auth_method: z
    .enum(['client_secret_basic', 'client_secret_post', 'none'])
    .optional()
    .describe(
      'The client authentication method of this server at the provider. Default: that of the preset, else client_secret_basic.',
    ),
  id_token_signed_response_alg: z
    .enum(['RS256', 'PS256', 'ES256', 'EdDSA'])
    .default('RS256')
    .describe('The algorithm that signs its ID Tokens. Statehouse accepts no other.'),
  scope: scope
    .optional()
    .describe(
      'The scope that Statehouse requests from the identity provider. Default: that of the preset, else openid profile email.',
    ),
  claims: z
    .array(takenOver)
    .max(50)
    .default(['name', 'given_name', 'family_name', 'email', 'email_verified', 'locale'])
    .describe('Claims of a just-in-time user, from the ID Token and from UserInfo.'),
  usernameClaim: claimName
    .optional()
    .describe(
      'The claim with the username of a just-in-time user. The server makes the name unique. Default: that of the preset, else preferred_username.',
    ),
  createUsers: z
    .boolean()
    .default(false)
    .describe('true: a first sign-in registers a just-in-time user. Default: the end-user needs a linked account.'),
  createUsersFrom: z
    .array(domain)
    .min(1)
    .max(100)
    .optional()
    .describe(
      'With createUsers: only users with a verified e-mail address (email_verified is true) in these domains become just-in-time users. Default: all.',
    ),
  linkByAddress: z
    .boolean()
    .default(false)
    .describe(
      'true: the verified addresses of this provider are trusted. A first sign-in with the verified address of an account here then registers no user. The page asks the user to sign in to that account once, which links it. Default: addresses link nothing.',
    ),
  admit: z
    .strictObject({
      emailDomains: z
        .array(domain)
        .min(1)
        .max(100)
        .optional()
        .describe('Domains of verified e-mail addresses (email_verified is true).'),
      claim: z
        .strictObject({
          name: claimName,
          values: z
            .array(z.string().min(1).max(255))
            .min(1)
            .max(100)
            .describe('Any of them; a claim that is a list has to contain one.'),
        })
        .optional()
        .describe('A claim that has one of these values.'),
    })
    .default({})
    .describe(
      'The users that Statehouse admits. A user has to meet every condition. Empty: every user of the identity provider.',
    ),
  multiFactor: z
    .strictObject({
      acr: words('a value of acr').default([]),
      amr: words('a value of amr').default(['mfa']),
    })
    .default({ acr: [], amr: ['mfa'] })
    .describe('The values in its ID Token that count as multi-factor authentication.'),
  authTime: z
    .enum(['required', 'optional'])
    .optional()
    .describe(
      'Default: that of the preset, else required. required: its ID Tokens have to contain auth_time. optional: for providers that never send auth_time; the iat of the ID Token counts, and such a sign-in never satisfies max_age or prompt=login.',
    ),
});

const upstream = said
  .transform(withPreset)
  .refine(
    ({ token_endpoint_auth_method: method, client_secret_environment: name }) =>
      (method === 'none') === (name === undefined),
    {
      path: ['client_secret_environment'],
      message: 'a variable that holds the secret, or token_endpoint_auth_method: none',
    },
  )
  .refine(({ createUsers, createUsersFrom }) => createUsers || createUsersFrom === undefined, {
    path: ['createUsersFrom'],
    message: 'createUsers: true beside it',
  })
  .refine(({ preset, scope }) => preset === 'github' || scope.includes('openid'), {
    path: ['scope'],
    message: 'scopes separated by spaces, openid among them',
  });

type Said = z.output<typeof said>;
type Whole<Key extends keyof Said> = { readonly [Each in Key]-?: NonNullable<Said[Each]> };
type Filled = Omit<Said, FilledKey> & Whole<FilledKey>;
type FilledKey = 'name' | 'label' | 'issuer' | 'token_endpoint_auth_method' | 'scope' | 'usernameClaim' | 'authTime';

const DEFAULTS = {
  token_endpoint_auth_method: 'client_secret_basic',
  scope: ['openid', 'profile', 'email'],
  usernameClaim: 'preferred_username',
  authTime: 'required',
} as const;

/** The keys that the file says, before those of its preset, before the defaults. */
function withPreset(given: Said, { issues }: { readonly issues: z.core.$ZodRawIssue[] }): Filled {
  const { preset } = given;
  const filled = {
    ...DEFAULTS,
    ...(preset && { name: preset, ...PRESETS[preset] }),
    ...given,
  } as Filled;
  if (preset && filled.token_endpoint_auth_method !== 'none') {
    filled.client_secret_environment ??= `${preset.toUpperCase()}_CLIENT_SECRET`;
  }
  for (const key of ['name', 'label', 'issuer'] as const) {
    if (filled[key] === undefined) {
      issues.push({ code: 'invalid_type', expected: 'string', input: undefined, path: [key] });
    }
  }
  return filled;
}

/** `upstreams.yaml`: identity providers. The file is optional. */
export const upstreamsSchema = z.strictObject({
  upstreams: z
    .array(upstream)
    .max(20)
    .describe('Each is a button on the sign-in page, in this order.')
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'each name once'),
});

export type Upstream = z.output<typeof upstream>;
export type UpstreamsFile = z.output<typeof upstreamsSchema>;
export const NO_UPSTREAMS: UpstreamsFile = { upstreams: [] };

/** `delegated-sign-in.yaml`: delegated sign-in. The file is optional. */
export const delegatedSignInSchema = z.strictObject({
  url: expecting(z.string().max(1024).refine(isSafeAddress), SAFE).describe(
    'The URL to which the server redirects the browser, with a parameter `reference`.',
  ),
  show: z
    .enum(['button', 'instead'])
    .default('button')
    .describe(
      'button: beside the sign-in form. instead: the server redirects the browser immediately, without a sign-in form.',
    ),
  label: label.default('your account').describe('Of the button: "Continue with {label}".'),
  createUsers: z
    .boolean()
    .default(false)
    .describe('true: an answer with an unknown username registers a just-in-time user.'),
  lifetimeSeconds: z.int().min(60).max(3600).default(600).describe('From the redirect to the return of the browser.'),
});

export type DelegatedSignIn = z.output<typeof delegatedSignInSchema>;
