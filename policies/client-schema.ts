/**
 * A client, described once: the name of each field (RFC 7591 §2), its bounds, its default, and the texts that people read
 * about it. The type `Client`, the options of `clients create`, the import, `clients.yaml`
 * and its JSON Schema, `clients show` and the error texts derive from this file. To add a field: CONTRIBUTING.md.
 */
import { z } from 'zod';
import { CLIENT_METHODS } from '../src/oauth/client-methods.ts';
import { readDistinguishedName } from '../src/oauth/distinguished-name.ts';
import { formatScope, parseScope } from '../src/oauth/scope.ts';
import { CLIENT_SIGNING_ALGORITHMS, SIGNING_ALGORITHMS } from '../src/oauth/signing-algorithms.ts';
import { type Expectation, expectations, expecting, expectingSecret } from './expectations.ts';
import { isPlainText } from './plain-text.ts';

export type FieldWords = {
  /** The meaning of the field, in sentences: for the help of the commands and for the JSON Schema. */
  readonly description: string;
  /** The default of the field, where the schema itself has none. */
  readonly leftOut?: string;
  /** The option of `clients create`, as commander reads it. The option of a list can be repeated. */
  readonly option?: string;
  /** The name of the row in `clients show`. Default: the field's name, with spaces. */
  readonly label?: string;
  /** Documents have the field even when it holds its default. */
  readonly alwaysWritten?: true;
};

export const clientFieldWords = z.registry<FieldWords>();

/** Registers the texts about a field. A default completes the description. */
function field<Schema extends z.ZodType>(schema: Schema, words: FieldWords & Expectation): Schema {
  const { expected, insteadOf, secret, ...rest } = words;
  const whenLeftOut = words.leftOut ?? defaultIn(schema);
  const description = whenLeftOut === null ? words.description : `${words.description} Default: ${whenLeftOut}.`;
  const described = schema.describe(description);
  clientFieldWords.add(described, { ...rest, description });
  // Without these, the schema or its items say what is expected.
  if (expected || insteadOf || secret) expectations.add(described, { expected, insteadOf, secret });
  return described;
}

function defaultIn(schema: z.ZodType): string | null {
  if (!(schema instanceof z.ZodDefault)) return null;
  const value: unknown = schema.def.defaultValue;
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(', ');
  return String(value);
}

export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const;

/** The policy of clients that name no policy. */
export const DEFAULT_POLICY = 'default';

/** As long as the authorization endpoint accepts. */
const MAX_REDIRECT_URI_CHARACTERS = 2048;
const MAX_SCOPE_CHARACTERS = 4096;

const eachOnce = <Item>(list: readonly Item[]): Item[] => [...new Set(list)];

const redirectUris = z
  .array(
    expecting(
      z.string().max(MAX_REDIRECT_URI_CHARACTERS).meta({ format: 'uri' }),
      `an absolute URI of at most ${MAX_REDIRECT_URI_CHARACTERS} characters`,
    ),
  )
  .overwrite(eachOnce);

/** A page or an image of the client. Nothing of it is secret, and no browser is sent there with anything. */
export const webAddress = z
  .string()
  .max(MAX_REDIRECT_URI_CHARACTERS)
  // Browsers read a backslash as a slash: another host than the one that people read.
  .regex(/^ *[Hh][Tt][Tt][Pp][Ss]:[^\\]+$/)
  .refine((text) => {
    if (!URL.canParse(text) || !isPlainText(text)) return false;
    const { protocol, username, password } = new URL(text);
    return protocol === 'https:' && username === '' && password === '';
  });
const WEB_ADDRESS_EXPECTED = `an https: URL of at most ${MAX_REDIRECT_URI_CHARACTERS} characters, without a username`;

/** RFC 6749 §3.3: scope-token *( SP scope-token ). Extra spaces are accepted. */
const scopeText = z
  .string()
  .max(MAX_SCOPE_CHARACTERS)
  .regex(/^ *[\x21\x23-\x5b\x5d-\x7e]+( +[\x21\x23-\x5b\x5d-\x7e]+)* *$/);
const scope = z.codec(scopeText, z.array(z.string()), {
  decode: (text) => parseScope(text) ?? [],
  encode: formatScope,
});
const SCOPE_EXPECTED = `scope tokens separated by spaces (RFC 6749 §3.3), at most ${MAX_SCOPE_CHARACTERS} characters`;

/** More than a client has while it replaces a key. The server tries no more for one request. */
export const MAX_CLIENT_KEYS = 10;
/** Of a modulus of 4096 bits, in base64url. */
const MAX_KEY_MEMBER_CHARACTERS = 683;

/** In base64 (RFC 7517 §4.7). The first alone counts; the others are its chain. */
const MAX_CERTIFICATE_CHARACTERS = 8192;
const MAX_CLIENT_CERTIFICATES = 10;

const keyMember = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/)
  .max(MAX_KEY_MEMBER_CHARACTERS)
  .optional();
/** RFC 7518 §6.2.2, §6.3.2 and §6.4.1: the holder of one of these signs as the client. */
export const PRIVATE_KEY_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const;
const privateMember = expectingSecret(z.never().optional(), 'no private or symmetric key: a public key alone');

/** Of a certificate (RFC 8705 §2.1.2). */
const certificateName = z
  .string()
  .min(1)
  .max(1024)
  .refine((text) => isPlainText(text));

/** OpenID Connect Core §2, RFC 8414 §2: compared as an exact string. */
const platformIssuer = webAddress.regex(/^https:\/\/[^\s?#]+$/);

/** SPIFFE-ID §2: a trust domain and a path. */
const SPIFFE_ID = /^spiffe:\/\/[a-z0-9._-]{1,255}(\/[A-Za-z0-9._-]+)+$/;
const workloadSubject = z
  .string()
  .regex(/^[^\s*]([^*]*[^\s*])?$/)
  .max(1024)
  .refine((text) => isPlainText(text) && (!/^spiffe:/i.test(text) || SPIFFE_ID.test(text)));

/** RFC 7517 §4. Members that this server does not use are left out: "they MUST be ignored". */
export const clientKeySchema = z.object({
  kty: z.enum(['EC', 'OKP', 'RSA']),
  kid: z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/, '1 to 255 characters of %x20-7E')
    .optional(),
  // jwt-svid: of a SPIFFE bundle, for the workloads of its trust domain.
  use: z.enum(['sig', 'jwt-svid']).optional(),
  key_ops: z.array(z.literal('verify')).max(1).optional(),
  alg: z.enum(CLIENT_SIGNING_ALGORITHMS).optional(),
  // The last two: of certificates alone (RFC 8705 §2.2).
  crv: z.enum(['P-256', 'Ed25519', 'P-384', 'P-521']).optional(),
  x: keyMember,
  y: keyMember,
  n: keyMember,
  e: keyMember,
  // RFC 7517 §4.7 and §4.9: a client that authenticates with a certificate of its own registers it so (RFC 8705 §2.2.2).
  x5c: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z0-9+/]+={0,2}$/)
        .max(MAX_CERTIFICATE_CHARACTERS),
    )
    .min(1)
    .max(MAX_CLIENT_CERTIFICATES)
    .optional(),
  'x5t#S256': z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .optional(),
  ...(Object.fromEntries(PRIVATE_KEY_MEMBERS.map((name) => [name, privateMember])) as Readonly<
    Record<(typeof PRIVATE_KEY_MEMBERS)[number], typeof privateMember>
  >),
});

/** A record about a client, as JSON. RFC 7591 §2: fields that the server does not understand are ignored. */
export const clientRecordSchema = z.object({
  // RFC 6749 appendix A.1: *VSCHAR.
  client_id: field(
    z
      .string()
      .regex(/^[\x20-\x7e]{1,255}$/)
      // In the path of a URL, both lead to another resource, also percent-encoded: such a client could not be shown or deleted.
      .refine((id) => id !== '.' && id !== '..')
      .optional(),
    {
      description: 'Names the client.',
      expected: '1 to 255 characters of %x20-7E, and neither "." nor ".."',
      option: '--id <id>',
    },
  ),
  client_name: field(
    z
      .string()
      .min(1)
      .max(200)
      .refine((name) => isPlainText(name) && name.trim() !== '')
      .optional(),
    {
      description: 'Shown at sign-in and consent.',
      expected: '1 to 200 characters without control characters, not only spaces',
      leftOut: 'the client_id',
      option: '--name <name>',
      label: 'name',
    },
  ),
  application_type: field(z.enum(['web', 'native']).default('web'), {
    description: 'native: an app on a device; its loopback redirect URI may use any port (RFC 8252 §7.3).',
    option: '--application-type <type>',
    alwaysWritten: true,
  }),
  // RFC 7591 §2: "If unspecified or omitted, the default is client_secret_basic".
  token_endpoint_auth_method: field(z.enum(CLIENT_METHODS).default('client_secret_basic'), {
    description:
      'How the client authenticates. private_key_jwt: with a key of its own, whose public half is in jwks or at jwks_uri. tls_client_auth: with a TLS client certificate of a certificate authority, which a field tls_client_auth_… names. self_signed_tls_client_auth: with a TLS client certificate whose key is in jwks or at jwks_uri. workload_jwt: with the token that a platform, such as Kubernetes or SPIFFE, gives to its workload; the keys of the platform are in jwks or at jwks_uri. none: a public client, which cannot keep a secret.',
    option: '--auth-method <method>',
    label: 'authenticates',
    alwaysWritten: true,
  }),
  // RFC 6749 appendix A.2: *VSCHAR. The secret is used as it is, leading and trailing spaces included.
  client_secret: field(
    z
      .string()
      .regex(/^[\x20-\x7e]{1,1024}$/)
      .optional(),
    {
      description: 'The secret of a confidential client; only a keyed hash of it is kept.',
      expected: '1 to 1024 characters of %x20-7E',
      leftOut: 'the stored secret, or a new random secret',
      secret: true,
    },
  ),
  // RFC 7591 §2: "The "jwks_uri" and "jwks" parameters MUST NOT both be present in the same request or response."
  jwks: field(z.object({ keys: z.array(clientKeySchema).min(1).max(MAX_CLIENT_KEYS) }).optional(), {
    description:
      'The public keys of a client that authenticates with private_key_jwt or self_signed_tls_client_auth, as a JWK Set (RFC 7517). With workload_jwt: those of the platform.',
    leftOut: 'the keys at jwks_uri',
    option: '--jwks <json>',
    label: 'keys',
  }),
  jwks_uri: field(webAddress.optional(), {
    description:
      'Where the client, or with workload_jwt its platform, publishes its public keys, as a JWK Set. This server fetches them when the client authenticates.',
    expected: WEB_ADDRESS_EXPECTED,
    option: '--jwks-uri <uri>',
    label: 'keys at',
  }),
  // OpenID Connect Registration §2.
  token_endpoint_auth_signing_alg: field(z.enum(CLIENT_SIGNING_ALGORITHMS).optional(), {
    description:
      'The one algorithm by which the client signs its assertions. RS256 counts only where it stands here, and always for the token of a workload.',
    leftOut: 'ES256, PS256 or EdDSA, by the key',
    option: '--auth-signing-alg <alg>',
    label: 'signs with',
  }),
  // RFC 9101 §10.5.
  require_signed_request_object: field(z.boolean().default(false), {
    description:
      'true: the client signs each authorization request with one of its keys (RFC 9101), also where it pushes the request.',
    option: '--require-signed-request-object <true|false>',
    label: 'signed requests',
  }),
  // OpenID Connect Registration §2.
  request_object_signing_alg: field(z.enum(CLIENT_SIGNING_ALGORITHMS).optional(), {
    description:
      'The one algorithm by which the client signs its request objects. RS256 counts only where it stands here.',
    leftOut: 'ES256, PS256 or EdDSA, by the key',
    option: '--request-object-signing-alg <alg>',
    label: 'signs requests with',
  }),
  // JARM §3: "The default, if omitted, is RS256."
  authorization_signed_response_alg: field(z.enum(SIGNING_ALGORITHMS).optional(), {
    description:
      'How authorization responses are signed, where the client asks for a signed one by response_mode (JARM).',
    leftOut: 'RS256, and ES256 under a policy with a profile',
    option: '--authorization-signed-response-alg <alg>',
    label: 'signed responses',
  }),
  // RFC 8705 §2.1.2.
  tls_client_auth_subject_dn: field(certificateName.refine((text) => readDistinguishedName(text) !== null).optional(), {
    description: 'tls_client_auth: the subject of the certificate.',
    expected: 'a distinguished name (RFC 4514), such as CN=billing,O=Example,C=DE, without #-encoded values',
    option: '--tls-client-auth-subject-dn <dn>',
    label: 'certificate subject',
  }),
  tls_client_auth_san_dns: field(certificateName.regex(/^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$/).optional(), {
    description: 'tls_client_auth: a dNSName of the certificate. A wildcard of the certificate matches itself alone.',
    expected: 'a DNS name, such as billing.example.com',
    option: '--tls-client-auth-san-dns <name>',
    label: 'certificate DNS name',
  }),
  tls_client_auth_san_uri: field(certificateName.refine((text) => URL.canParse(text)).optional(), {
    description: 'tls_client_auth: a uniformResourceIdentifier of the certificate, compared as an exact string.',
    expected: 'a URI, such as spiffe://example.org/billing',
    option: '--tls-client-auth-san-uri <uri>',
    label: 'certificate URI',
  }),
  tls_client_auth_san_ip: field(z.union([z.ipv4(), z.ipv6()]).optional(), {
    description: 'tls_client_auth: an iPAddress of the certificate. The octets are compared.',
    expected: 'an IPv4 or IPv6 address',
    option: '--tls-client-auth-san-ip <address>',
    label: 'certificate IP address',
  }),
  tls_client_auth_san_email: field(certificateName.regex(/^[^@\s]+@[^@\s]+$/).optional(), {
    description: 'tls_client_auth: an rfc822Name of the certificate. Upper and lower case differ before the @ alone.',
    expected: 'an email address',
    option: '--tls-client-auth-san-email <email>',
    label: 'certificate email',
  }),
  workload_issuer: field(platformIssuer.optional(), {
    description: 'workload_jwt: the iss of the tokens of the workload, compared as an exact string.',
    expected: `an https: URL of at most ${MAX_REDIRECT_URI_CHARACTERS} characters, without a username, query and fragment`,
    option: '--workload-issuer <url>',
    label: 'workload issuer',
  }),
  workload_subject: field(workloadSubject.optional(), {
    description: 'workload_jwt: the sub of these tokens, compared as an exact string.',
    expected:
      'an exact subject without *, such as system:serviceaccount:shop:api or the SPIFFE ID spiffe://example.org/shop/api',
    option: '--workload-subject <sub>',
    label: 'workload subject',
  }),
  redirect_uris: field(redirectUris.default([]), {
    description: 'Where authorization codes are sent. Compared as exact strings.',
    option: '--redirect-uri <uri>',
    label: 'redirect URIs',
    alwaysWritten: true,
  }),
  // RFC 7591 §2: "If omitted, the default behavior is that the client will use only the authorization_code Grant Type."
  grant_types: field(
    z
      .array(
        z.enum(GRANT_TYPES).register(expectations, {
          insteadOf: {
            implicit: '"authorization_code" with PKCE (the implicit grant is not part of OAuth 2.1, §10.1)',
            password:
              '"authorization_code", or "client_credentials" for a service (the password grant is not part of OAuth 2.1, §10)',
          },
        }),
      )
      .min(1)
      .overwrite(eachOnce)
      .default(['authorization_code']),
    { description: 'The grant types that the client may use.', option: '--grant-type <type>', alwaysWritten: true },
  ),
  response_types: field(z.array(z.literal('code')).max(1).optional(), {
    description: 'Read, and not stored: grant_types says the same.',
    expected: '["code"], or [] for a client that signs no end-user in',
  }),
  scope: field(scope.optional(), {
    description: 'The most that the client may ask for, separated by spaces.',
    expected: SCOPE_EXPECTED,
    leftOut: 'all scopes of the resources',
    option: '--scope <scopes>',
  }),
  default_scope: field(scope.optional(), {
    description: 'Meant when the client asks for no scope.',
    expected: SCOPE_EXPECTED,
    leftOut: 'the whole scope',
    option: '--default-scope <scopes>',
  }),
  default_resource: field(z.string().min(1).max(512).optional(), {
    description: 'Meant when the client names no resource.',
    expected: 'the identifier of a resource in resources.yaml',
    leftOut: 'the default resource of resources.yaml',
    option: '--default-resource <uri>',
  }),
  policy: field(z.string().default(DEFAULT_POLICY), {
    description: 'NAME of NAME.policy.yaml, which gives the lifetimes.',
    expected: 'the name of a policy file',
    option: '--policy <name>',
    alwaysWritten: true,
  }),
  consent: field(z.enum(['ask', 'skip']).default('ask'), {
    description:
      'skip: a client of your own team, for which the server shows no consent page. Other apps can pose as a public client without an https redirect URI (RFC 8252 §8.6), so the server asks there in any case.',
    option: '--consent <mode>',
  }),
  // RP-Initiated Logout §3.1.
  post_logout_redirect_uris: field(redirectUris.default([]), {
    description: 'Where the browser may go after a sign-out (RP-Initiated Logout). Compared as exact strings.',
    option: '--post-logout-redirect-uri <uri>',
    label: 'after a sign-out',
  }),
  // OpenID Connect Registration §2: "The default, if omitted, is RS256."
  id_token_signed_response_alg: field(z.enum(SIGNING_ALGORITHMS).default('RS256'), {
    description: 'How the ID Tokens of the client are signed.',
    option: '--id-token-alg <alg>',
    label: 'ID Tokens',
  }),
  // RFC 9449 §5.2.
  dpop_bound_access_tokens: field(z.boolean().default(false), {
    description:
      'true: the client gets access tokens that are bound to its key alone, and sends a DPoP proof with each token request.',
    option: '--dpop-bound-access-tokens <true|false>',
    label: 'DPoP-bound access tokens',
  }),
  // RFC 9126 §6.
  require_pushed_authorization_requests: field(z.boolean().default(false), {
    description:
      'true: the client pushes its authorization requests. The server rejects a request whose parameters come with the browser.',
    option: '--require-pushed-authorization-requests <true|false>',
    label: 'authorization requests',
  }),
  // RFC 8705 §3.4.
  tls_client_certificate_bound_access_tokens: field(z.boolean().default(false), {
    description:
      'true: the client gets access tokens that are bound to its TLS client certificate alone, and connects with it for each token request.',
    option: '--tls-client-certificate-bound-access-tokens <true|false>',
    label: 'certificate-bound access tokens',
  }),
  // RFC 7591 §2.
  logo_uri: field(webAddress.optional(), {
    description:
      'An image that is shown at consent: PNG, JPEG, WebP or GIF, at most 256 KiB. This server fetches it and serves it itself.',
    expected: WEB_ADDRESS_EXPECTED,
    option: '--logo-uri <uri>',
    label: 'logo',
  }),
  client_uri: field(webAddress.optional(), {
    description: 'The home page of the client. A page that ends a sign-in links to it.',
    expected: WEB_ADDRESS_EXPECTED,
    option: '--client-uri <uri>',
    label: 'home page',
  }),
  // OpenID Connect Core §4, Registration §2.
  initiate_login_uri: field(webAddress.optional(), {
    description:
      'Where the client starts a sign-in again; it gets the issuer as iss. A page that ends a sign-in links to it instead of client_uri.',
    expected: WEB_ADDRESS_EXPECTED,
    option: '--initiate-login-uri <uri>',
    label: 'starts a sign-in at',
  }),
  tos_uri: field(webAddress.optional(), {
    description: 'The terms of service of the client, linked at consent.',
    expected: WEB_ADDRESS_EXPECTED,
    option: '--tos-uri <uri>',
    label: 'terms of service',
  }),
  policy_uri: field(webAddress.optional(), {
    description: 'How the client uses the data of the end-user, linked at consent.',
    expected: WEB_ADDRESS_EXPECTED,
    option: '--policy-uri <uri>',
    label: 'privacy policy',
  }),
});

/** Fields of a record that have no column. */
export const NOT_STORED = { client_secret: true, response_types: true } as const;

/**
 * `clients.yaml`: clients that are declared in configuration. They have the fields of a record, except that a file never
 * contains a secret. A client that is removed from the file is deleted.
 */
export const clientsSchema = z.strictObject({
  clients: z
    .array(
      z.strictObject({
        ...clientRecordSchema.omit(NOT_STORED).required({ client_id: true }).shape,
        client_secret: z
          .never()
          .register(expectations, {
            expected:
              'no secret in this file: client_secret_environment names the variable that holds it, or client_secret_sha256 has its SHA-256',
            secret: true,
          })
          .optional()
          .describe('Never in this file: use client_secret_environment or client_secret_sha256.'),
        client_secret_environment: z
          .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable'))
          .min(1)
          .max(2)
          .optional()
          .describe('Environment variables that hold the secret; two while it is being rotated.'),
        client_secret_sha256: z
          .array(z.string().regex(/^[0-9a-f]{64}$/, '64 lower-case hexadecimal digits'))
          .min(1)
          .max(2)
          .optional()
          .describe('SHA-256 of the secret, for secrets that were made at random: printf %s "$SECRET" | sha256sum'),
      }),
    )
    .refine((all) => new Set(all.map((client) => client.client_id)).size === all.length, 'each client_id once')
    .describe('The clients. Removing a client revokes its grants immediately and permanently.'),
});

export type ClientRecord = z.output<typeof clientRecordSchema>;
/** As written in the file, without defaults. */
export type DeclaredClientRecord = z.input<typeof clientsSchema>['clients'][number];
