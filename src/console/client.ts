/**
 * The console as a client of this server: its registration, and its secret, which is derived from the root secret, so that it is
 * written nowhere.
 */
import { hmacSha256 } from '../crypto/digest.ts';
import type { RootKey, RootKeys } from '../crypto/root-secret.ts';
import { urlUnder } from '../oauth/urls.ts';

/** The secret under the first root secret; those under the others are accepted while root secrets are exchanged. In the same order on every node. */
export const consoleSecret = (keys: RootKeys): string => secretUnder(keys.first);
export const consoleSecrets = ({ byId }: RootKeys): readonly string[] =>
  [...byId.keys()].toSorted().flatMap((id) => {
    const root = byId.get(id);
    return root ? [secretUnder(root)] : [];
  });

const secretUnder = (root: RootKey): string => hmacSha256(root.key('console'), 'client secret').toString('base64url');

export const consoleRedirectUri = (issuer: string): string => urlUnder(issuer, '/console/callback');
