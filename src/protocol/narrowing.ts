/** A token request may ask for less than was granted: for that access token only (RFC 6749 §6, RFC 8707 §2.2). */
import type { Configuration } from '../config/configuration.ts';
import type { AccessToday, Grant } from '../model/grant.ts';
import { parseScope } from '../oauth/scope.ts';
import type { TokenParameters } from './grant-type.ts';
import { type Access, mayOpenUserInfo, OFFLINE_ACCESS, scopeAt } from './requested-access.ts';

/** `answered`: what the token response says, where an ID Token comes with the access token. */
export type NarrowedAccess = Access & {
  readonly answered: readonly string[];
  /** Of the grant, wherever it means something: what the ID Token is about. */
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

/** @returns null when none was sent: docs/decisions/0024 says what that means. */
export function askedResources(parameters: TokenParameters): readonly string[] | null {
  const resources = parameters.getAll('resource');
  return resources.length > 0 ? [...new Set(resources)] : null;
}

/**
 * The machine has decided that it is not more than was granted. RFC 9068 §2.2.3: each scope of a token has to mean something at
 * its audience, so a scope that only other resources have is left out.
 *
 * @throws RefusedAtIssue when nothing is left, or something was asked for that means nothing there. Before the commit.
 */
export function narrowedAccess(
  configuration: Configuration,
  grant: Grant,
  today: AccessToday,
  narrowing: Narrowing,
): NarrowedAccess {
  const { scope, resources } = narrowing;
  // What is above the client's ceiling of today is left out: the answer says what is in the token (RFC 6749 §3.3).
  const asked = (scope ?? grant.scope).filter((one) => today.scope.includes(one));
  const at = resources ?? audienceOf(configuration, grant, today, { asked, isNarrowed: scope !== null });
  if (at.includes(configuration.identity.identifier) && !mayOpenUserInfo(configuration, at)) {
    throw new RefusedAtIssue('resource_without_userinfo');
  }
  const meant = scopeAt(configuration, asked, at);
  // Without `resource`, `openid` and its kin may stand beside the scope of an API: they are for the ID Token then.
  const answered = resources === null ? scopeAt(configuration, asked, today.resources) : meant;
  if (!meansSomething(meant) || (scope !== null && answered.length < asked.length)) {
    throw new RefusedAtIssue('scope_exceeds_grant');
  }
  return { scope: meant, resources: at, answered, asked };
}

const meansSomething = (scope: readonly string[]): boolean => scope.some((one) => one !== OFFLINE_ACCESS);

/**
 * When the token request names no resource: those of the grant. The UserInfo Endpoint stands beside an API only where the token would
 * open it, and alone where the scope means nothing at an API.
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

/** What was granted cannot be said in this token. Nothing has been committed. */
export class RefusedAtIssue extends Error {
  readonly reason: 'scope_exceeds_grant' | 'resources_differ_in_signature' | 'resource_without_userinfo';
  constructor(reason: RefusedAtIssue['reason']) {
    super(reason);
    this.name = 'RefusedAtIssue';
    this.reason = reason;
  }
}
