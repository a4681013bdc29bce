/** RFC 7636, S256 only. OAuth 2.1 §7.5.1: the server MUST refuse `plain`; here there is no key to allow it. */

/** RFC 7636 §4.1: 43*128unreserved. */
export const isCodeVerifier = (text: string): boolean => /^[A-Za-z0-9\-._~]{43,128}$/.test(text);

/** RFC 7636 §4.2: BASE64URL(SHA256(…)) is 43 characters; the last of them can only be one of 16. */
export const isS256Challenge = (text: string): boolean => /^[A-Za-z0-9\-_]{42}[AEIMQUYcgkosw048]$/.test(text);
