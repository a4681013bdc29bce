/** Warnings about environment and configuration: values that are allowed but probably mistakes. */
import type { ClaimsPolicy } from '../../policies/claims-schema.ts';
import { SHIPPED_LANGUAGES } from '../../policies/mails-schema.ts';
import type { Resource } from '../../policies/schema.ts';
import { readDatabaseUrl } from '../system/database-url.ts';
import { CLAIMS_FILE, type Configuration } from './configuration.ts';
import { type Environment, isLoopback } from './environment.ts';
import { MAILS_FILE } from './own-mails.ts';

export function environmentWarnings(environment: Environment): string[] {
  return environment.production ? [...withoutProxies(environment), ...withoutTls(environment)] : [];
}

/** The modes in which postgres.js always encrypts. `allow` and `prefer` fall back to plain text at the request of the server or an attacker. */
const WITH_TLS = new Set(['require', 'verify-ca', 'verify-full', 'true']);

/** A connection on the same machine needs no TLS. */
export function withoutTls({ databaseUrl }: Pick<Environment, 'databaseUrl'>): string[] {
  if (databaseUrl === null) return [];
  const { url, candidates } = readDatabaseUrl(databaseUrl);
  if (!URL.canParse(url)) return [];
  const { hostname, searchParams } = new URL(url);
  const only = decodeURIComponent(hostname || searchParams.get('host') || 'localhost');
  const hosts = candidates?.map(({ host }) => host) ?? [only];
  if (hosts.every((host) => isLoopback(host) || host.startsWith('/'))) return [];
  const mode = searchParams.get('sslmode') ?? searchParams.get('ssl') ?? '';
  if (WITH_TLS.has(mode) || searchParams.get('sslrootcert') === 'system') return [];
  return [
    'DATABASE_URL reaches Postgres on another host without TLS: an attacker on the network can read and change all data. ' +
      'Add sslmode=verify-full (docs/deploying.md)',
  ];
}

function withoutProxies({ trustedProxies }: Environment): string[] {
  if (trustedProxies.length > 0) return [];
  return [
    'STATEHOUSE_TRUSTED_PROXIES is not set: behind a proxy, all end-users share its address, and the mistyped passwords of a few throttle ' +
      'all of them (docs/deploying.md)',
  ];
}

export function configurationWarnings({
  policies,
  resources,
  identity,
  management,
  claims,
  ownMails,
}: Configuration): string[] {
  return [
    ...editableForApis(claims),
    ...editableUsername(claims),
    ...[...policies].flatMap(([name, policy]) => shortLifetime(`policy "${name}"`, policy.accessTokenLifetimeSeconds)),
    ...resources.flatMap((resource) => [
      ...shortLifetime(`resource ${resource.identifier}`, resource.accessTokenLifetimeSeconds),
      ...exampleName(resource),
      ...openIdScopes(resource, identity),
      ...managementScopes(resource, management),
    ]),
    ...[...new Set(ownMails.map(({ language }) => language))].flatMap(unshippedLanguage),
  ];
}

/** An API believes what stands in an access token. */
const editableForApis = ({ scopes, editableByUser = [] }: ClaimsPolicy): string[] =>
  scopes.flatMap(({ name: scope, claims }) =>
    claims
      .filter(
        ({ name, in: places }) => places.includes('access_token') && editableByUser.some((one) => one.name === name),
      )
      .map(
        ({ name }) =>
          `${CLAIMS_FILE}: the scope "${scope}" releases "${name}" in access tokens, and end-users edit it: no API may decide by it`,
      ),
  );

/** OpenID Connect Core §5.7: the claim is no identifier, but the settings of many products map it to their usernames. */
const editableUsername = ({ editableByUser = [] }: ClaimsPolicy): string[] =>
  editableByUser.some(({ name }) => name === 'preferred_username')
    ? [
        `${CLAIMS_FILE}: end-users edit "preferred_username", and may enter the username of another: ` +
          'no app may find an account by it',
      ]
    : [];

const unshippedLanguage = (tag: string): string[] =>
  SHIPPED_LANGUAGES.includes(tag)
    ? []
    : [
        `${MAILS_FILE}: the server ships no language "${tag}" (it has ${SHIPPED_LANGUAGES.join(', ')}); its mails need ` +
          `src/http/words/${tag}.json too`,
      ];
/** A policy that needs a server which sends mails, where none is configured. */
export function withoutMail(
  { smtp, databaseUrl }: Pick<Environment, 'smtp' | 'databaseUrl'>,
  { signIn }: Pick<Configuration, 'signIn'>,
): string[] {
  // On the embedded database, mails go to the terminal.
  if (!signIn.codeByMail || smtp !== null || databaseUrl === null) return [];
  return [
    'sign-in.yaml: codeByMail is true, and the server sends no mails, so no page offers a code. Set STATEHOUSE_SMTP_URL (docs/e-mail.md), ' +
      'or codeByMail: false',
  ];
}

/** Below this, clients refresh very often, and each lost answer to a refresh means another sign-in. */
const SHORT_ACCESS_TOKEN_SECONDS = 900;

const shortLifetime = (what: string, seconds: number | undefined): string[] =>
  seconds !== undefined && seconds < SHORT_ACCESS_TOKEN_SECONDS
    ? [
        `${what}: accessTokenLifetimeSeconds is ${seconds}; under ${SHORT_ACCESS_TOKEN_SECONDS}, clients refresh very often`,
      ]
    : [];

/** RFC 2606 §3. The resource that Statehouse ships has such a name. */
const EXAMPLE_HOST = /(^|\.)example\.(com|net|org)$/;

const exampleName = ({ identifier }: Resource): string[] =>
  EXAMPLE_HOST.test(new URL(identifier).hostname)
    ? [`resource ${identifier}: an example (RFC 2606 §3); describe your own APIs in resources.yaml`]
    : [];

/** Scopes with a meaning of their own in OpenID Connect, which an API takes from them. */
function openIdScopes({ identifier, scopes }: Resource, identity: Resource): string[] {
  const consequences = new Map([
    ...identity.scopes.map(({ name }) => [name, WITH_IDENTITY_SCOPE] as const),
    ['offline_access', 'it asks for refresh tokens (Core §11), and means nothing at an API'] as const,
  ]);
  return scopes.flatMap(({ name }) => {
    const consequence = consequences.get(name);
    return consequence === undefined
      ? []
      : [`resource ${identifier}: the scope "${name}" is one of OpenID Connect: ${consequence}; choose another name`];
  });
}

/** The registered scope of a client names no resource. */
const managementScopes = ({ identifier, scopes }: Resource, management: Resource): string[] =>
  scopes
    .filter(({ name }) => management.scopes.some((one) => one.name === name))
    .map(
      ({ name }) =>
        `resource ${identifier}: the scope "${name}" is one of the management API too: a client that an operator registers with it may ask an ` +
        'administrator for that access as well; choose another name',
    );

const WITH_IDENTITY_SCOPE = 'an app that asks for it only to sign an end-user in gets an access token for this API too';
