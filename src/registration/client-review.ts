/**
 * The rules between the fields of a client, and between a client and the configuration. Checked before a client is stored,
 * and again by `statehouse check`, since the configuration may have changed.
 */
import { brokenByClient } from '../../policies/profiles.ts';
import type { Resource } from '../../policies/schema.ts';
import type { Configuration } from '../config/configuration.ts';
import { isLoopback } from '../config/loopback.ts';
import { profileOf } from '../config/own-clients.ts';
import type { RecordProblem } from '../config/problem.ts';
import { oneOf, shown } from '../config/shown.ts';
import {
  isForCertificatesAlone,
  isOfClient,
  KEY_EXPECTED,
  signsWith,
  whatIsWrongWithKey,
} from '../crypto/client-keys.ts';
import { isSpiffeId } from '../crypto/workload-token.ts';
import { type ClientMetadata, hasKeys } from '../model/client.ts';
import { WORKLOAD_METHOD } from '../oauth/client-methods.ts';
import { leadsToThisDevice, whatIsWrongWithRedirectUri } from '../oauth/redirect-uri.ts';
import type { ClientSigningAlgorithm, SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { nearestField, problem } from './record-problem.ts';

export type Review = { readonly errors: RecordProblem[]; readonly warnings: string[] };

type Finding = { readonly error: RecordProblem } | { readonly warning: string };
type Rule = (client: ClientMetadata, configuration: Configuration) => readonly Finding[];

const RULES: readonly Rule[] = [
  clientIdIsNoAudience,
  grantTypesSuitTheClient,
  keysSuitTheClient,
  keysAreUsable,
  certificateIsNamed,
  workloadIsNamed,
  redirectUrisAreSafe,
  postLogoutRedirectUrisAreSafe,
  policyIsDefined,
  profileIsKept,
  idTokenAlgorithmSigns,
  responseAlgorithmSigns,
  defaultResourceIsKnown,
  defaultScopeIsWithinScope,
  scopesAreDescribed,
  administrationIsNoDefault,
  identityScopesCanBeGranted,
  userInfoOpens,
];

export function reviewClient(client: ClientMetadata, configuration: Configuration): Review {
  const findings = RULES.flatMap((rule) => rule(client, configuration));
  return {
    errors: findings.flatMap((finding) => ('error' in finding ? [finding.error] : [])),
    warnings: findings.flatMap((finding) => ('warning' in finding ? [finding.warning] : [])),
  };
}

const error = (...parts: Parameters<typeof problem>): Finding => ({ error: problem(...parts) });
const warning = (words: string): Finding => ({ warning: words });

/**
 * RFC 9068 §5: the client must not be able to choose values that confuse resource servers. An ID Token has the client's id as its
 * `aud`, and the client's own tokens have it as their `sub`.
 */
function clientIdIsNoAudience(
  { clientId }: ClientMetadata,
  { resources, identity, management }: Configuration,
): Finding[] {
  if (![identity, management, ...resources].some(({ identifier }) => identifier === clientId)) return [];
  return [
    error('client_id', 'the identifier of a resource', 'an id that is not an audience of access tokens (RFC 9068 §5)'),
  ];
}

const usesCode = ({ grantTypes }: ClientMetadata) => grantTypes.includes('authorization_code');

const GRANT_TYPE_RULES: readonly { readonly breaks: (client: ClientMetadata) => boolean; readonly finding: Finding }[] =
  [
    {
      // OAuth 2.1 §2.3: clients that use redirection MUST register their redirect URIs.
      breaks: (client) => usesCode(client) && client.redirectUris.length === 0,
      finding: error('redirect_uris', 'none', 'at least one with the grant type "authorization_code" (OAuth 2.1 §2.3)'),
    },
    {
      // OAuth 2.1 §4.2: the client credentials grant MUST only be used by confidential clients.
      breaks: ({ grantTypes, tokenEndpointAuthMethod }) =>
        grantTypes.includes('client_credentials') && tokenEndpointAuthMethod === 'none',
      finding: error(
        'grant_types',
        '"client_credentials" for a public client',
        'grant types of a public client: client credentials need a secret (OAuth 2.1 §4.2)',
      ),
    },
    {
      breaks: (client) => !usesCode(client) && client.redirectUris.length > 0,
      finding: warning('redirect_uris: not used without the grant type "authorization_code"'),
    },
    {
      breaks: (client) => !usesCode(client) && client.grantTypes.includes('refresh_token'),
      finding: warning('grant_types: "refresh_token" has no effect without "authorization_code"'),
    },
  ];

function grantTypesSuitTheClient(client: ClientMetadata): Finding[] {
  return GRANT_TYPE_RULES.filter(({ breaks }) => breaks(client)).map(({ finding }) => finding);
}

function keysSuitTheClient(client: ClientMetadata): Finding[] {
  const { tokenEndpointAuthMethod: method, jwks, jwksUri, tokenEndpointAuthSigningAlg: alg } = client;
  // RFC 7591 §2.
  if (jwks !== null && jwksUri !== null) return [error('jwks_uri', 'a value beside jwks', 'one of jwks and jwks_uri')];
  const needsKeys =
    method === 'private_key_jwt' || method === 'self_signed_tls_client_auth' || method === WORKLOAD_METHOD;
  if (needsKeys && jwks === null && jwksUri === null)
    return [error('token_endpoint_auth_method', `"${method}" without keys`, 'keys in jwks, or at jwks_uri')];
  // RFC 9101 §10.5: the server could accept no request of the client.
  if (client.requireSignedRequestObject && !hasKeys(client))
    return [error('require_signed_request_object', 'true without keys of the client', 'keys in jwks, or at jwks_uri')];
  const assertionAlg = method === 'private_key_jwt' || method === WORKLOAD_METHOD ? null : alg;
  return [
    ...notUsed({ token_endpoint_auth_signing_alg: assertionAlg }, 'private_key_jwt', WORKLOAD_METHOD),
    ...(client.requestObjectSigningAlg === null || hasKeys(client)
      ? []
      : [warning('request_object_signing_alg: not used without keys in jwks, or at jwks_uri')]),
  ];
}

const notUsed = (fields: Readonly<Record<string, unknown>>, ...methods: readonly string[]): Finding[] =>
  Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([name]) => warning(`${name}: not used without token_endpoint_auth_method ${oneOf(methods)}`));

/** RFC 8705 §2.1.2: "A client using the tls_client_auth authentication method MUST use exactly one of the below metadata parameters". */
function certificateIsNamed(client: ClientMetadata): Finding[] {
  const names = {
    tls_client_auth_subject_dn: client.tlsClientAuthSubjectDn,
    tls_client_auth_san_dns: client.tlsClientAuthSanDns,
    tls_client_auth_san_uri: client.tlsClientAuthSanUri,
    tls_client_auth_san_ip: client.tlsClientAuthSanIp,
    tls_client_auth_san_email: client.tlsClientAuthSanEmail,
  };
  if (client.tokenEndpointAuthMethod !== 'tls_client_auth') return notUsed(names, 'tls_client_auth');
  const given = Object.entries(names).flatMap(([name, value]) => (value === null ? [] : [name]));
  if (given.length === 1) return [];
  const allowed = `exactly one of ${Object.keys(names).join(', ')} (RFC 8705 §2.1.2)`;
  const [, second] = given;
  if (second !== undefined) return [error(second, `a value beside ${given[0]}`, allowed)];
  return [error('token_endpoint_auth_method', '"tls_client_auth" without a name of the certificate', allowed)];
}

/** docs/decisions/0115. */
function workloadIsNamed(client: ClientMetadata): Finding[] {
  const { tokenEndpointAuthMethod: method, workloadIssuer: issuer, workloadSubject: subject } = client;
  if (method !== WORKLOAD_METHOD)
    return notUsed({ workload_issuer: issuer, workload_subject: subject }, WORKLOAD_METHOD);
  if (subject === null) return [error('workload_subject', 'none', 'the sub of the tokens of the workload')];
  if (issuer === null && !isSpiffeId(subject))
    return [error('workload_issuer', 'none', 'the iss of the tokens of the workload; only a SPIFFE ID needs none')];
  // A JWT with one value for both is the assertion of a client.
  return issuer === subject ? [error('workload_subject', shown(subject), 'another value than workload_issuer')] : [];
}

function keysAreUsable({
  tokenEndpointAuthMethod: method,
  jwks,
  tokenEndpointAuthSigningAlg,
  requestObjectSigningAlg,
}: ClientMetadata): Finding[] {
  const keys = jwks?.keys ?? [];
  const wrong = keys.flatMap((key, index) => {
    const onlyInCertificates = isForCertificatesAlone(key) && method !== 'self_signed_tls_client_auth';
    const found = onlyInCertificates ? `a key on ${key.crv}` : whatIsWrongWithKey(key);
    if (found !== null) return [error(`jwks.keys.${index}`, found, KEY_EXPECTED)];
    if (method !== WORKLOAD_METHOD && !isOfClient(key))
      return [error(`jwks.keys.${index}.use`, shown(key.use), `"sig": the client has the method "${method}"`)];
    // OpenID Connect Core §10.1: "If there are multiple keys in the referenced JWK Set document, a kid value MUST be provided".
    const others = keys.filter((one) => one !== key);
    if (others.length === 0 || (key.kid !== undefined && others.every(({ kid }) => kid !== key.kid))) return [];
    return [error(`jwks.keys.${index}.kid`, shown(key.kid), 'a kid that no other key of the client has')];
  });
  if (wrong.length > 0 || keys.length === 0) return wrong;
  const without = (field: string, alg: ClientSigningAlgorithm | null) =>
    alg === null || keys.some((key) => signsWith(key, alg))
      ? []
      : [error(field, shown(alg), 'an algorithm of one of the keys in jwks')];
  return [
    ...without('token_endpoint_auth_signing_alg', tokenEndpointAuthSigningAlg),
    ...without('request_object_signing_alg', requestObjectSigningAlg),
  ];
}

/** The content of a redirect, and the section that specifies the comparison of its URIs. */
type Redirect = {
  readonly field: string;
  readonly carries: 'code' | 'state';
  readonly spec: string;
  readonly anyPort: boolean;
};
const CODE: Redirect = { field: 'redirect_uris', carries: 'code', spec: 'OAuth 2.1 §2.3.1', anyPort: true };
const STATE: Redirect = {
  field: 'post_logout_redirect_uris',
  carries: 'state',
  spec: 'RP-Initiated Logout §3',
  anyPort: false,
};

function redirectUrisAreSafe(client: ClientMetadata): Finding[] {
  return client.redirectUris.flatMap((uri, index) => reviewRedirectUri(uri, index, client, CODE));
}

function postLogoutRedirectUrisAreSafe(client: ClientMetadata): Finding[] {
  return client.postLogoutRedirectUris.flatMap((uri, index) => reviewRedirectUri(uri, index, client, STATE));
}

function reviewRedirectUri(
  uri: string,
  index: number,
  { applicationType }: ClientMetadata,
  { field, carries, spec, anyPort }: Redirect,
): Finding[] {
  const key = `${field}.${index}`;
  const found = shown(uri);
  const wrong = whatIsWrongWithRedirectUri(uri);
  if (wrong) return [error(key, `${found}, which ${wrong}`, `an absolute URI, compared exactly (${spec})`)];
  const { protocol, hostname } = new URL(uri);
  if (protocol === 'https:') return [];
  if (protocol === 'http:') {
    // RFC 9700 §2.6: MUST NOT allow the http scheme except for the loopback interface.
    if (!leadsToThisDevice(uri)) {
      return [
        error(
          key,
          `${found}, where the ${carries} can be read on the way`,
          'https; http for a loopback address alone (RFC 9700 §2.6)',
        ),
      ];
    }
    if (isLoopback(hostname) && hostname !== 'localhost') return [];
    // RFC 8252 §8.3: the name may resolve to another machine.
    const port = applicationType === 'native' && anyPort ? ', with which any port is accepted' : '';
    return [warning(`${key}: "${hostname}" can resolve elsewhere (RFC 8252 §8.3); 127.0.0.1 is safer${port}`)];
  }
  if (applicationType === 'web') {
    return [error(key, found, 'https for a web application (application_type "native" may use a scheme of an app)')];
  }
  // RFC 8252 §7.1: schemes "based on a domain name under their control, expressed in reverse order".
  if (protocol.includes('.')) return [];
  return [
    warning(
      `${key}: other apps can claim the scheme "${protocol}" too; use your own domain in reverse, as in "com.example.app:" (RFC 8252 §7.1)`,
    ),
  ];
}

function policyIsDefined({ policy }: ClientMetadata, { policies }: Configuration): Finding[] {
  if (policies.has(policy)) return [];
  const known = [...policies.keys()];
  return [error('policy', shown(policy), `${oneOf(known)} (the policy files)`, nearestField(policy, known))];
}

/** The rules of the profile that the policy names. */
function profileIsKept(client: ClientMetadata, configuration: Configuration): Finding[] {
  const profile = profileOf(configuration, client);
  if (profile === undefined) return [];
  return brokenByClient(profile, client).map(({ field, found, expected }) =>
    error(field, found, `${expected}, under the policy "${client.policy}"`),
  );
}

/** Otherwise the first sign-in would fail, since no key signs with it. */
function idTokenAlgorithmSigns(
  { idTokenSignedResponseAlg: alg }: ClientMetadata,
  configuration: Configuration,
): Finding[] {
  return algorithmSigns('id_token_signed_response_alg', alg, configuration);
}

function responseAlgorithmSigns(
  { authorizationSignedResponseAlg: alg }: ClientMetadata,
  configuration: Configuration,
): Finding[] {
  return alg === null ? [] : algorithmSigns('authorization_signed_response_alg', alg, configuration);
}

function algorithmSigns(field: string, alg: SigningAlgorithm, { signingKeys }: Configuration): Finding[] {
  if (signingKeys.algorithms.includes(alg)) return [];
  return [error(field, shown(alg), `${oneOf(signingKeys.algorithms)} (algorithms of signing-keys.yaml)`)];
}

function defaultResourceIsKnown({ defaultResource }: ClientMetadata, { resources }: Configuration): Finding[] {
  const known = resources.map(({ identifier }) => identifier);
  if (defaultResource === null || known.includes(defaultResource)) return [];
  return [error('default_resource', shown(defaultResource), `${oneOf(known)} (resources.yaml)`)];
}

const OFFLINE_ACCESS = 'offline_access';

const scopesOf = (resources: readonly Resource[]) => resources.flatMap(({ scopes }) => scopes.map(({ name }) => name));
/** Of a client without a ceiling. */
const scopesForAll = ({ resources, identity }: Configuration): readonly string[] => [
  ...scopesOf([...resources, identity]),
  OFFLINE_ACCESS,
];

function defaultScopeIsWithinScope({ scope, defaultScope }: ClientMetadata, configuration: Configuration): Finding[] {
  const ceiling = scope ?? scopesForAll(configuration);
  const beyond = (defaultScope ?? []).filter((name) => !ceiling.includes(name));
  if (beyond.length === 0) return [];
  const allowed = scope ? 'what `scope` allows' : 'scopes that resources.yaml describes, or that `scope` lists';
  return [error('default_scope', beyond.map(shown).join(', '), allowed)];
}

function scopesAreDescribed({ scope }: ClientMetadata, configuration: Configuration): Finding[] {
  return reviewScopes(scope, configuration).map(warning);
}

/** Every scope that a resource, OpenID Connect or the management API describes. */
export const describedScopeNames = (configuration: Configuration): readonly string[] => [
  ...scopesForAll(configuration),
  ...scopesOf([configuration.management]),
];

/** @returns a warning for each scope that nothing describes. */
export function reviewScopes(scope: ClientMetadata['scope'], configuration: Configuration): string[] {
  const described = describedScopeNames(configuration);
  const fallback = configuration.resources.find((resource) => resource.default)?.identifier;
  return (scope ?? [])
    .filter((name) => !described.includes(name))
    .map(
      (name) => `scope: no resource describes "${name}"; it counts for ${fallback}, and consent shows its bare name`,
    );
}

/** The management API is asked for by name, by `scope` and `resource`. */
function administrationIsNoDefault({ defaultScope }: ClientMetadata, configuration: Configuration): Finding[] {
  const ofManagement = scopesOf([configuration.management]);
  return (defaultScope ?? [])
    .filter((name) => ofManagement.includes(name) && !scopesForAll(configuration).includes(name))
    .map((name) =>
      warning(`default_scope: "${name}" is a scope of the management API, which is never granted by default`),
    );
}

function identityScopesCanBeGranted(client: ClientMetadata, { resources, identity }: Configuration): Finding[] {
  const ofIdentity = scopesOf([identity]).filter((name) => !scopesOf(resources).includes(name));
  return [
    ...reviewIdentityScopes('scope', client, client.scope, ofIdentity),
    ...reviewIdentityScopes('default_scope', client, client.defaultScope, ofIdentity),
  ].map(warning);
}

/** Clients that ask for `openid` and an API's scope in one request, as most libraries do, where the API shares no token with UserInfo. */
function userInfoOpens(client: ClientMetadata, { resources, identity }: Configuration): Finding[] {
  const asked = client.scope ?? client.defaultScope;
  const resource = resources.find(({ identifier, default: isDefault }) =>
    client.defaultResource === null ? isDefault : identifier === client.defaultResource,
  );
  if (!usesCode(client) || resource?.userInfo !== false || asked?.includes('openid') === false) return [];
  if (asked?.every((name) => name === OFFLINE_ACCESS || scopesOf([identity]).includes(name))) return [];
  return [
    warning(
      `scope: access tokens for ${resource.identifier} (userInfo: false) do not open the UserInfo Endpoint; with "openid" beside a scope of ` +
        `this resource, the client asks for a token for UserInfo by resource=${identity.identifier}`,
    ),
  ];
}

/** @param ofIdentity the scopes of the UserInfo Endpoint alone. */
function reviewIdentityScopes(
  field: string,
  { grantTypes }: ClientMetadata,
  scope: readonly string[] | null,
  ofIdentity: readonly string[],
): string[] {
  if (scope === null) return [];
  const orphans = scope.includes('openid') ? [] : scope.filter((name) => ofIdentity.includes(name));
  const cannotRefresh = scope.includes(OFFLINE_ACCESS) && !grantTypes.includes('refresh_token');
  const nothingLeft = scope.every((name) => name === OFFLINE_ACCESS || orphans.includes(name));
  return [
    // OpenID Connect Core §5.4: claims are asked for in an authentication request, and `openid` makes it one (§3.1.2.1).
    ...orphans.map((name) => `${field}: "${name}" is never granted without "openid" (OpenID Connect Core §3.1.2.1)`),
    ...(cannotRefresh ? [`${field}: "${OFFLINE_ACCESS}" has no effect without the grant type "refresh_token"`] : []),
    ...(nothingLeft ? [`${field}: none of its scopes can be granted`] : []),
  ];
}
