/**
 * What a client says, held against the standards and against the configuration. Asked before a client is stored, and again
 * by `statehouse check`: the configuration may have changed since.
 */
import { type Configuration, DEFAULT_POLICY } from '../config/configuration.ts';
import { isLoopback } from '../config/environment.ts';
import { whatIsWrongWithRedirectUri } from '../oauth/redirect-uri.ts';
import type { ClientRegistration } from '../storage/clients.ts';
import { type RecordProblem, shown } from './record-problem.ts';

export type Review = { readonly errors: RecordProblem[]; readonly warnings: string[] };
type Reviewed = Omit<ClientRegistration, 'clientId' | 'clientName' | 'secretMacs'>;

export function reviewClient(client: Reviewed, configuration: Configuration): Review {
  const reviews = [
    reviewGrantTypes(client),
    ...client.redirectUris.map((uri, index) => reviewRedirectUri(uri, index, client.applicationType)),
    reviewPolicy(client, configuration),
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

function reviewRedirectUri(uri: string, index: number, applicationType: 'web' | 'native'): Review {
  const field = `redirect_uris.${index}`;
  const found = shown(uri);
  const wrong = whatIsWrongWithRedirectUri(uri);
  if (wrong) return error(field, `${found}, which ${wrong}`, 'an absolute URI, compared exactly (OAuth 2.1 §2.3.1)');
  const { protocol, hostname } = new URL(uri);
  if (protocol === 'https:') return nothing();
  if (protocol === 'http:') {
    // RFC 9700 §2.6 wants https except on the loopback interface. Inside a closed network teams do use http, so it is said and
    // not refused: PKCE keeps a code that was read on the way from being redeemed.
    if (!isLoopback(hostname))
      return warning(`${field}: ${found} is http, so the code can be read on the way (RFC 9700 §2.6); use https`);
    if (hostname !== 'localhost') return nothing();
    // RFC 8252 §8.3: the name may resolve to something else than this machine.
    const port = applicationType === 'native' ? ', with which any port is accepted' : '';
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

/** OpenID Connect words, which nothing grants until there are ID Tokens (see grants/requested-access.ts). */
const NEVER_GRANTED = new Set(['openid']);

function reviewScopes({ scope, defaultScope, defaultResource }: Reviewed, { resources }: Configuration): Review {
  const review = nothing();
  const described = new Set(resources.flatMap((one) => one.scopes.map(({ name }) => name)));
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
    if (NEVER_GRANTED.has(one)) review.warnings.push(`scope: "${one}" is never granted: there are no ID Tokens`);
    else if (!described.has(one)) {
      review.warnings.push(
        `scope: no resource describes "${one}"; it counts for ${fallback}, and consent shows its bare name`,
      );
    }
  }
  if (scope?.every((one) => NEVER_GRANTED.has(one))) review.warnings.push('scope: nothing of it can be granted');
  return review;
}
