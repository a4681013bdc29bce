/** The form of such a text, which is not empty. */
export const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** Strict base64url without padding: each value has exactly one encoding. @returns null for any other text. */
export function base64urlDecode(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}
