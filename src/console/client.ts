/**
 * The console as a client of this server: its registration, and its secret. The secret is derived from the root secret,
 * so no file or table contains it.
 */
import { hmacSha256 } from '../crypto/digest.ts';
import type { RootKey, RootKeys } from '../crypto/root-secret.ts';
import { urlUnder } from '../oauth/urls.ts';

/**
 * The secret under the first root secret. During a rotation of root secrets, the server accepts those under the others.
 * The order is the same on every node.
 */
export const consoleSecret = (keys: RootKeys): string => secretUnder(keys.first);
export const consoleSecrets = ({ byId }: RootKeys): readonly string[] =>
  [...byId.keys()].toSorted().flatMap((id) => {
    const root = byId.get(id);
    return root ? [secretUnder(root)] : [];
  });

const secretUnder = (root: RootKey): string => hmacSha256(root.key('console'), 'client secret').toString('base64url');

/** Of the scopes of the management API, those that its pages use. Only applications answer delegated sign-ins. */
export const consoleScope = (scopes: readonly { readonly name: string }[]): string[] =>
  scopes.map(({ name }) => name).filter((name) => name !== 'sign-ins:answer');

export const consoleRedirectUri = (issuer: string): string => urlUnder(issuer, '/console/callback');
