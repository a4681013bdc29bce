/**
 * The metadata of the server (RFC 8414 §2, OpenID Connect Discovery §3, RFC 9728 §2). It lists only supported features.
 */
import type { ClaimsPolicy } from '../../policies/claims-schema.ts';
import type { Resource } from '../../policies/schema.ts';
import type { KeyRing } from '../crypto/signing-keys.ts';
import { AUTHENTICATION_CLASSES } from '../oauth/authentication-methods.ts';
import { STANDARD_CLAIMS } from '../oauth/claims.ts';
import { SECRET_METHODS } from '../oauth/client-methods.ts';
import { supportedPrompts } from '../oauth/prompt.ts';
import { CLIENT_SIGNING_ALGORITHMS } from '../oauth/signing-algorithms.ts';
import { urlUnder } from '../oauth/urls.ts';
import { RESPONSE_MODES } from './authorization-request.ts';
import { type ClientCertificates, tlsMethodsOf } from './client-certificate.ts';
import { DPOP_ALGORITHMS } from './dpop.ts';
import { releasableClaims } from './released-claims.ts';
import { OFFLINE_ACCESS } from './requested-access.ts';
import { type SignUpFacts, signUpIsOpen } from './sign-up-is-open.ts';
import { GRANT_TYPES } from './token-request.ts';

type Document = Readonly<Record<string, unknown>>;
export type MetadataDeps = SignUpFacts & {
  readonly issuer: string;
  readonly keyRing: KeyRing;
  readonly clientCertificates?: ClientCertificates | null;
  /** The languages of the pages: tags of BCP 47. */
  readonly uiLocales: readonly string[];
};

const CONFIDENTIAL = [...SECRET_METHODS, 'private_key_jwt'];

/** The same document for OAuth and for OpenID Connect. */
export function serverMetadata(deps: MetadataDeps): Document {
  const { issuer, configuration, email, keyRing, uiLocales, clientCertificates } = deps;
  const confidential = [...CONFIDENTIAL, ...tlsMethodsOf(clientCertificates)];
  const clientAuthentication = [...confidential, 'none'];
  const { resources, identity, claims, branding, registration } = configuration();
  const { terms, privacy } = branding.links;
  const scopes = [identity, ...resources].flatMap((one) => one.scopes.map((scope) => scope.name));
  const algorithms = keyRing.published().map((one) => one['alg']);
  return {
    issuer,
    authorization_endpoint: urlUnder(issuer, '/oauth/authorize'),
    token_endpoint: urlUnder(issuer, '/oauth/token'),
    userinfo_endpoint: urlUnder(issuer, '/oauth/userinfo'),
    // RFC 9126 §5.
    pushed_authorization_request_endpoint: urlUnder(issuer, '/oauth/par'),
    require_pushed_authorization_requests: configuration().signIn.requirePushedAuthorizationRequests,
    revocation_endpoint: urlUnder(issuer, '/oauth/revoke'),
    introspection_endpoint: urlUnder(issuer, '/oauth/introspect'),
    end_session_endpoint: urlUnder(issuer, '/oauth/logout'),
    jwks_uri: urlUnder(issuer, '/.well-known/jwks.json'),
    scopes_supported: [...new Set([...scopes, OFFLINE_ACCESS])],
    response_types_supported: ['code'],
    response_modes_supported: Object.keys(RESPONSE_MODES),
    // JARM §4.
    authorization_signing_alg_values_supported: [...new Set(algorithms)],
    grant_types_supported: [...GRANT_TYPES.keys()],
    token_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    introspection_endpoint_auth_methods_supported: confidential,
    // RFC 8414 §2: with private_key_jwt, each of them MUST be present.
    token_endpoint_auth_signing_alg_values_supported: CLIENT_SIGNING_ALGORITHMS,
    revocation_endpoint_auth_signing_alg_values_supported: CLIENT_SIGNING_ALGORITHMS,
    introspection_endpoint_auth_signing_alg_values_supported: CLIENT_SIGNING_ALGORITHMS,
    code_challenge_methods_supported: ['S256'],
    // RFC 9449 §5.1.
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
    ...certificateMetadata(deps),
    authorization_response_iss_parameter_supported: true,

    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(algorithms)],
    claims_supported: [...new Set(['sub', 'iss', 'auth_time', 'acr', ...STANDARD_CLAIMS, ...furtherClaims(claims)])],
    acr_values_supported: AUTHENTICATION_CLASSES,
    prompt_values_supported: supportedPrompts(signUpIsOpen({ configuration, email })),
    ui_locales_supported: uiLocales,
    ...(terms !== undefined && { op_tos_uri: terms }),
    ...(privacy !== undefined && { op_policy_uri: privacy }),
    claims_parameter_supported: false,
    // RFC 9101 §10.5 and Discovery §3: of a client with keys, by value.
    request_parameter_supported: true,
    request_object_signing_alg_values_supported: CLIENT_SIGNING_ALGORITHMS,
    require_signed_request_object: false,
    ...(registration.dynamicRegistration !== undefined && {
      registration_endpoint: urlUnder(issuer, '/oauth/register'),
    }),
    // CIMD §6.
    ...(registration.metadataDocuments !== undefined && { client_id_metadata_document_supported: true }),
    // Discovery §3: "If omitted, the default value is true."
    request_uri_parameter_supported: false,
  };
}

/** RFC 8705 §3.3 and §5. */
function certificateMetadata({
  issuer,
  clientCertificates,
}: Pick<MetadataDeps, 'issuer' | 'clientCertificates'>): Document {
  if (!clientCertificates) return {};
  const { aliasOrigin } = clientCertificates;
  const aliasOf = (path: string) => `${aliasOrigin}${new URL(urlUnder(issuer, path)).pathname}`;
  return {
    tls_client_certificate_bound_access_tokens: true,
    ...(aliasOrigin !== null && {
      mtls_endpoint_aliases: Object.fromEntries(ALIASED.map(([name, path]) => [name, aliasOf(path)])),
    }),
  };
}

/** The endpoints at which a client authenticates, or presents a bound access token. */
const ALIASED = [
  ['token_endpoint', '/oauth/token'],
  ['revocation_endpoint', '/oauth/revoke'],
  ['introspection_endpoint', '/oauth/introspect'],
  ['pushed_authorization_request_endpoint', '/oauth/par'],
  ['userinfo_endpoint', '/oauth/userinfo'],
] as const;

/** The custom claims that clients can receive. Claims in access tokens alone are for APIs. */
const furtherClaims = (claims: ClaimsPolicy): readonly string[] =>
  (['userinfo', 'id_token'] as const).flatMap((place) => [...releasableClaims(claims, place).values()].flat());

/** RFC 9728 §2, of the UserInfo Endpoint. */
export function resourceMetadata({
  issuer,
  configuration,
  clientCertificates,
}: Pick<MetadataDeps, 'issuer' | 'configuration' | 'clientCertificates'>): Document {
  return {
    ...metadataOf(issuer, configuration().identity),
    bearer_methods_supported: ['header', 'body'],
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
    ...(clientCertificates && { tls_client_certificate_bound_access_tokens: true }),
  };
}

/** RFC 9728 §2, of the management API. */
export function managementMetadata({ issuer, configuration, clientCertificates }: MetadataDeps): Document {
  const { management } = configuration();
  return {
    ...metadataOf(issuer, management),
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
    ...(clientCertificates && { tls_client_certificate_bound_access_tokens: true }),
    resource_documentation: `${management.identifier}/reference`,
  };
}

const metadataOf = (issuer: string, { identifier, scopes, name }: Resource): Document => ({
  resource: identifier,
  authorization_servers: [issuer],
  scopes_supported: scopes.map((scope) => scope.name),
  resource_name: name,
});
