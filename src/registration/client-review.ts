/**
 * What a client says, held against the standards and against the configuration. Asked before a client is stored, and again
 * by `statehouse check`: the configuration may have changed since.
 */
import type { Resource } from '../../policies/schema.ts';
import { type Configuration, DEFAULT_POLICY } from '../config/configuration.ts';
import { isLoopback } from '../config/environment.ts';
import { whatIsWrongWithRedirectUri } from '../oauth/redirect-uri.ts';
import type { ClientRegistration } from '../storage/clients.ts';
import { type RecordProblem, shown } from './record-problem.ts';

export type Review = { readonly errors: RecordProblem[]; readonly warnings: string[] };
type Reviewed = Omit<ClientRegistration, 'clientId' | 'clientName' | 'secretMacs'> & {
  /** Null: the server is to make it. */
  readonly clientId: string | null;
};

export function reviewClient(client: Reviewed, configuration: Configuration): Review {
  const reviews = [
    reviewClientId(client, configuration),
    reviewGrantTypes(client),
    ...client.redirectUris.map((uri, index) => reviewRedirectUri(uri, `redirect_uris.${index}`, client, CODE)),
    ...client.postLogoutRedirectUris.map((uri, index) =>
      reviewRedirectUri(uri, `post_logout_redirect_uris.${index}`, client, STATE),
    ),
    reviewPolicy(client, configuration),
    reviewIdTokenAlgorithm(client, configuration),
    reviewScopes(client, configuration),
  ];
  return { errors: reviews.flatMap((one) => one.errors), warnings: reviews.flatMap((one) => one.warnings) };
}

const nothing = (): Review => ({ errors: [], warnings: [] });
const error = (field: string, found: string, allowed: string): Review => ({
  errors: [{ field, found, allowed }],
  warnings: [],
});
const warning = (...warnings: string[]): Review => ({ errors: [], warnings });

/**
 * RFC 9068 §5: the client must not be able to choose values that confuse resource servers. An ID Token has the client's id as its
 * `aud`, and the client's own tokens have it as their `sub`.
 */
function reviewClientId({ clientId }: Reviewed, { resources, identity }: Configuration): Review {
  if (![identity, ...resources].some(({ identifier }) => identifier === clientId)) return nothing();
  return error('client_id', 'the identifier of a resource', 'an id that is no audience of access tokens (RFC 9068 §5)');
}

function reviewGrantTypes({ grantTypes, redirectUris, tokenEndpointAuthMethod }: Reviewed): Review {
  const review = nothing();
  const usesCode = grantTypes.includes('authorization_code');
  if (usesCode && redirectUris.length === 0) {
    review.errors.push({
      field: 'redirect_uris',
      found: 'none',
      // OAuth 2.1 §2.3: clients that use redirection MUST register their redirect URIs.
      allowed: 'at least one with the grant type "authorization_code" (OAuth 2.1 §2.3)',
    });
  }
  // OAuth 2.1 §4.2: the client credentials grant MUST only be used by confidential clients.
  if (grantTypes.includes('client_credentials') && tokenEndpointAuthMethod === 'none') {
    review.errors.push({
      field: 'grant_types',
      found: '"client_credentials" for a public client',
      allowed: 'a client with a secret only (OAuth 2.1 §4.2)',
    });
  }
  if (!usesCode && redirectUris.length > 0) {
    review.warnings.push('redirect_uris: not used without the grant type "authorization_code"');
  }
  if (!usesCode && grantTypes.includes('refresh_token')) {
    review.warnings.push('grant_types: "refresh_token" has no effect without "authorization_code"');
  }
  return review;
}

/** What a redirect brings back, and where it is said how its URIs are compared. */
type Brought = { readonly what: 'code' | 'state'; readonly spec: string; readonly anyPort: boolean };
const CODE: Brought = { what: 'code', spec: 'OAuth 2.1 §2.3.1', anyPort: true };
const STATE: Brought = { what: 'state', spec: 'RP-Initiated Logout §3', anyPort: false };

function reviewRedirectUri(uri: string, field: string, { applicationType }: Reviewed, brought: Brought): Review {
  const found = shown(uri);
  const wrong = whatIsWrongWithRedirectUri(uri);
  if (wrong) return error(field, `${found}, which ${wrong}`, `an absolute URI, compared exactly (${brought.spec})`);
  const { protocol, hostname } = new URL(uri);
  if (protocol === 'https:') return nothing();
  if (protocol === 'http:') {
    // RFC 9700 §2.6 wants https except on the loopback interface. Inside a closed network teams do use http, so it is said and
    // not refused: PKCE keeps a code that was read on the way from being redeemed.
    if (!isLoopback(hostname))
      return warning(
        `${field}: ${found} is http, so the ${brought.what} can be read on the way (RFC 9700 §2.6); use https`,
      );
    if (hostname !== 'localhost') return nothing();
    // RFC 8252 §8.3: the name may resolve to something else than this machine.
    const port = applicationType === 'native' && brought.anyPort ? ', with which any port is accepted' : '';
    return warning(`${field}: "localhost" can resolve elsewhere (RFC 8252 §8.3); 127.0.0.1 is safer${port}`);
  }
  if (applicationType === 'web') {
    return error(field, found, 'https for a web application; schemes of apps only with application_type "native"');
  }
  // RFC 8252 §7.1: schemes "based on a domain name under their control, expressed in reverse order".
  if (protocol.includes('.')) return nothing();
  return warning(
    `${field}: other apps can claim the scheme "${protocol}" too; use a domain of yours in reverse, as in "com.example.app:" (RFC 8252 §7.1)`,
  );
}

function reviewPolicy({ policy }: Reviewed, { policies }: Configuration): Review {
  if (policies.has(policy)) return nothing();
  const known = [...policies.keys()].map((one) => `"${one}"`).join(', ');
  return error('policy', shown(policy), `${known} (one file each; "${DEFAULT_POLICY}" when left out)`);
}

/** What no key signs with would be found out at the first sign-in. */
function reviewIdTokenAlgorithm({ idTokenSignedResponseAlg: alg }: Reviewed, { signingKeys }: Configuration): Review {
  if (signingKeys.algorithms.includes(alg)) return nothing();
  const known = signingKeys.algorithms.map((one) => `"${one}"`).join(', ');
  return error('id_token_signed_response_alg', shown(alg), `${known} (algorithms of signing-keys.yaml)`);
}

const OFFLINE_ACCESS = 'offline_access';

function reviewScopes(client: Reviewed, { resources, identity }: Configuration): Review {
  const { scope, defaultScope, defaultResource } = client;
  const review = nothing();
  const namesOf = (some: readonly Resource[]) => some.flatMap((one) => one.scopes.map(({ name }) => name));
  const described = new Set([...namesOf([...resources, identity]), OFFLINE_ACCESS]);
  const fallback = resources.find((one) => one.default)?.identifier;
  if (defaultResource !== null && !resources.some((one) => one.identifier === defaultResource)) {
    const known = resources.map((one) => `"${one.identifier}"`).join(', ');
    review.errors.push({
      field: 'default_resource',
      found: shown(defaultResource),
      allowed: `${known} (resources.yaml)`,
    });
  }
  const ceiling = scope ?? [...described];
  const beyond = (defaultScope ?? []).filter((one) => !ceiling.includes(one));
  if (beyond.length > 0) {
    review.errors.push({
      field: 'default_scope',
      found: beyond.map(shown).join(', '),
      allowed: scope ? 'what `scope` allows' : 'scopes that resources.yaml describes, or those listed in `scope`',
    });
  }
  for (const one of scope ?? []) {
    if (described.has(one)) continue;
    review.warnings.push(
      `scope: no resource describes "${one}"; it counts for ${fallback}, and consent shows its bare name`,
    );
  }
  const ofPersons = namesOf([identity]).filter((one) => !namesOf(resources).includes(one));
  review.warnings.push(...reviewIdentityScopes('scope', client, scope, ofPersons));
  review.warnings.push(...reviewIdentityScopes('default_scope', client, defaultScope, ofPersons));
  return review;
}

/** @param ofPersons the scopes that only the UserInfo Endpoint knows. */
function reviewIdentityScopes(
  field: string,
  { grantTypes }: Reviewed,
  scope: readonly string[] | null,
  ofPersons: readonly string[],
): string[] {
  if (scope === null) return [];
  const orphans = scope.includes('openid') ? [] : scope.filter((one) => ofPersons.includes(one));
  const cannotRefresh = scope.includes(OFFLINE_ACCESS) && !grantTypes.includes('refresh_token');
  const nothingLeft = scope.every((one) => one === OFFLINE_ACCESS || orphans.includes(one));
  return [
    // OpenID Connect Core §5.4: claims are asked for in an authentication request, and `openid` makes it one (§3.1.2.1).
    ...orphans.map((one) => `${field}: "${one}" is never granted without "openid" (OpenID Connect Core §3.1.2.1)`),
    ...(cannotRefresh ? [`${field}: "${OFFLINE_ACCESS}" has no effect without the grant type "refresh_token"`] : []),
    ...(nothingLeft ? [`${field}: nothing of it can be granted`] : []),
  ];
}
