/** Strict base64url without padding: one value has one spelling, so a garbled token is never "close enough". */
export function base64urlDecode(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}
