/** An account at another OpenID Provider with which an end-user signs in here. */

import type { IdentityRemovalReason } from '../../../machines/linked-identity/facts.ts';
import { tableOf } from '../../engine/commit.ts';

/** `sub` is unique at its issuer, and nothing else about an account there is (OpenID Connect Core §5.7). */
export type ExternalIdentity = { readonly issuer: string; readonly subject: string };

/** One row of `linked_identities`. */
export type LinkedIdentity = ExternalIdentity & {
  readonly id: string;
  readonly userId: string;
  /** The name of the provider in upstreams.yaml at the time of the link. */
  readonly provider: string;
  readonly linkedAt: Date;
  readonly state: 'active' | 'removed';
  readonly removedAt: Date | null;
  readonly removedReason: IdentityRemovalReason | null;
};

export const LINKED_IDENTITIES = tableOf<LinkedIdentity>('linkedIdentities');
