/** Tokens that are bound to a TLS client certificate, at an API (RFC 8705 §3). */
import { type CertificateForm, certificateIn, thumbprintOf } from './certificate.ts';
import type { RefusalReason } from './outcome.ts';
import { type GuardedRequest, headerValues } from './request.ts';

type Certificate = Uint8Array | null | undefined;

/**
 * The header in which a proxy passes the certificate, or a function that returns its DER. Null or undefined: the connection has none. An
 * error becomes 503.
 */
export type CertificateSource =
  | { readonly header: string; readonly form: CertificateForm }
  | ((request: GuardedRequest) => Certificate | Promise<Certificate>);

export type CertificateRules = Extract<CertificateSource, (...given: never[]) => unknown>;

/** Several headers are as none: one of them may come from the client. */
export const certificateInHeader =
  (header: string, form: CertificateForm): CertificateRules =>
  (request) => {
    const [sent, ...more] = headerValues(request, header);
    const read = more.length > 0 ? null : certificateIn(sent, form);
    return read === 'malformed' ? null : read;
  };

/** @returns null where the connection has the certificate. @throws the error of the source. */
export async function certificateProblem(
  certificateOf: CertificateRules,
  request: GuardedRequest,
  x5t: unknown,
): Promise<RefusalReason | null> {
  const certificate = (await certificateOf(request)) ?? null;
  if (certificate === null) return 'certificate_missing';
  return (await thumbprintOf(certificate)) === x5t ? null : 'certificate_mismatch';
}
