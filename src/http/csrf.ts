/** A form is good for one interaction in the browser that began it: its token is a MAC over both. */
import { hmacSha256, sameSecretBytes } from '../crypto/digest.ts';
import type { RootKey, RootKeys } from '../crypto/root-secret.ts';

const tokenUnder = (root: RootKey, interactionId: string, browser: string): string =>
  hmacSha256(root.key('form'), interactionId, '\n', browser).toString('base64url');

export const csrfToken = (keys: RootKeys, interactionId: string, browser: string): string =>
  tokenUnder(keys.first, interactionId, browser);

/** Under any listed root secret, so that rotating it spoils no page that is open. */
export function isCsrfToken(keys: RootKeys, interactionId: string, browser: string, sent: string | null): boolean {
  if (sent === null) return false;
  const known = [...keys.byId.values()].map((root) => Buffer.from(tokenUnder(root, interactionId, browser)));
  return known.some((token) => sameSecretBytes(token, Buffer.from(sent)));
}
