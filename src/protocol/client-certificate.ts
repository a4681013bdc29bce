/**
 * A client that authenticates with a TLS certificate (RFC 8705 §2). The proxy has ended TLS, and TLS has proven that the client holds
 * the key: here it is read whose certificate it is.
 */
import ipaddr from 'ipaddr.js';
import type { ClientCertificates } from '../config/client-certificates.ts';
import {
  alternativeNamesOf,
  type ClientCertificate,
  isIssuedBy,
  isRegisteredBy,
  readClientCertificate,
  subjectOf,
} from '../crypto/client-certificate.ts';
import { isOfClient, type PublicJwk } from '../crypto/client-keys.ts';
import { sha256 } from '../crypto/digest.ts';
import type { Client } from '../model/client.ts';
import { TLS_METHODS } from '../oauth/client-methods.ts';
import { isSameName, readDistinguishedName, readSubject } from '../oauth/distinguished-name.ts';
import type { TokenReason } from '../oauth/refusals.ts';
import type { TokenDeps } from './grant-type.ts';

export type { ClientCertificates } from '../config/client-certificates.ts';
export { certificateIn } from '../guard/certificate.ts';

/** As the sender's connection has it. Null: none. */
export type SentCertificate = () => Uint8Array | 'malformed' | null;

/** The methods that these settings allow. */
export const tlsMethodsOf = (certificates: ClientCertificates | null | undefined): readonly string[] => {
  if (!certificates) return [];
  return TLS_METHODS.filter((method) => method !== 'tls_client_auth' || certificates.authorities !== null);
};

/**
 * The row is loaded as a whole, beside what the request loads: only clients with certificates pay for it.
 * @returns null: the client is authenticated. @throws Unavailable, StoreUnavailable
 */
export async function checkCertificate(
  deps: TokenDeps,
  clientId: string,
  sent: SentCertificate | undefined,
): Promise<TokenReason | null> {
  const der = sent?.() ?? null;
  if (der === null) return 'client_certificate_not_sent';
  const { client, now } = await deps.store.loadClient(clientId);
  const certificate = readClientCertificate(der, now);
  if (certificate.kind !== 'read') return certificate.kind;
  if (client === null || client.deletedAt !== null) return 'client_unknown';
  return client.tokenEndpointAuthMethod === 'tls_client_auth'
    ? checkIssued(deps, client, certificate, now)
    : checkSelfSigned(deps, client, certificate);
}

/** RFC 8705 §2.1. */
function checkIssued(
  { clientCertificates }: TokenDeps,
  client: Client,
  certificate: ClientCertificate,
  now: Date,
): TokenReason | null {
  const { authorities = null } = clientCertificates ?? {};
  if (authorities === null) return 'client_certificate_authorities_missing';
  if (!isIssuedBy(certificate, authorities, now)) return 'client_certificate_untrusted';
  return isNamed(client, certificate) ? null : 'client_certificate_mismatch';
}

/** RFC 8705 §2.1.2: the registration has exactly one of them. */
function isNamed(client: Client, certificate: ClientCertificate): boolean {
  const { tlsClientAuthSubjectDn: dn, tlsClientAuthSanDns: dns, tlsClientAuthSanUri: uri } = client;
  const { tlsClientAuthSanIp: ip, tlsClientAuthSanEmail: email } = client;
  const has = (type: ReturnType<typeof alternativeNamesOf>[number]['type'], is: (value: string) => boolean) =>
    alternativeNamesOf(certificate).some((name) => name.type === type && is(name.value));
  if (dn !== null) {
    const [subject, registered] = [readSubject(subjectOf(certificate)), readDistinguishedName(dn)];
    return subject !== null && registered !== null && isSameName(subject, registered);
  }
  // RFC 4343 §3: case makes no difference in the DNS. RFC 5321 §2.4: nor in the domain of an address.
  if (dns !== null) return has('DNS', (value) => value.toLowerCase() === dns.toLowerCase());
  if (uri !== null) return has('URI', (value) => value === uri);
  if (ip !== null) return has('IP Address', (value) => octetsOf(value) === octetsOf(ip) && octetsOf(ip) !== null);
  return email !== null && has('email', (value) => mailboxOf(value) === mailboxOf(email));
}

/** RFC 8705 §2.1.2: IP addresses are compared in binary format. */
const octetsOf = (text: string): string | null =>
  ipaddr.isValid(text) ? ipaddr.parse(text).toByteArray().join('.') : null;

function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@');
  return address.slice(0, at) + address.slice(at).toLowerCase();
}

/** RFC 8705 §2.2: nothing is said about who signed it, so it is the registered one, or has the registered key. */
async function checkSelfSigned(
  { publishedKeys }: TokenDeps,
  { jwks, jwksUri, registeredBy }: Client,
  certificate: ClientCertificate,
): Promise<TokenReason | null> {
  const suits = (key: PublicJwk) => isOfClient(key) && isRegisteredBy(key, certificate);
  const keys =
    jwksUri === null
      ? (jwks?.keys ?? [])
      : await publishedKeys.at(jwksUri, { registeredBy }, (published) => published.some(suits));
  if (keys === null) return 'client_keys_unavailable';
  return keys.some(suits) ? null : 'client_certificate_mismatch';
}

/**
 * The certificate to which the access tokens of a request are bound (RFC 8705 §3). `problem`: for the log.
 * @param sent of a client that is registered for bound tokens
 */
export function boundCertificate(
  sent: SentCertificate | undefined,
  now: Date,
): { readonly thumbprint: string | null; readonly problem?: TokenReason } {
  const der = sent?.() ?? null;
  if (der === null) return { thumbprint: null };
  const certificate = readClientCertificate(der, now);
  if (certificate.kind !== 'read') return { thumbprint: null, problem: certificate.kind };
  return { thumbprint: certificate.thumbprint };
}

/** Of a presented access token: TLS has ended, and its times were judged when the token was issued. Null: no certificate. */
export function sentThumbprint(sent: SentCertificate | undefined): string | null {
  const der = sent?.() ?? null;
  return der === null || der === 'malformed' ? null : sha256(der).toString('base64url');
}
