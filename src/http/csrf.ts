/** A form is good for one purpose (an interaction, what one session may do) in one browser: its token is a MAC over both. */
import { hmacSha256, sameSecretBytes } from '../crypto/digest.ts';
import type { RootKey, RootKeys } from '../crypto/root-secret.ts';

const tokenUnder = (root: RootKey, purpose: string, browser: string): string =>
  hmacSha256(root.key('form'), purpose, '\n', browser).toString('base64url');

export const csrfToken = (keys: RootKeys, purpose: string, browser: string): string =>
  tokenUnder(keys.first, purpose, browser);

/** Under any listed root secret, so that rotating it spoils no page that is open. */
export function isCsrfToken(keys: RootKeys, purpose: string, browser: string, sent: string | null): boolean {
  if (sent === null) return false;
  const known = [...keys.byId.values()].map((root) => Buffer.from(tokenUnder(root, purpose, browser)));
  return known.some((token) => sameSecretBytes(token, Buffer.from(sent)));
}
