/** A token request may ask for less than was granted: for that access token only (RFC 6749 §6, RFC 8707 §2.2). */
import type { Configuration } from '../config/configuration.ts';
import type { Grant } from '../model/grant.ts';
import { parseScope } from '../oauth/scope.ts';
import type { TokenParameters } from './grant-type.ts';
import { type Access, OFFLINE_ACCESS, scopeAt } from './requested-access.ts';

export type Narrowing = { readonly scope: readonly string[] | null; readonly resources: readonly string[] | null };

/** @returns null when `scope` is malformed. */
export function readNarrowing(parameters: TokenParameters): Narrowing | null {
  const asked = parameters.get('scope');
  const scope = asked === null ? null : parseScope(asked);
  if (asked !== null && scope === null) return null;
  return { scope, resources: askedResources(parameters) };
}

/** @returns null when none was sent, which means all that was granted. */
export function askedResources(parameters: TokenParameters): readonly string[] | null {
  const resources = parameters.getAll('resource');
  return resources.length > 0 ? [...new Set(resources)] : null;
}

/**
 * The machine has decided that it is not more than was granted. RFC 9068 §2.2.3: each scope of a token has to mean something at
 * its audience, so a scope that only the left-out resources have is left out too.
 *
 * @throws RefusedAtIssue when nothing is left, or something was asked for that means nothing there. Before the commit.
 */
export function narrowedAccess(configuration: Configuration, grant: Grant, { scope, resources }: Narrowing): Access {
  const at = resources ?? grant.resources;
  const meant = scopeAt(configuration, scope ?? grant.scope, at);
  if (meant.every((one) => one === OFFLINE_ACCESS) || (scope !== null && meant.length < scope.length))
    throw new RefusedAtIssue('scope_exceeds_grant');
  return { scope: meant, resources: at };
}

/** What was granted cannot be said in this token. Nothing has been committed. */
export class RefusedAtIssue extends Error {
  readonly reason: 'scope_exceeds_grant';
  constructor(reason: RefusedAtIssue['reason']) {
    super(reason);
    this.name = 'RefusedAtIssue';
    this.reason = reason;
  }
}
