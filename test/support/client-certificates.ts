/** TLS client certificates as tests need them: of an authority, self-signed, expired, with any names. */
import { webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as never);

export type TestCertificate = {
  readonly der: Buffer;
  readonly pem: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly subject: x509.JsonName;
};

export type CertificateSaid = {
  /** In the order of the certificate, which is the reverse of that of RFC 4514. */
  readonly subject?: x509.JsonName;
  readonly names?: x509.JsonGeneralNames;
  /** Absent: self-signed. */
  readonly by?: TestCertificate;
  readonly from?: Date;
  readonly to?: Date;
  readonly isAuthority?: boolean;
  /** OIDs. Absent: the certificate names no purpose. */
  readonly purposes?: readonly string[];
  readonly extensions?: readonly x509.Extension[];
  readonly keys?: webcrypto.CryptoKeyPair;
  readonly hash?: 'SHA-256' | 'SHA-1';
};

const EC = { name: 'ECDSA', namedCurve: 'P-256' } as const;

export const certificateKeys = (algorithm: object = EC): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(algorithm as typeof EC, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;

let serial = 0;

export async function testCertificate({
  subject = [{ CN: ['client'] }],
  names = [],
  by,
  from = new Date('2020-01-01T00:00:00Z'),
  to = new Date('2049-01-01T00:00:00Z'),
  isAuthority = false,
  purposes = [],
  extensions = [],
  keys,
  hash = 'SHA-256',
}: CertificateSaid = {}): Promise<TestCertificate> {
  const own = keys ?? (await certificateKeys());
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: (++serial).toString(16).padStart(4, '0'),
    subject,
    issuer: by?.subject ?? subject,
    notBefore: from,
    notAfter: to,
    publicKey: own.publicKey,
    signingKey: by?.keys.privateKey ?? own.privateKey,
    signingAlgorithm: { ...(by?.keys ?? own).privateKey.algorithm, hash },
    extensions: [
      new x509.BasicConstraintsExtension(isAuthority, undefined, true),
      ...(isAuthority ? [new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true)] : []),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      ...(purposes.length > 0 ? [new x509.ExtendedKeyUsageExtension([...purposes])] : []),
      ...extensions,
    ],
  } as never);
  return { der: Buffer.from(certificate.rawData), pem: certificate.toString('pem'), keys: own, subject };
}

/** RFC 9440 §2.1. */
export const inClientCert = ({ der }: Pick<TestCertificate, 'der'>): string => `:${der.toString('base64')}:`;

/** As nginx writes `$ssl_client_escaped_cert`. */
export const inEscapedPem = ({ pem }: Pick<TestCertificate, 'pem'>): string => encodeURIComponent(`${pem}\n`);

/** A JWK of the certificate's key. */
export const jwkOf = async ({ keys }: TestCertificate): Promise<webcrypto.JsonWebKey> => {
  const { kty, crv, x, y, n, e } = await webcrypto.subtle.exportKey('jwk', keys.publicKey);
  return JSON.parse(JSON.stringify({ kty, crv, x, y, n, e })) as webcrypto.JsonWebKey;
};

/** RFC 5280 §4.2.1.10: name constraints, which are empty. */
export const NAME_CONSTRAINTS = new x509.Extension('2.5.29.30', true, Uint8Array.from([0x30, 0]));
