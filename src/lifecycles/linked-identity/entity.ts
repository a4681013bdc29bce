/** An account at another OpenID Provider with which an end-user signs in here. */
import { tableOf } from '../../engine/commit.ts';
import type { StoredRow } from '../table.ts';
import type { linkedIdentities } from './table.ts';

/** `sub` is unique at its issuer, and nothing else about an account there is (OpenID Connect Core §5.7). */
export type ExternalIdentity = { readonly issuer: string; readonly subject: string };

/** One row of `linked_identities`. */
export type LinkedIdentity = StoredRow<typeof linkedIdentities>;

export const LINKED_IDENTITIES = tableOf<LinkedIdentity>('linkedIdentities');
