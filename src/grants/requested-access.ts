/** Which scope and which resources a request means, given what the client may ask for (RFC 6749 §3.3, RFC 8707 §2). */
import type { Configuration } from '../config/configuration.ts';
import type { ClientRecord } from '../engine/ports.ts';
import { parseScope } from '../oauth/scope.ts';

export type Access = { readonly scope: readonly string[]; readonly resources: readonly string[] };
export type AccessProblem = 'scope_unknown' | 'resource_unknown';

/** Words of OpenID Connect: until there are ID Tokens, granting them would be a lie. */
const RESERVED = new Set(['openid']);

export function requestedAccess(
  configuration: Configuration,
  client: ClientRecord,
  asked: { readonly scope: string | null; readonly resources: readonly string[] },
): Access | AccessProblem {
  const fallback = configuration.resources.find((one) => one.default)?.identifier;
  const named = asked.resources.length > 0 ? [...new Set(asked.resources)] : [client.defaultResource ?? fallback];
  const resources = configuration.resources.map((one) => one.identifier).filter((one) => named.includes(one));
  if (resources.length !== named.length) return 'resource_unknown';

  const allowed = allowedScope(configuration, client, resources);
  if (asked.scope === null) {
    const scope = (client.defaultScope ?? allowed).filter((one) => allowed.includes(one));
    return scope.length > 0 ? { scope, resources } : 'scope_unknown';
  }
  const scope = parseScope(asked.scope);
  return scope?.every((one) => allowed.includes(one)) ? { scope, resources } : 'scope_unknown';
}

/** What this client may ask for at these resources: their scopes, under the client's ceiling. `check` warns of undescribed ones. */
function allowedScope(configuration: Configuration, client: ClientRecord, resources: readonly string[]): string[] {
  if (client.scope !== null) return scopeAt(configuration, client.scope, resources);
  const chosen = configuration.resources.filter((one) => resources.includes(one.identifier));
  return [...describedAt(chosen)];
}

export type DescribedAccess = {
  readonly resource: string;
  /** The scope's own name where no resource describes it. */
  readonly scopes: readonly { readonly name: string; readonly description: string | null }[];
};

/** The words for consent, resource by resource: the same scope can mean one thing here and another there. */
export function describeAccess(configuration: Configuration, access: Access): DescribedAccess[] {
  const groups = configuration.resources
    .filter((one) => access.resources.includes(one.identifier))
    .map((resource) => ({
      resource: resource.name,
      scopes: scopeAt(configuration, access.scope, [resource.identifier]).map((name) => ({
        name,
        description: resource.scopes.find((scope) => scope.name === name)?.description ?? null,
      })),
    }));
  return groups.filter(({ scopes }) => scopes.length > 0);
}

/** What of a scope means something at these resources. What no resource describes belongs to the default one. */
export function scopeAt(
  configuration: Configuration,
  scope: readonly string[],
  resources: readonly string[],
): string[] {
  const chosen = configuration.resources.filter((one) => resources.includes(one.identifier));
  const [here, anywhere] = [describedAt(chosen), describedAt(configuration.resources)];
  const isDefault = chosen.some((one) => one.default);
  return scope.filter((name) => here.has(name) || (isDefault && !anywhere.has(name) && !RESERVED.has(name)));
}

const describedAt = (resources: Configuration['resources']): ReadonlySet<string> =>
  new Set(resources.flatMap((one) => one.scopes.map(({ name }) => name)));
