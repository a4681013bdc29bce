/** RFC 7636, S256 only. OAuth 2.1 §7.5.2 forbids `plain`, so no setting allows it. */

/** RFC 7636 §4.1: 43*128unreserved. */
export const isCodeVerifier = (text: string): boolean => /^[A-Za-z0-9\-._~]{43,128}$/.test(text);

/** RFC 7636 §4.2: BASE64URL(SHA256(…)) is 43 characters, the last of which has 16 possible values. */
export const isS256Challenge = (text: string): boolean => /^[A-Za-z0-9\-_]{42}[AEIMQUYcgkosw048]$/.test(text);
