/** Between a client and the settings of mutual TLS (RFC 8705): a registration that the environment lets do nothing. */
import type { ClientCertificates } from '../config/client-certificates.ts';
import type { ClientMetadata } from '../model/client.ts';
import { isOneOf, TLS_METHODS } from '../oauth/client-methods.ts';

type Registered = Pick<ClientMetadata, 'tokenEndpointAuthMethod' | 'tlsClientCertificateBoundAccessTokens'>;

const NO_PROXY = 'no trusted proxy passes certificates (STATEHOUSE_CLIENT_CERTIFICATE_HEADER)';
const NO_AUTHORITIES = 'no certificate authorities are configured (STATEHOUSE_CLIENT_CERTIFICATE_AUTHORITIES)';

/** Only the environment says whether a proxy passes certificates, so the registration cannot refuse such a client. */
export function certificateWarnings(client: Registered, certificates: ClientCertificates | null): string[] {
  const { tokenEndpointAuthMethod: method, tlsClientCertificateBoundAccessTokens: isBound } = client;
  const missing = [
    ...(certificates === null ? [NO_PROXY] : []),
    ...(method === 'tls_client_auth' && (certificates?.authorities ?? null) === null ? [NO_AUTHORITIES] : []),
  ];
  return [
    ...(isOneOf(TLS_METHODS, method) && missing.length > 0
      ? [`token_endpoint_auth_method ${method}: ${missing.join(', and ')}, so the client cannot authenticate`]
      : []),
    ...(isBound && certificates === null
      ? [`tls_client_certificate_bound_access_tokens: ${NO_PROXY}, so the client gets no token`]
      : []),
  ];
}
