/** A token request may ask for less than was granted: for that access token only (RFC 6749 §6, RFC 8707 §2.2). */
import type { LoadedGrant } from '../engine/ports.ts';
import { parseScope } from '../oauth/scope.ts';
import type { TokenParameters } from './grant-type.ts';
import type { Access } from './requested-access.ts';

export type Narrowing = { readonly scope: readonly string[] | null; readonly resources: readonly string[] | null };

/** @returns null when `scope` is malformed. */
export function readNarrowing(parameters: TokenParameters): Narrowing | null {
  const asked = parameters.get('scope');
  const scope = asked === null ? null : parseScope(asked);
  if (asked !== null && scope === null) return null;
  return { scope, resources: askedResources(parameters) };
}

/** @returns null when none was sent: then it is all that was granted. */
export function askedResources(parameters: TokenParameters): readonly string[] | null {
  const resources = parameters.getAll('resource');
  return resources.length > 0 ? [...new Set(resources)] : null;
}

/** Whether it is less, the machine has decided. */
export const narrowedAccess = (grant: LoadedGrant, { scope, resources }: Narrowing): Access => ({
  scope: scope ?? grant.scope,
  resources: resources ?? grant.resources,
});
