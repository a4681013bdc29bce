/** The variables of mutual TLS behind a proxy (RFC 8705, RFC 9440). */
import { type CertificateAuthority, readCertificateAuthorities } from '../crypto/client-certificate.ts';
import { CERTIFICATE_FORMS, type CertificateForm } from '../guard/certificate.ts';
import { isLoopback } from './loopback.ts';
import { readText } from './text-file.ts';

export type ClientCertificates = {
  /** Of the header in which the proxy passes the certificate, in small letters. */
  readonly header: string;
  readonly form: CertificateForm;
  /** Those that sign the certificates of clients with `tls_client_auth`. Null: no client can use that method. */
  readonly authorities: readonly CertificateAuthority[] | null;
  /** Where the proxy asks for certificates (RFC 8705 §5). Null: at the addresses of the issuer. */
  readonly aliasOrigin: string | null;
};

export type ClientCertificatesReading = {
  /** Null: the server takes no certificates. */
  readonly settings: ClientCertificates | null;
  readonly problems: readonly string[];
};

const HEADER = 'STATEHOUSE_CLIENT_CERTIFICATE_HEADER';
const AUTHORITIES = 'STATEHOUSE_CLIENT_CERTIFICATE_AUTHORITIES';
const ORIGIN = 'STATEHOUSE_MUTUAL_TLS_ORIGIN';

/** RFC 9110 §5.6.2: a token. */
const WRITTEN = /^([a-z0-9]+):([!#$%&'*+.^_`|~0-9A-Za-z-]+)$/;
/** The server reads these itself, and a client can send them through any proxy. */
const TAKEN = ['authorization', 'cookie', 'dpop', 'host', 'content-type', 'content-length', 'x-forwarded-for'];

export function readClientCertificates(
  get: (name: string) => string | null,
  trustedProxies: readonly string[],
): ClientCertificatesReading {
  const written = get(HEADER);
  if (written === null) {
    const alone = [AUTHORITIES, ORIGIN].filter((name) => get(name) !== null);
    const problems = alone.map((name) => `${name} has no effect without ${HEADER}, the header of the certificate.`);
    return { settings: null, problems };
  }
  const [, formWritten = '', header = ''] = WRITTEN.exec(written) ?? [];
  const form = CERTIFICATE_FORMS.find((one) => one === formWritten);
  const authorities = readAuthorities(get(AUTHORITIES));
  const aliasOrigin = get(ORIGIN);
  const problems = [
    ...(form === undefined || TAKEN.includes(header.toLowerCase())
      ? [
          `${HEADER}: Expected the form and the header, as in rfc9440:Client-Cert or pem:X-Client-Cert, found "${written}".`,
        ]
      : []),
    ...(trustedProxies.length === 0
      ? [`${HEADER} needs STATEHOUSE_TRUSTED_PROXIES: from any other sender, a certificate in a header proves nothing.`]
      : []),
    ...('problem' in authorities ? [authorities.problem] : []),
    ...(aliasOrigin === null || isOrigin(aliasOrigin)
      ? []
      : [`${ORIGIN}: Expected an https origin, as in https://mtls.login.example.com, found "${aliasOrigin}".`]),
  ];
  if (problems.length > 0 || form === undefined || 'problem' in authorities) return { settings: null, problems };
  return { settings: { header: header.toLowerCase(), form, authorities: authorities.read, aliasOrigin }, problems };
}

type Authorities = { readonly read: readonly CertificateAuthority[] | null } | { readonly problem: string };

function readAuthorities(path: string | null): Authorities {
  if (path === null) return { read: null };
  const file = readText(path);
  if (!file.ok) return { problem: `${AUTHORITIES}: Expected ${file.allowed}, found ${file.found}: ${path}` };
  try {
    return { read: readCertificateAuthorities(file.text) };
  } catch (error) {
    return { problem: `${AUTHORITIES}: ${path}: ${error instanceof Error ? error.message : 'it cannot be read.'}` };
  }
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)));
}
