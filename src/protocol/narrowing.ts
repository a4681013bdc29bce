/** A token request may narrow the access, for its access token only (RFC 6749 §6, RFC 8707 §2.2). */
import type { Configuration } from '../config/configuration.ts';
import type { AccessToday, Grant } from '../model/grant.ts';
import { meantResources } from '../oauth/resource.ts';
import { parseScope } from '../oauth/scope.ts';
import type { TokenParameters } from './grant-type.ts';
import { type Access, mayOpenUserInfo, OFFLINE_ACCESS, scopeAt } from './requested-access.ts';

/** `answered`: the scope in the token response, where an ID Token comes with the access token. */
export type NarrowedAccess = Access & {
  readonly answered: readonly string[];
  /** The requested scope of the grant, at any resource: the ID Token is about it. */
  readonly asked: readonly string[];
};

export type Narrowing = { readonly scope: readonly string[] | null; readonly resources: readonly string[] | null };

/** @returns null when `scope` is malformed. */
export function readNarrowing(parameters: TokenParameters): Narrowing | null {
  const asked = parameters.get('scope');
  const scope = asked === null ? null : parseScope(asked);
  if (asked !== null && scope === null) return null;
  return { scope, resources: askedResources(parameters) };
}

/** As sent, each once. @returns null when the request has no `resource` (docs/decisions/0024). */
export function askedResources(parameters: TokenParameters): readonly string[] | null {
  const resources = parameters.getAll('resource');
  return resources.length > 0 ? [...new Set(resources)] : null;
}

/** Of the grant, however the client writes them. */
export const resourcesOfGrant = (asked: readonly string[] | null, { resources }: Grant): readonly string[] | null =>
  asked === null ? null : meantResources(asked, resources);

/**
 * The access token's part of the granted access; the machine has already compared the request with the grant. RFC 9068
 * §2.2.3: each scope of a token has to have a meaning at its audience, so the server omits a scope that only other
 * resources have.
 *
 * Called before the commit. @throws RefusedAtIssue when no scope is left, or a requested scope has no meaning at the
 * audience.
 */
export function narrowedAccess(
  configuration: Configuration,
  grant: Grant,
  today: AccessToday,
  narrowing: Narrowing,
): NarrowedAccess {
  const { scope, resources } = narrowing;
  // The server omits a scope above the client's current ceiling. The response states the scope of the token (RFC 6749
  // §3.3).
  const asked = (scope ?? grant.scope).filter((one) => today.scope.includes(one));
  const at = resources ?? audienceOf(configuration, grant, today, { asked, isNarrowed: scope !== null });
  if (at.includes(configuration.identity.identifier) && !mayOpenUserInfo(configuration, at)) {
    throw new RefusedAtIssue('resource_without_userinfo');
  }
  const meant = scopeAt(configuration, asked, at);
  // Without `resource`, the identity scopes may stand beside the scope of an API: they are for the ID Token then.
  const answered = resources === null ? scopeAt(configuration, asked, today.resources) : meant;
  if (!meansSomething(meant) || (scope !== null && answered.length < asked.length)) {
    throw new RefusedAtIssue('scope_exceeds_grant');
  }
  return { scope: meant, resources: at, answered, asked };
}

const meansSomething = (scope: readonly string[]): boolean => scope.some((one) => one !== OFFLINE_ACCESS);

/**
 * The audience when the token request names no resource: the resources of the grant. The UserInfo Endpoint stands
 * beside an API only where the token would open it, and alone where the scope has no meaning at an API.
 */
function audienceOf(
  configuration: Configuration,
  grant: Grant,
  today: AccessToday,
  { asked, isNarrowed }: { readonly asked: readonly string[]; readonly isNarrowed: boolean },
): readonly string[] {
  const { identifier: userInfo } = configuration.identity;
  const granted = grant.resources.filter((one) => today.resources.includes(one));
  if (!today.resources.includes(userInfo)) return granted;
  const apis = granted.filter((one) => one !== userInfo);
  const isForApis = meansSomething(scopeAt(configuration, asked, apis));
  const opensBoth = granted.includes(userInfo) && asked.includes('openid') && mayOpenUserInfo(configuration, apis);
  if (opensBoth && (isForApis || !isNarrowed)) return granted;
  return isForApis ? apis : [userInfo];
}

/** A token cannot express the granted access. The server has committed no change. */
export class RefusedAtIssue extends Error {
  readonly reason:
    | 'scope_exceeds_grant'
    | 'resources_differ_in_signature'
    | 'resource_outside_profile'
    | 'resource_without_userinfo';
  constructor(reason: RefusedAtIssue['reason']) {
    super(reason);
    this.name = 'RefusedAtIssue';
    this.reason = reason;
  }
}
