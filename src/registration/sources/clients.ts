/**
 * Clients of other systems, as records with the names of RFC 7591, and the parts that stay behind. Keycloak: ClientRepresentation of a realm
 * export (https://www.keycloak.org/docs-api/latest/rest-api/). Auth0: GET /api/v2/clients
 * (https://auth0.com/docs/api/management/v2/clients/get-clients). Hydra: `hydra list oauth2-clients --format json`
 * (https://www.ory.sh/docs/hydra/reference/api). oidc-provider: the list `clients` of its configuration, as JSON
 * (https://github.com/panva/node-oidc-provider/blob/main/docs/README.md#clients).
 */
import { GRANT_TYPES } from '../../../policies/client-schema.ts';
import { SECRET_METHODS } from '../../oauth/client-methods.ts';
import { leadsToThisDevice, whatIsWrongWithRedirectUri } from '../../oauth/redirect-uri.ts';
import { isJsonObject } from '../record-problem.ts';
import type { JsonObject } from './source.ts';
import { flagOf, listOf, objectOf, textIn, textOf } from './values.ts';

/** `skipped`: the reason why the client does not come; null: it does. */
export type ConvertedClient = {
  readonly name: string;
  readonly record: JsonObject;
  readonly leftOut: readonly string[];
  readonly skipped: string | null;
};

export type ClientSource = {
  readonly name: string;
  readonly file: string;
  readonly clientsIn: (document: unknown) => readonly ConvertedClient[];
};

/** As the other system has it, before the rules of this server. `grants`, `authenticates`: by any name. */
type Draft = {
  readonly id: string | undefined;
  readonly fields: JsonObject;
  readonly redirectUris: readonly unknown[];
  readonly postLogoutRedirectUris: readonly unknown[];
  readonly grants: readonly string[];
  readonly authenticates: string;
  readonly secret: string | undefined;
  readonly leftOut: readonly string[];
  readonly skipped: string | null;
};

const GRANT_REASONS: Readonly<Record<string, string>> = {
  implicit: 'use authorization_code with PKCE; the implicit grant is not part of OAuth 2.1',
  password: 'use authorization_code; the password grant is not part of OAuth 2.1',
};
const METHODS = [...SECRET_METHODS, 'none'];

function clientOf({ id, fields, grants, authenticates, secret, ...draft }: Draft): ConvertedClient {
  const leftOut = [...draft.leftOut];
  const keeps = grants.filter((grant) => (GRANT_TYPES as readonly string[]).includes(grant));
  for (const grant of grants.filter((one) => !keeps.includes(one)))
    leftOut.push(`grant type ${grant}: ${GRANT_REASONS[grant] ?? 'this server does not have it'}`);
  const isKnown = METHODS.includes(authenticates);
  if (!isKnown) leftOut.push(`authentication by ${authenticates}: the client gets a secret`);
  const method = isKnown ? authenticates : 'client_secret_basic';
  const isMasked = secret !== undefined && /^\*+$/.test(secret);
  if (isMasked) leftOut.push('client_secret: the export hides it; the client gets another');
  const [redirects, posts] = [usable(draft.redirectUris), usable(draft.postLogoutRedirectUris)];
  leftOut.push(...redirects.leftOut.map((words) => `redirect URI ${words}`));
  leftOut.push(...posts.leftOut.map((words) => `post-logout redirect URI ${words}`));
  const uris = [...redirects.uris, ...posts.uris];
  const isNative = uris.some((uri) => !/^https?:$/.test(new URL(uri).protocol));
  const record = {
    ...fields,
    client_id: id,
    token_endpoint_auth_method: method,
    ...(method !== 'none' && !isMasked && secret !== undefined && { client_secret: secret }),
    ...(isNative && { application_type: 'native' }),
    redirect_uris: redirects.uris,
    ...(posts.uris.length > 0 && { post_logout_redirect_uris: posts.uris }),
    grant_types: keeps,
  };
  return {
    name: id ?? '',
    record: present(record),
    leftOut,
    skipped: draft.skipped ?? whyNot(id, keeps, redirects.uris),
  };
}

const present = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined && value !== ''));

function whyNot(id: string | undefined, grants: readonly string[], redirectUris: readonly string[]): string | null {
  if (id === undefined) return 'it has no client_id';
  if (grants.length === 0) return 'it has no grant type of this server';
  if (grants.includes('authorization_code') && redirectUris.length === 0)
    return 'it has no redirect URI without a wildcard';
  return null;
}

/** Compared exactly, and over https or on the device. */
function usable(all: readonly unknown[]): { readonly uris: readonly string[]; readonly leftOut: readonly string[] } {
  const uris: string[] = [];
  const leftOut: string[] = [];
  for (const uri of all.flatMap((one) => textIn(one) ?? [])) {
    const wrong = whatIsWrongWithRedirectUri(uri) ?? (isReadable(uri) ? 'can be read on the way: use https' : null);
    if (wrong === null) uris.push(uri);
    else leftOut.push(`${JSON.stringify(uri.slice(0, 200))}: it ${wrong}`);
  }
  return { uris: [...new Set(uris)], leftOut };
}

const isReadable = (uri: string): boolean => new URL(uri).protocol === 'http:' && !leadsToThisDevice(uri);

/** Keycloak makes them in every realm. */
const OF_KEYCLOAK = ['account', 'account-console', 'admin-cli', 'broker', 'realm-management', 'security-admin-console'];

function ofKeycloak(client: unknown): ConvertedClient {
  const attributes = objectOf(client, 'attributes');
  const id = textOf(client, 'clientId');
  const isPublic = flagOf(client, 'publicClient') === true;
  const isCode = flagOf(client, 'standardFlowEnabled') !== false;
  const kind = textOf(client, 'clientAuthenticatorType') ?? 'client-secret';
  const base = textOf(client, 'rootUrl') ?? '';
  const root = (uri: unknown) => (typeof uri === 'string' && uri.startsWith('/') ? `${base}${uri}` : uri);
  const authenticator = kind === 'client-secret' ? 'client_secret_basic' : kind;
  const isSet = (flag: string) => flagOf(client, flag) === true;
  return clientOf({
    id,
    fields: {
      client_name: textOf(client, 'name')?.startsWith('${') ? undefined : textOf(client, 'name'),
      client_uri: httpsOnly(textOf(client, 'baseUrl')),
      logo_uri: httpsOnly(textOf(attributes, 'logoUri')),
      policy_uri: httpsOnly(textOf(attributes, 'policyUri')),
      tos_uri: httpsOnly(textOf(attributes, 'tosUri')),
      ...(flagOf(client, 'consentRequired') === false && { consent: 'skip' }),
    },
    redirectUris: isCode ? listOf(client, 'redirectUris').map(root) : [],
    postLogoutRedirectUris: (textOf(attributes, 'post.logout.redirect.uris') ?? '')
      .split('##')
      .filter((uri) => uri !== '+'),
    grants: [
      ...(isCode ? ['authorization_code', 'refresh_token'] : []),
      ...(isSet('serviceAccountsEnabled') ? ['client_credentials'] : []),
      ...(isSet('implicitFlowEnabled') ? ['implicit'] : []),
      ...(isSet('directAccessGrantsEnabled') ? ['password'] : []),
      ...(textOf(attributes, 'oauth2.device.authorization.grant.enabled') === 'true' ? ['device_code'] : []),
    ],
    authenticates: isPublic ? 'none' : authenticator,
    secret: textOf(client, 'secret'),
    leftOut: [
      ...(textOf(attributes, 'backchannel.logout.url') ? ['back-channel logout: this server does not have it'] : []),
      ...(flagOf(client, 'consentRequired') === false ? [ITS_OWN] : []),
      ...(listOf(client, 'protocolMappers').length > 0 ? ['protocol mappers: release claims with claims.yaml'] : []),
    ],
    skipped: whyNotOfKeycloak(client, id ?? ''),
  });
}
const ITS_OWN =
  'no consent page in Keycloak either: it is registered as your own (consent: skip); remove that for apps of others';

function whyNotOfKeycloak(client: unknown, id: string): string | null {
  if (OF_KEYCLOAK.includes(id) || id.endsWith('-realm')) return 'Keycloak makes it for itself';
  if ((textOf(client, 'protocol') ?? 'openid-connect') !== 'openid-connect') return 'it does not use OpenID Connect';
  if (flagOf(client, 'enabled') === false) return 'it is disabled';
  return flagOf(client, 'bearerOnly') === true ? 'it is an API: see resources.yaml' : null;
}

const httpsOnly = (uri: string | undefined): string | undefined => (uri?.startsWith('https://') ? uri : undefined);

/** Grant types of Auth0 with the names of others. */
const AUTH0_GRANTS: Readonly<Record<string, string>> = {
  'http://auth0.com/oauth/grant-type/password-realm': 'password',
  'urn:ietf:params:oauth:grant-type:device_code': 'device_code',
};

function ofAuth0(client: unknown): ConvertedClient {
  const method = textOf(client, 'token_endpoint_auth_method');
  return clientOf({
    id: textOf(client, 'client_id'),
    fields: {
      client_name: textOf(client, 'name'),
      logo_uri: httpsOnly(textOf(client, 'logo_uri')),
      initiate_login_uri: httpsOnly(textOf(client, 'initiate_login_uri')),
      ...(flagOf(client, 'is_first_party') === true && { consent: 'skip' }),
    },
    redirectUris: listOf(client, 'callbacks'),
    postLogoutRedirectUris: listOf(client, 'allowed_logout_urls'),
    grants: listOf(client, 'grant_types').map((grant) => AUTH0_GRANTS[String(grant)] ?? String(grant)),
    authenticates: method ?? (textOf(client, 'app_type') === 'spa' ? 'none' : 'client_secret_post'),
    secret: textOf(client, 'client_secret'),
    leftOut: listOf(client, 'web_origins').length > 0 ? ['web_origins: redirect URIs say which pages may call'] : [],
    skipped: flagOf(client, 'global') === true ? 'Auth0 makes it for itself' : null,
  });
}

/** Members of RFC 7591 that this server stores. */
const STORED = ['client_name', 'logo_uri', 'client_uri', 'policy_uri', 'tos_uri', 'initiate_login_uri'];
const LEFT: Readonly<Record<string, string>> = {
  backchannel_logout_uri: 'back-channel logout: this server does not have it',
  frontchannel_logout_uri: 'front-channel logout: this server does not have it',
  jwks_uri: 'jwks_uri: the import takes no keys; register them, with token_endpoint_auth_method private_key_jwt',
  jwks: 'jwks: the import takes no keys; register them, with token_endpoint_auth_method private_key_jwt',
};

const ofRfc7591 =
  (secretIsHashed: boolean, scopeIsKept: boolean) =>
  (client: unknown): ConvertedClient => {
    const method = textOf(client, 'token_endpoint_auth_method') ?? 'client_secret_basic';
    const secret = textOf(client, 'client_secret');
    const isLost = method !== 'none' && (secretIsHashed || secret === undefined);
    const grants = listOf(client, 'grant_types');
    return clientOf({
      id: textOf(client, 'client_id'),
      fields: {
        ...Object.fromEntries(
          STORED.map((name) => [name, name === 'client_name' ? textOf(client, name) : httpsOnly(textOf(client, name))]),
        ),
        ...(scopeIsKept && { scope: scopeOf(client) }),
        ...(flagOf(client, 'skip_consent') === true && { consent: 'skip' }),
      },
      redirectUris: listOf(client, 'redirect_uris'),
      postLogoutRedirectUris: listOf(client, 'post_logout_redirect_uris'),
      grants: grants.length > 0 ? grants.map(String) : ['authorization_code'],
      authenticates: method,
      secret: isLost ? undefined : secret,
      leftOut: [
        ...(isLost ? ['client_secret: the export has none; the client gets another'] : []),
        ...Object.entries(LEFT).flatMap(([name, words]) => (isJsonObject(client) && client[name] ? [words] : [])),
      ],
      skipped: null,
    });
  };

/** Hydra calls it "offline" too. */
const scopeOf = (client: unknown): string | undefined =>
  textIn(
    (textOf(client, 'scope') ?? '')
      .split(' ')
      .filter((token) => token !== 'offline')
      .join(' '),
  );

/** A list, or the named member of an object or of each object of a list. */
const listIn = (document: unknown, name: string): readonly unknown[] => {
  if (Array.isArray(document)) {
    const inner = document.flatMap((one) => listOf(one, name));
    return inner.length > 0 ? inner : document;
  }
  const list = listOf(document, name);
  return list.length > 0 || !isJsonObject(document) ? list : [document];
};

export const CLIENT_SOURCES: readonly ClientSource[] = [
  {
    name: 'keycloak',
    file: 'the realm, as "kc.sh export" writes it',
    clientsIn: (document) => listIn(document, 'clients').map(ofKeycloak),
  },
  {
    name: 'auth0',
    file: 'the clients of GET /api/v2/clients',
    clientsIn: (document) => listIn(document, 'clients').map(ofAuth0),
  },
  {
    name: 'hydra',
    file: 'the output of "hydra list oauth2-clients --format json"',
    clientsIn: (document) => listIn(document, 'items').map(ofRfc7591(true, true)),
  },
  {
    name: 'oidc-provider',
    file: 'the list "clients" of its configuration, as JSON',
    clientsIn: (document) => listIn(document, 'clients').map(ofRfc7591(false, false)),
  },
];
