/**
 * RFC 6750 §2, RFC 9449 §7.1: the presentation of an access token. The server does not support the query parameter of §2.3, which
 * would reach logs.
 */

export type BearerReading =
  | { readonly kind: 'token'; readonly scheme: 'bearer' | 'dpop'; readonly token: string }
  | { readonly kind: 'none' }
  /** More than one method, a malformed header or token: RFC 6750 §3.1, `invalid_request`. */
  | { readonly kind: 'malformed' };

/** RFC 6750 §2.1: b64token. */
const B64TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** @param inBody `access_token` of a form body (§2.2). Null: none. */
export function readBearer(authorization: string | undefined, inBody: string | null): BearerReading {
  if (authorization === undefined) return inBody === null ? { kind: 'none' } : tokenOf(inBody);
  // §2: clients MUST NOT use more than one method to transmit the token in each request.
  if (inBody !== null) return { kind: 'malformed' };
  const [, scheme = '', token] = /^(bearer|dpop) +(.*)$/i.exec(authorization) ?? [];
  if (token === undefined) return { kind: 'none' };
  return tokenOf(token, scheme.toLowerCase() === 'dpop' ? 'dpop' : 'bearer');
}

const tokenOf = (token: string, scheme: 'bearer' | 'dpop' = 'bearer'): BearerReading =>
  B64TOKEN.test(token) ? { kind: 'token', scheme, token } : { kind: 'malformed' };
