/**
 * The scope and the resources that a request means, within the limits of the client (RFC 6749 §3.3, RFC 8707 §2, OpenID
 * Connect Core §5.4). Where the client names no resource, a token with `openid` opens the UserInfo Endpoint too
 * (docs/decisions/0024).
 */
import type { IntroducedAccess } from '../../policies/registration-schema.ts';
import type { Configuration } from '../config/configuration.ts';
import { type Client, introductionOf } from '../model/client.ts';
import { meantResources } from '../oauth/resource.ts';
import { parseScope } from '../oauth/scope.ts';
import { scopeOfAdministrator } from './administrators.ts';

export type Access = { readonly scope: readonly string[]; readonly resources: readonly string[] };
export type AccessProblem = {
  readonly reason:
    | 'scope_malformed'
    | 'scope_unknown'
    | 'scope_not_allowed'
    | 'scope_of_other_resource'
    | 'openid_missing'
    | 'management_scope_missing'
    | 'management_not_alone'
    | 'resource_unknown'
    | 'resource_not_named';
  /** The refused scope, as sent: a scope token (RFC 6749 §3.3). Null: no single scope caused the refusal. */
  readonly scope: string | null;
};
const problem = (reason: AccessProblem['reason'], scope: string | null = null): AccessProblem => ({ reason, scope });
type Asked = { readonly scope: string | null; readonly resources: readonly string[] };

/** Core §11: it belongs to no resource. It asks for refresh tokens that work while the end-user is away. */
export const OFFLINE_ACCESS = 'offline_access';

/** With the identifiers of resources.yaml, however the client writes them. */
const asMeant = (configuration: Configuration, { scope, resources }: Asked): Asked =>
  resources.length === 0
    ? { scope, resources }
    : {
        scope,
        resources: meantResources(
          resources,
          scopesByResource(configuration).map(({ identifier }) => identifier),
        ),
      };

/** The access that an authorization request asks for. */
export function requestedAccess(
  configuration: Configuration,
  registered: Client,
  sentAccess: Asked,
): Access | AccessProblem {
  const client = withinRules(configuration, registered);
  const asked = asMeant(configuration, sentAccess);
  const sent = asked.scope === null ? defaultScope(configuration, client, asked.resources) : parseScope(asked.scope);
  if (sent === null) return problem('scope_malformed');
  const wantsIdentity = sent.includes('openid');
  // Core §3.1.2.1: "Scope values used that are not understood by an implementation SHOULD be ignored."
  const scope = wantsIdentity ? sent.filter((one) => isKnown(configuration, client, one)) : sent;
  const named = namedResources(configuration, client, asked, scope);
  if ('reason' in named) return named;
  const { identifier: userInfo } = configuration.identity;
  const resources = everyResource(configuration)
    .map((one) => one.identifier)
    .filter((one) => named.includes(one));
  if (!named.every((one) => one !== undefined && resources.includes(one))) return problem('resource_unknown');
  // Before the management API, too: an API may have a scope of the same name, such as `users:read`.
  if (!named.every((one) => one === userInfo || isFor(configuration, client, one))) return problem('resource_unknown');
  if (resources.includes(configuration.management.identifier)) {
    if (resources.length > 1) return problem('management_not_alone');
    // A request that names no scope never asks for the administration of this server.
    const isNamed = asked.scope !== null && asked.resources.length > 0;
    if (!isNamed || !scope.some((one) => isOfManagement(configuration, one)))
      return problem('management_scope_missing');
  } else if (!named.every((one) => one === userInfo || mayName(configuration, client, one))) {
    return problem('resource_unknown');
  }
  // Without `openid` no token opens the UserInfo Endpoint, so the server makes none for it.
  if (!wantsIdentity && resources.includes(userInfo)) return problem('openid_missing');

  const mayRefresh =
    client.grantTypes.includes('refresh_token') && (client.scope === null || client.scope.includes(OFFLINE_ACCESS));
  const allowed = new Set(allowedScope(configuration, client, wantsIdentity ? [...resources, userInfo] : resources));
  // Core §11: the server ignores a request for offline access that it cannot fulfill.
  const meant = scope.filter((one) => one !== OFFLINE_ACCESS || mayRefresh);
  const refused = meant.find((one) => one !== OFFLINE_ACCESS && !allowed.has(one));
  if (asked.scope !== null && refused !== undefined) {
    return whyRefused(configuration, client, { refused, wantsIdentity, meant, resources });
  }
  const granted = meant.filter((one) => one === OFFLINE_ACCESS || allowed.has(one));
  return granted.some((one) => one !== OFFLINE_ACCESS) ? { scope: granted, resources } : problem('scope_not_allowed');
}

/** A resource or OpenID Connect has a scope of this name, or the client was registered with it. */
const isKnown = (configuration: Configuration, { scope }: Client, name: string): boolean =>
  name === OFFLINE_ACCESS || scope?.includes(name) === true || describedScopes(configuration).has(name);

function whyRefused(
  configuration: Configuration,
  client: Client,
  {
    refused,
    wantsIdentity,
    meant,
    resources,
  }: {
    readonly refused: string;
    readonly wantsIdentity: boolean;
    readonly meant: readonly string[];
    readonly resources: readonly string[];
  },
): AccessProblem {
  const claims = meant.find((one) => isIdentityScope(configuration, one));
  if (!wantsIdentity && claims !== undefined) return problem('openid_missing', claims);
  if (!isKnown(configuration, client, refused)) return problem('scope_unknown', refused);
  const isForManagement = resources.includes(configuration.management.identifier);
  const isUnderCeiling = client.scope === null ? !isForManagement : client.scope.includes(refused);
  return problem(isUnderCeiling ? 'scope_of_other_resource' : 'scope_not_allowed', refused);
}

/** The rules of registration.yaml for a client that introduced itself: it gets nothing new without them. Null: an operator registered the client. */
function rulesForStranger(
  { registration }: Configuration,
  client: Client,
): Pick<IntroducedAccess, 'scopes' | 'resources'> | null {
  const introduction = introductionOf(client);
  return introduction === null ? null : (registration[introduction] ?? { scopes: [], resources: [] });
}

/** The rules may have become narrower since the registration. */
function withinRules(configuration: Configuration, client: Client): Client {
  const rules = rulesForStranger(configuration, client);
  if (rules === null) return client;
  const { scope } = client;
  return { ...client, scope: scope === null ? rules.scopes : scope.filter((one) => rules.scopes.includes(one)) };
}

const isFor = (configuration: Configuration, client: Client, resource: string | undefined): boolean =>
  resource === undefined || rulesForStranger(configuration, client)?.resources.includes(resource) !== false;

/**
 * The ceiling bounds audiences too: a client gets no token for a resource whose scopes are all above its ceiling. Only
 * clients whose registration names scopes of the management API get tokens for it.
 */
export const mayName = (
  configuration: Configuration,
  { scope }: Pick<Client, 'scope'>,
  resource: string | undefined,
): boolean => {
  if (resource === undefined) return true;
  if (scope === null) return resource !== configuration.management.identifier;
  return scopeAt(configuration, scope, [resource]).some((one) => one !== OFFLINE_ACCESS);
};

/**
 * The access of a client on its own behalf. Without an end-user there are no identity scopes and no offline access. The
 * management API is for the clients of operators.yaml.
 */
export function requestedByClient(
  configuration: Configuration,
  client: Client,
  sentAccess: Asked,
): Access | AccessProblem {
  const asked = asMeant(configuration, sentAccess);
  const needsUser = (one: string) => one === OFFLINE_ACCESS || isIdentityScope(configuration, one);
  const withoutUserScopes = (scope: readonly string[] | null) =>
    scope === null ? null : scope.filter((one) => !needsUser(one));
  const refused = asked.scope === null ? undefined : parseScope(asked.scope)?.find(needsUser);
  if (refused !== undefined) return problem('scope_not_allowed', refused);
  if (asked.resources.includes(configuration.identity.identifier)) return problem('resource_unknown');
  const alone = {
    ...client,
    scope: asked.resources.includes(configuration.management.identifier)
      ? ownManagementScope(configuration, client)
      : withoutUserScopes(client.scope),
    defaultScope: withoutUserScopes(client.defaultScope),
  };
  return requestedAccess(configuration, alone, asked);
}

/** operators.yaml names each scope, so a client without a ceiling has the scopes that it names there. */
const ownManagementScope = (configuration: Configuration, { clientId, scope }: Client): readonly string[] =>
  scopeOfAdministrator(configuration, { kind: 'client', clientId }).filter((name) => scope?.includes(name) ?? true);

type Everywhere = Pick<Configuration, 'resources' | 'identity' | 'management'>;

export const everyResource = ({ resources, identity, management }: Everywhere) => [...resources, identity, management];

/** Computed once for each configuration that comes into force. */
function perConfiguration<T>(workOut: (configuration: Configuration) => T): (configuration: Configuration) => T {
  const known = new WeakMap<Configuration, T>();
  return (configuration) => {
    const found = known.get(configuration) ?? workOut(configuration);
    known.set(configuration, found);
    return found;
  };
}

const scopesByResource = perConfiguration((configuration) =>
  everyResource(configuration).map((one) => ({
    identifier: one.identifier,
    isDefault: one.default,
    scopes: describedAt([one]),
  })),
);

/** The scopes of all resources, of OpenID Connect and of the management API. */
const describedScopes = perConfiguration((configuration) => describedAt(everyResource(configuration)));

/** Scopes that only the UserInfo Endpoint knows. */
const identityScopes = perConfiguration(({ identity, resources }): ReadonlySet<string> => {
  const atResources = describedAt(resources);
  return new Set([...describedAt([identity])].filter((name) => !atResources.has(name)));
});
const isIdentityScope = (configuration: Configuration, name: string): boolean =>
  identityScopes(configuration).has(name);

const isOfManagement = ({ management }: Configuration, name: string): boolean =>
  management.scopes.some((scope) => scope.name === name);

/**
 * The scope of a request without `scope`: the client's default, else its ceiling, else every scope that a resource
 * describes.
 */
function defaultScope(configuration: Configuration, client: Client, asked: readonly string[]): readonly string[] {
  if (client.defaultScope !== null) return client.defaultScope;
  if (client.scope !== null) return client.scope;
  const named = asked.length > 0 ? asked : [defaultResource(configuration, client)];
  return [...describedAt(configuration.resources.filter((one) => named.includes(one.identifier)))];
}

const defaultResource = ({ resources }: Configuration, client: Client): string | undefined =>
  client.defaultResource ?? resources.find((one) => one.default)?.identifier;

/**
 * The resource of a client that introduced itself and named none: the only one that its scope fits (docs/decisions/0123). RFC 8707 §2
 * permits the refusal of a request whose resource the server would have to guess.
 */
function onlyResourceOf(
  configuration: Configuration,
  client: Client,
  allowed: readonly string[],
  asked: readonly string[] | null,
): string | AccessProblem {
  const possible = allowed.filter((one) => mayName(configuration, client, one));
  const forApis = (asked ?? []).filter((one) => one !== OFFLINE_ACCESS && !isIdentityScope(configuration, one));
  const fitting =
    possible.length > 1 && forApis.length > 0
      ? possible.filter((one) => scopeAt(configuration, forApis, [one]).length === forApis.length)
      : possible;
  const [only, ...others] = fitting;
  if (only !== undefined && others.length === 0) return only;
  return possible.length === 0 ? problem('scope_not_allowed', forApis[0]) : problem('resource_not_named');
}

/**
 * The resources of a request without `resource`: the client's default, and the UserInfo Endpoint beside it where the
 * scope has `openid`. For identity scopes alone, the UserInfo Endpoint alone.
 */
function namedResources(
  configuration: Configuration,
  client: Client,
  asked: Asked,
  scope: readonly string[],
): readonly (string | undefined)[] | AccessProblem {
  if (asked.resources.length > 0) return asked.resources;
  const { identifier: userInfo } = configuration.identity;
  if (isOnlyIdentity(configuration, scope)) return [userInfo];
  const allowed = rulesForStranger(configuration, client)?.resources ?? null;
  const api =
    allowed === null
      ? defaultResource(configuration, client)
      : onlyResourceOf(configuration, client, allowed, asked.scope === null ? null : scope);
  if (typeof api === 'object') return api;
  const identifies = scope.includes('openid') && (client.scope === null || client.scope.includes('openid'));
  return identifies && api !== undefined && mayOpenUserInfo(configuration, [api]) ? [api, userInfo] : [api];
}

/** resources.yaml: an API with `userInfo: false` shares no access token with the UserInfo Endpoint. */
export const mayOpenUserInfo = (configuration: Everywhere, resources: readonly string[]): boolean =>
  !everyResource(configuration).some((one) => one.userInfo === false && resources.includes(one.identifier));

/** The end-user's identity and no access to an API: tokens for this scope are for the UserInfo Endpoint. */
const isOnlyIdentity = (configuration: Configuration, scope: readonly string[]): boolean =>
  scope.includes('openid') && scope.every((one) => one === OFFLINE_ACCESS || isIdentityScope(configuration, one));

/**
 * The scope that this client may request at these resources: their scopes, under the client's ceiling. `check` warns of
 * a scope without a description. Without a ceiling, a client has no scope of the management API.
 */
export function allowedScope(
  configuration: Configuration,
  client: Pick<Client, 'scope'>,
  resources: readonly string[],
): string[] {
  if (client.scope !== null) return scopeAt(configuration, client.scope, resources);
  const { resources: apis, identity } = configuration;
  return [...describedAt([...apis, identity].filter((one) => resources.includes(one.identifier)))];
}

export type DescribedAccess = {
  /** Null: the end-user's identity, which belongs to no API. */
  readonly resource: string | null;
  /** The scope's own name where no resource describes it. */
  readonly scopes: readonly { readonly name: string; readonly description: string | null }[];
};

/**
 * The texts for consent, resource by resource, since one scope can have different meanings at different APIs. The list
 * also names an API without any requested scope: the API is in the audience of the tokens, and may accept them.
 */
export function describeAccess(configuration: Configuration, access: Access): DescribedAccess[] {
  const { identity, resources, management } = configuration;
  const groups = [identity, ...resources, management]
    .filter((one) => access.resources.includes(one.identifier) || (one === identity && access.scope.includes('openid')))
    .map((resource) => ({
      resource: resource === identity ? null : resource.name,
      scopes: scopeAt(configuration, access.scope, [resource.identifier])
        .filter((name) => name !== OFFLINE_ACCESS)
        .map((name) => ({
          name,
          description: resource.scopes.find((scope) => scope.name === name)?.description ?? null,
        })),
    }));
  return groups.filter(({ resource, scopes }) => resource !== null || scopes.length > 0);
}

/**
 * The part of a scope that has a meaning at these resources. A scope that no resource describes belongs to the default
 * one.
 */
export function scopeAt(
  configuration: Configuration,
  scope: readonly string[],
  resources: readonly string[],
): string[] {
  const chosen = scopesByResource(configuration).filter((one) => resources.includes(one.identifier));
  const anywhere = describedScopes(configuration);
  const isDefault = chosen.some((one) => one.isDefault);
  const isHere = (name: string) => chosen.some(({ scopes }) => scopes.has(name));
  return scope.filter((name) => name === OFFLINE_ACCESS || isHere(name) || (isDefault && !anywhere.has(name)));
}

const describedAt = (resources: Configuration['resources']): ReadonlySet<string> =>
  new Set(resources.flatMap((one) => one.scopes.map(({ name }) => name)));
