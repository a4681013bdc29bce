/**
 * TLS client certificates behind a proxy (RFC 8705, RFC 9440): the header in which the proxy passes the certificate, and its thumbprint.
 * The guard uses it, and so does the server: it has one home.
 */

/**
 * `rfc9440`: the DER, in base64 between colons (RFC 9440 §2.1), as HAProxy and Caddy can write it. `pem`: percent-encoded PEM, as nginx
 * (`$ssl_client_escaped_cert`), Envoy and AWS write it.
 */
export const CERTIFICATE_FORMS = ['rfc9440', 'pem'] as const;
export type CertificateForm = (typeof CERTIFICATE_FORMS)[number];

/** More than a certificate of an RSA key with 4096 bits and many names has. */
const MAX_CHARACTERS = 12_288;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const PEM = /^\s*-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/;
const SPACES = /\s+/g;

/**
 * @param sent the value of the header. HTTP joins several by a comma, which neither form has.
 * @returns the DER. Null: the proxy passed no certificate. `malformed`: it passed one that nothing can read.
 */
export function certificateIn(sent: string | undefined, form: CertificateForm): Uint8Array | 'malformed' | null {
  // Proxies whose template has the colons write them without a certificate too.
  if (sent === undefined || sent === '' || (form === 'rfc9440' && sent === '::')) return null;
  if (sent.length > MAX_CHARACTERS) return 'malformed';
  const encoded = form === 'rfc9440' ? betweenColons(sent) : inPem(sent);
  if (encoded === null || !BASE64.test(encoded)) return 'malformed';
  try {
    return Uint8Array.from(atob(encoded), (octet) => octet.charCodeAt(0));
  } catch {
    return 'malformed';
  }
}

const betweenColons = (sent: string): string | null => /^:([^:]+):$/.exec(sent)?.[1] ?? null;

function inPem(sent: string): string | null {
  try {
    return PEM.exec(decodeURIComponent(sent))?.[1]?.replaceAll(SPACES, '') ?? null;
  } catch {
    return null;
  }
}

/** RFC 8705 §3.1: `x5t#S256`. @param der the certificate */
export async function thumbprintOf(der: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(der)));
  return btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
