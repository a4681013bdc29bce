/** A form is good for one interaction in the browser that began it: its token is a MAC over both. */
import { hmacSha256, sameSecretBytes } from '../crypto/digest.ts';
import type { RootKeys } from '../crypto/root-secret.ts';

export const csrfToken = (keys: RootKeys, interactionId: string, browser: string): string =>
  hmacSha256(keys.first.key('form'), interactionId, '\n', browser).toString('base64url');

export function isCsrfToken(keys: RootKeys, interactionId: string, browser: string, sent: string | null): boolean {
  if (sent === null) return false;
  return [...keys.byId.values()].some((root) => {
    const token = hmacSha256(root.key('form'), interactionId, '\n', browser).toString('base64url');
    return sameSecretBytes(Buffer.from(token), Buffer.from(sent));
  });
}
