/** The TLS client certificate of a request, in the header in which a trusted proxy passes it (RFC 9440 §3). */
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { type ClientCertificates, certificateIn, type SentCertificate } from '../protocol/client-certificate.ts';

export type CertificateOptions = {
  readonly clientCertificates?: ClientCertificates | null;
  /** Absent: none. */
  readonly trustedProxies?: readonly string[];
};

/** Of Node, or of Fastify. */
type Sent = {
  readonly headers: FastifyRequest['raw']['headers'];
  readonly socket: Pick<FastifyRequest['raw']['socket'], 'remoteAddress'>;
};

/** @returns undefined where the server takes no certificates. The header is read when it is needed. */
export function certificatesOf({
  clientCertificates,
  trustedProxies = [],
}: CertificateOptions): ((request: Sent) => SentCertificate) | undefined {
  if (!clientCertificates) return undefined;
  const { header, form } = clientCertificates;
  const isTrusted = trusting(trustedProxies);
  return ({ headers, socket }) =>
    () =>
      // RFC 9440 §4: a header from another sender than the proxy is as absent.
      isTrusted(socket.remoteAddress) ? certificateIn(headers[header] as string | undefined, form) : null;
}

/** @param proxies addresses and ranges, as STATEHOUSE_TRUSTED_PROXIES has them. */
export function trusting(proxies: readonly string[]): (peer: string | undefined) => boolean {
  const ranges = proxies.map((written) => {
    if (written.includes('/')) return ipaddr.parseCIDR(written);
    const address = ipaddr.process(written);
    return [address, address.toByteArray().length * 8] as [ipaddr.IPv4 | ipaddr.IPv6, number];
  });
  return (peer) => {
    if (peer === undefined || !ipaddr.isValid(peer)) return false;
    // An IPv4-mapped IPv6 address counts as the IPv4 address.
    const address = ipaddr.process(peer);
    return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range as ipaddr.IPv4, bits));
  };
}
