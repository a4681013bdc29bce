/** What works here, and where (RFC 8414 §2, OpenID Connect Discovery §3, RFC 9728 §2). Listed only when it works. */
import type { ClaimsPolicy } from '../../policies/claims-schema.ts';
import type { Configuration } from '../config/configuration.ts';
import type { KeyRing } from '../crypto/signing-keys.ts';
import { STANDARD_CLAIMS } from '../oauth/claims.ts';
import { PROMPT_VALUES } from '../oauth/prompt.ts';
import { urlUnder } from '../oauth/urls.ts';
import { SIGNED_IN_BY_PASSWORD } from './id-token.ts';
import { OFFLINE_ACCESS } from './requested-access.ts';
import { GRANT_TYPES } from './token-request.ts';
import { claimsTold } from './told-claims.ts';

type Document = Readonly<Record<string, unknown>>;
export type MetadataDeps = {
  readonly issuer: string;
  readonly configuration: () => Configuration;
  readonly keyRing: KeyRing;
};

const BY_SECRET = ['client_secret_basic', 'client_secret_post'];
const CLIENT_AUTHENTICATION = [...BY_SECRET, 'none'];

/** The same document for OAuth and for OpenID Connect. */
export function serverMetadata({ issuer, configuration, keyRing }: MetadataDeps): Document {
  const { resources, identity, claims } = configuration();
  const scopes = [identity, ...resources].flatMap((one) => one.scopes.map((scope) => scope.name));
  const algorithms = keyRing.published().map((one) => one['alg']);
  return {
    issuer,
    authorization_endpoint: urlUnder(issuer, '/oauth/authorize'),
    token_endpoint: urlUnder(issuer, '/oauth/token'),
    userinfo_endpoint: urlUnder(issuer, '/oauth/userinfo'),
    revocation_endpoint: urlUnder(issuer, '/oauth/revoke'),
    introspection_endpoint: urlUnder(issuer, '/oauth/introspect'),
    end_session_endpoint: urlUnder(issuer, '/oauth/logout'),
    jwks_uri: urlUnder(issuer, '/.well-known/jwks.json'),
    scopes_supported: [...new Set([...scopes, OFFLINE_ACCESS])],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post'],
    grant_types_supported: [...GRANT_TYPES.keys()],
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    introspection_endpoint_auth_methods_supported: BY_SECRET,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,

    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(algorithms)],
    claims_supported: [...new Set(['sub', 'iss', 'auth_time', 'acr', ...STANDARD_CLAIMS, ...furtherClaims(claims)])],
    acr_values_supported: [SIGNED_IN_BY_PASSWORD],
    prompt_values_supported: PROMPT_VALUES,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    // Discovery §3: "If omitted, the default value is true."
    request_uri_parameter_supported: false,
  };
}

/** What this server can tell clients: what is in access tokens alone is for APIs. */
const furtherClaims = (claims: ClaimsPolicy): readonly string[] =>
  (['userinfo', 'id_token'] as const).flatMap((place) => [...claimsTold(claims, place).values()].flat());

/** RFC 9728 §2: the one resource that this server itself guards. */
export function resourceMetadata({ issuer, configuration }: MetadataDeps): Document {
  const { identity } = configuration();
  return {
    resource: identity.identifier,
    authorization_servers: [issuer],
    scopes_supported: identity.scopes.map((one) => one.name),
    bearer_methods_supported: ['header', 'body'],
    resource_name: identity.name,
  };
}
