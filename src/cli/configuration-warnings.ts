/** What is allowed in environment and configuration, and is probably not meant. */
import type { Resource } from '../../policies/schema.ts';
import type { Configuration } from '../config/configuration.ts';
import type { Environment } from '../config/environment.ts';

export function environmentWarnings({ production, trustedProxies }: Environment): string[] {
  if (!production || trustedProxies.length > 0) return [];
  return [
    'STATEHOUSE_TRUSTED_PROXIES is not set: behind a proxy, all end-users share its address, and the mistyped passwords of a few stop ' +
      'the sign-ins of all (docs/deploying.md)',
  ];
}

export function configurationWarnings({ policies, resources, identity }: Configuration): string[] {
  return [
    ...[...policies].flatMap(([name, policy]) => shortLifetime(`policy "${name}"`, policy.accessTokenLifetimeSeconds)),
    ...resources.flatMap((resource) => [
      ...shortLifetime(`resource ${resource.identifier}`, resource.accessTokenLifetimeSeconds),
      ...exampleName(resource),
      ...openIdScopes(resource, identity),
    ]),
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

const WITH_IDENTITY_SCOPE =
  'an app that asks for it only to sign an end-user in gets an access token for an API instead of the UserInfo Endpoint';
