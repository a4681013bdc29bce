/**
 * The certificate of a TLS client (RFC 8705), which a proxy has passed: its times, names and thumbprint. OpenSSL reads it. TLS has
 * proven that the client holds its key. A certificate authority of the operator may have signed it.
 */
import { X509Certificate } from 'node:crypto';
import { type PublicJwk, publicKeyOf } from './client-keys.ts';
import { sha256 } from './digest.ts';

export type CertificateAuthority = X509Certificate;

export type ClientCertificate = {
  readonly kind: 'read';
  readonly x509: X509Certificate;
  /** RFC 8705 §3.1: the SHA-256 of the DER, in base64url. */
  readonly thumbprint: string;
};

export type ClientCertificateProblem =
  | 'client_certificate_malformed'
  | 'client_certificate_expired'
  | 'client_certificate_not_yet_valid';

/** @param der as the proxy passed it */
export function readClientCertificate(
  der: Uint8Array | 'malformed',
  now: Date,
): ClientCertificate | { readonly kind: ClientCertificateProblem } {
  const x509 = der === 'malformed' ? null : certificateOf(der);
  if (x509 === null) return { kind: 'client_certificate_malformed' };
  if (x509.validFromDate > now) return { kind: 'client_certificate_not_yet_valid' };
  // RFC 5280 §4.1.2.5: the period includes both ends. A date that is none is never in time.
  if (!(x509.validToDate >= now)) return { kind: 'client_certificate_expired' };
  return { kind: 'read', x509, thumbprint: sha256(x509.raw).toString('base64url') };
}

function certificateOf(der: Uint8Array): X509Certificate | null {
  try {
    const x509 = new X509Certificate(der);
    // Octets after the certificate are no part of it, and would change its thumbprint.
    return x509.raw.length === der.length ? x509 : null;
  } catch {
    return null;
  }
}

/** RFC 5280 §4.2.1.12. */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_PURPOSE = '2.5.29.37.0';
/** Hashes without known collisions: by a collision, the signature of one certificate fits another one. */
const STRONG = /^(sha(256|384|512)WithRSAEncryption|rsassaPss|ecdsa-with-SHA(256|384|512)|ED25519|ED448)$/i;

/** RFC 5280 §4.2.1.10: this check does not apply name constraints, so it takes no authority that has any. The octets of the OID. */
const NAME_CONSTRAINTS = Buffer.from('0603551d1e', 'hex');

/**
 * @param pem the certificates of authorities, one after the other: each that signs clients, also intermediate ones.
 * @throws Error: the text has another certificate, or none.
 */
export function readCertificateAuthorities(pem: string): readonly CertificateAuthority[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error('It has no certificate in PEM.');
  return blocks.map((block, index) => {
    const which = `Its certificate ${index + 1}`;
    let authority: X509Certificate;
    try {
      authority = new X509Certificate(block);
    } catch {
      throw new Error(`${which} cannot be read.`);
    }
    if (!authority.ca) throw new Error(`${which} is not of a certificate authority (basicConstraints CA:TRUE).`);
    if (authority.raw.includes(NAME_CONSTRAINTS))
      throw new Error(`${which} has name constraints, which this server does not apply: list another authority.`);
    return authority;
  });
}

/**
 * Whether one of the authorities signed the certificate, for a TLS client. Each authority of the operator is an anchor of trust: an
 * intermediate one that is not listed signs nothing here.
 */
export function isIssuedBy(
  { x509 }: ClientCertificate,
  authorities: readonly CertificateAuthority[],
  now: Date,
): boolean {
  // The purposes; absent: any.
  const purposes: readonly string[] | undefined = x509.keyUsage;
  const isForClients = purposes === undefined || purposes.some((one) => one === CLIENT_AUTH || one === ANY_PURPOSE);
  if (!isForClients || x509.ca || !STRONG.test(x509.signatureAlgorithm ?? '')) return false;
  return authorities.some(
    (authority) =>
      authority.validFromDate <= now &&
      authority.validToDate >= now &&
      // The names, the key identifiers, and that the key of the authority signs certificates.
      x509.checkIssued(authority) &&
      x509.verify(authority.publicKey),
  );
}

/** A line for each part, in the order of the certificate (src/oauth/distinguished-name.ts). */
export const subjectOf = ({ x509 }: ClientCertificate): string => x509.subject;

type AlternativeName = { readonly type: 'DNS' | 'URI' | 'IP Address' | 'email'; readonly value: string };
/** As Node writes them: a value with a character that could mean another name is a string of JSON. */
const ALTERNATIVE_NAME = /(?:^|, )([^:,]+):("(?:[^"\\]|\\.)*"|[^,"]*)/gy;

/** RFC 5280 §4.2.1.6: the names of these types. Others, such as names of directories, are left out. */
export function alternativeNamesOf({ x509 }: ClientCertificate): readonly AlternativeName[] {
  const text = x509.subjectAltName ?? '';
  const found = [...text.matchAll(ALTERNATIVE_NAME)];
  // A text that is not read to its end is in a form that this code does not know.
  if (found.reduce((length, [one]) => length + one.length, 0) !== text.length) return [];
  return found.map(([, type = '', written = '']) => ({
    type: type as AlternativeName['type'],
    value: written.startsWith('"') ? (JSON.parse(written) as string) : written,
  }));
}

/** Whether the key of a client names this certificate, by `x5c` or `x5t#S256`, or is its key where it names none. */
export function isRegisteredBy(key: PublicJwk, { x509, thumbprint }: ClientCertificate): boolean {
  const named = thumbprintsIn(key);
  if (named.length > 0) return named.every((one) => one === thumbprint);
  return publicKeyOf(key)?.equals(x509.publicKey) === true;
}

const thumbprintsIn = ({ x5c, 'x5t#S256': x5t }: PublicJwk): readonly string[] => [
  ...(x5t === undefined ? [] : [x5t]),
  ...(x5c === undefined ? [] : [sha256(Buffer.from(x5c[0] ?? '', 'base64')).toString('base64url')]),
];
