/** One client as JSON, with the names of RFC 7591 §2, and what each field may hold. */
import { z } from 'zod';
import type { Configuration } from '../config/configuration.ts';
import { DEFAULT_POLICY } from '../config/configuration.ts';
import { SHORT_SECRET_CHARACTERS } from '../crypto/client-secret.ts';
import { type RawSecret, rawSecret } from '../crypto/secret-types.ts';
import { parseScope } from '../oauth/scope.ts';
import type { ClientRegistration } from '../storage/clients.ts';
import { reviewClient } from './client-review.ts';
import {
  isJsonObject,
  isPlainText,
  nearestField,
  notAnObject,
  printable,
  problemsOf,
  type Reading,
  withoutNulls,
} from './record-problem.ts';

/** What a record says about a client; the parts that only the server can make are null where it says nothing. */
export type ClientMetadata = Omit<ClientRegistration, 'clientId' | 'clientName' | 'secretMacs'> & {
  readonly clientId: string | null;
  /** Null: the client's id. */
  readonly clientName: string | null;
  readonly secret: RawSecret | null;
};

const SIGNING_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;
const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const;

/** Redirect URIs and scopes as long as the authorization endpoint takes them. */
const LONGEST_REDIRECT_URI = 2048;
const LONGEST_SCOPE = 4096;

const scope = z.string().max(LONGEST_SCOPE).transform(parseScope).pipe(z.array(z.string()));

const clientMetadataSchema = z.object({
  // RFC 6749 appendix A.1 and A.2: *VSCHAR; a secret is used as it is, spaces at its ends included.
  client_id: z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/)
    .optional(),
  client_secret: z
    .string()
    .regex(/^[\x20-\x7e]{1,1024}$/)
    .optional(),
  client_name: z.string().min(1).max(200).refine(isPlainText).optional(),
  redirect_uris: z.array(z.string().max(LONGEST_REDIRECT_URI)).default([]),
  // RFC 7591 §2: "If omitted, the default behavior is that the client will use only the authorization_code Grant Type."
  grant_types: z.array(z.enum(GRANT_TYPES)).min(1).default(['authorization_code']),
  response_types: z.array(z.literal('code')).max(1).optional(),
  // RFC 7591 §2: "If unspecified or omitted, the default is client_secret_basic".
  token_endpoint_auth_method: z
    .enum(['client_secret_basic', 'client_secret_post', 'none'])
    .default('client_secret_basic'),
  application_type: z.enum(['web', 'native']).default('web'),
  scope: scope.optional(),
  default_scope: scope.optional(),
  default_resource: z.string().min(1).max(512).optional(),
  policy: z.string().default(DEFAULT_POLICY),
  // RP-Initiated Logout §3.1.
  post_logout_redirect_uris: z.array(z.string().max(LONGEST_REDIRECT_URI)).default([]),
  // OpenID Connect Registration §2: "The default, if omitted, is RS256."
  id_token_signed_response_alg: z.enum(SIGNING_ALGORITHMS).default('RS256'),
});

export const CLIENT_FIELDS = Object.keys(clientMetadataSchema.shape);

export function readClientMetadata(input: unknown, configuration: Configuration): Reading<ClientMetadata> {
  if (!isJsonObject(input)) return notAnObject(input, 'an object with the fields of RFC 7591');
  const record = withoutNulls(input);
  const parsed = clientMetadataSchema.safeParse(record);
  if (!parsed.success) return { ok: false, problems: problemsOf(parsed.error.issues, record, WORDS) };
  const metadata = fromNames(parsed.data);
  const { errors, warnings } = reviewClient(metadata, configuration);
  if (metadata.secret !== null && metadata.tokenEndpointAuthMethod === 'none') {
    errors.push({ field: 'client_secret', found: 'a secret', allowed: 'none with token_endpoint_auth_method "none"' });
  }
  if (errors.length > 0) return { ok: false, problems: errors };
  return { ok: true, value: metadata, warnings: [...ignoredFields(record), ...secretWarnings(metadata), ...warnings] };
}

function fromNames(record: z.infer<typeof clientMetadataSchema>): ClientMetadata {
  return {
    clientId: record.client_id ?? null,
    clientName: record.client_name ?? null,
    secret: record.client_secret === undefined ? null : rawSecret(record.client_secret),
    applicationType: record.application_type,
    tokenEndpointAuthMethod: record.token_endpoint_auth_method,
    redirectUris: [...new Set(record.redirect_uris)],
    grantTypes: [...new Set(record.grant_types)],
    scope: record.scope ?? null,
    defaultScope: record.default_scope ?? null,
    defaultResource: record.default_resource ?? null,
    policy: record.policy,
    postLogoutRedirectUris: [...new Set(record.post_logout_redirect_uris)],
    idTokenSignedResponseAlg: record.id_token_signed_response_alg,
  };
}

/** The names of RFC 7591 again; a secret is never part of it. What this gives, `clients import` takes. */
export function toNames(client: Omit<ClientRegistration, 'secretMacs'>): Record<string, unknown> {
  return {
    client_id: client.clientId,
    client_name: client.clientName,
    application_type: client.applicationType,
    token_endpoint_auth_method: client.tokenEndpointAuthMethod,
    redirect_uris: client.redirectUris,
    grant_types: client.grantTypes,
    ...(client.scope && { scope: client.scope.join(' ') }),
    ...(client.defaultScope && { default_scope: client.defaultScope.join(' ') }),
    ...(client.defaultResource !== null && { default_resource: client.defaultResource }),
    policy: client.policy,
    ...(client.postLogoutRedirectUris.length > 0 && { post_logout_redirect_uris: client.postLogoutRedirectUris }),
    ...(client.idTokenSignedResponseAlg !== 'RS256' && {
      id_token_signed_response_alg: client.idTokenSignedResponseAlg,
    }),
  };
}

/** RFC 7591 §2: "The authorization server MUST ignore any client metadata sent by the client that it does not understand". */
function ignoredFields(record: Readonly<Record<string, unknown>>): string[] {
  const ignored = Object.keys(record).filter((name) => !CLIENT_FIELDS.includes(name));
  return ignored.map((name) => {
    const nearest = nearestField(name, CLIENT_FIELDS);
    return `${printable(name)}: ignored, Statehouse does not use it${nearest ? ` (did you mean "${nearest}"?)` : ''}`;
  });
}

function secretWarnings({ secret, applicationType }: ClientMetadata): string[] {
  if (secret === null) return [];
  const warnings: string[] = [];
  if (secret.length < SHORT_SECRET_CHARACTERS) {
    warnings.push(
      `client_secret: ${secret.length} characters are few; use ${SHORT_SECRET_CHARACTERS} or more random ones`,
    );
  }
  // RFC 8252 §8.5: secrets shipped to many people are no secrets.
  if (applicationType === 'native') {
    warnings.push(
      'client_secret: a native app cannot keep a secret (RFC 8252 §8.5); use token_endpoint_auth_method "none"',
    );
  }
  return warnings;
}

const REFUSED_GRANT_TYPES: ReadonlyMap<unknown, string> = new Map([
  ['implicit', '"authorization_code" with PKCE; the implicit grant is not part of OAuth 2.1 (§10.1)'],
  [
    'password',
    '"authorization_code", or "client_credentials" for a service; the password grant is not part of OAuth 2.1 (§10)',
  ],
]);

const ALLOWED: Readonly<Record<string, string>> = {
  client_id: '1 to 255 characters of %x20-7E',
  client_secret: '1 to 1024 characters of %x20-7E',
  client_name: '1 to 200 characters without control characters',
  redirect_uris: `a list of absolute URIs of at most ${LONGEST_REDIRECT_URI} characters`,
  grant_types: `a list of ${GRANT_TYPES.map((one) => `"${one}"`).join(', ')}`,
  response_types: '["code"], or [] for a client that signs nobody in',
  token_endpoint_auth_method: '"client_secret_basic", "client_secret_post" or, for public clients, "none"',
  application_type: '"web" or "native"',
  scope: `scope tokens separated by spaces (RFC 6749 §3.3), at most ${LONGEST_SCOPE} characters`,
  default_scope: `scope tokens separated by spaces (RFC 6749 §3.3), at most ${LONGEST_SCOPE} characters`,
  default_resource: 'the identifier of a resource in resources.yaml',
  policy: 'the name of a policy file',
  post_logout_redirect_uris: `a list of absolute URIs of at most ${LONGEST_REDIRECT_URI} characters`,
  id_token_signed_response_alg: SIGNING_ALGORITHMS.map((one) => `"${one}"`).join(', '),
};

const WORDS = {
  allowed: (field: string, found: unknown) =>
    (field === 'grant_types' && REFUSED_GRANT_TYPES.get(found)) || (ALLOWED[field] ?? ''),
  isSecret: (field: string) => field === 'client_secret',
};
