/**
 * The algorithms that may sign tokens (RFC 7518 §3.1, RFC 8037 §3.1). Policies, tables, clients and metadata all use
 * this list.
 */
export const SIGNING_ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

/**
 * The algorithms by which a client may sign that it is the client. `Ed25519` is the name of RFC 9864 §2.2 for EdDSA with
 * the only curve that this server knows. RS256 counts only for a client that registered it: FAPI 2.0 §5.4.1 leaves it out.
 */
export const CLIENT_SIGNING_ALGORITHMS = ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256'] as const;
export type ClientSigningAlgorithm = (typeof CLIENT_SIGNING_ALGORITHMS)[number];
export const ONLY_WHERE_REGISTERED: readonly ClientSigningAlgorithm[] = ['RS256'];
